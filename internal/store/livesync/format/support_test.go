package format_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
	"obsidian-mcp/internal/testkit/cases"
)

// recipe describes a long generated text.
type recipe struct {
	Kind     string
	Unit     string
	Bytes    int
	Seed     uint32
	Chars    int
	Alphabet string
}

func (r recipe) text(t *testing.T) string {
	t.Helper()
	switch r.Kind {
	case "repeat":
		return strings.Repeat(r.Unit, r.Bytes/len(r.Unit)+1)[:r.Bytes]
	case "lcg":
		alphabet := []rune(r.Alphabet)
		text := make([]rune, r.Chars)
		for i, x := 0, r.Seed; i < r.Chars; i++ {
			x = x*1103515245 + 12345
			text[i] = alphabet[int(x>>16)%len(alphabet)]
		}
		return string(text)
	}
	t.Fatalf("unknown recipe %q", r.Kind)
	return ""
}

// load reads a file of test data.
func load[T any](t testing.TB, name string) T {
	t.Helper()
	raw, err := os.ReadFile(cases.Path(t, "livesync/"+name))
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// vectors reads a file of vectors, and fails if it has none.
func vectors[T any](t testing.TB, name string) []T {
	t.Helper()
	file := load[struct{ Vectors []T }](t, "vectors/"+name+".json")
	if len(file.Vectors) == 0 {
		t.Fatalf("%s: no vectors", name)
	}
	return file.Vectors
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func unbase64(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// newCipher makes a Cipher that shares derived keys with other tests.
func newCipher(options format.CipherOptions) *format.Cipher {
	options.DeriveKey = formattest.DeriveKey
	return format.NewCipher(options)
}

func newSurvey() *format.Survey { return &format.Survey{DeriveKey: formattest.DeriveKey} }

// later returns the time of a document after being replaced a number of times at the time now.
func later(now, times int64) int64 { return now + times*(2000+now%1000) }

// isLater reports whether devices consider mtime later, but not by much.
func isLater(mtime, than int64) bool { return mtime >= than+2000 && mtime < than+3000 }
