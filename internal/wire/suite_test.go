package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/wire"
)

// suiteText is a text of json.jsonl. Its name begins with n, y or i: it is no
// JSON, it is, or readers may differ.
type suiteText struct {
	Name, Raw, B64                      string
	Prefix, Fill, Middle, Fill2, Suffix string
	Count, Count2                       int
}

func (s suiteText) bytes(t *testing.T) []byte {
	t.Helper()
	switch {
	case s.Count > 0:
		return []byte(s.Prefix + strings.Repeat(s.Fill, s.Count) + s.Middle + strings.Repeat(s.Fill2, s.Count2) + s.Suffix)
	case s.B64 != "":
		decoded, err := base64.StdEncoding.DecodeString(s.B64)
		if err != nil {
			t.Fatal(err)
		}
		return decoded
	}
	return []byte(s.Raw)
}

// TestSuite compares Check with what the texts are, and with encoding/json,
// whose opinion on what is JSON counts for those that are and are not.
func TestSuite(t *testing.T) {
	content, err := os.ReadFile(cases.Path(t, "hostile/json.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[byte]int{}
	for lines := json.NewDecoder(bytes.NewReader(content)); lines.More(); {
		var one suiteText
		if err := lines.Decode(&one); err != nil {
			t.Fatal(err)
		}
		text, kind := one.bytes(t), one.Name[0]
		counts[kind]++
		err := wire.Check(text)
		switch {
		case kind == 'n' && err == nil, kind == 'y' && err != nil:
			t.Errorf("%s: %.80q: %v", one.Name, text, err)
		case kind != 'i' && json.Valid(text) != (kind == 'y'):
			t.Errorf("%s: %.80q is in the wrong class", one.Name, text)
		case err == nil && !json.Valid(text):
			t.Errorf("%s: %.80q was accepted", one.Name, text)
		}
	}
	if counts['n'] < 188 || counts['y'] < 95 || counts['i'] < 35 {
		t.Errorf("too few cases: %v", counts)
	}
}
