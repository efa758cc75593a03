package format_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/store/livesync/format"
)

// octagonal is the library by which the plugin encrypts, from npm.
type octagonal struct {
	input  io.Writer
	output *bufio.Scanner
}

// request is what the library is asked.
type request struct {
	Op      string `json:"op"`
	Pass    string `json:"pass"`
	Salt    string `json:"salt"`
	Dynamic bool   `json:"dynamic"`
	Text    string `json:"text"`
}

// startOctagonal installs the library if need be, and runs it until the test
// ends.
func startOctagonal(t *testing.T) *octagonal {
	t.Helper()
	const tools = "../../../../tools/"
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	node, err := exec.CommandContext(ctx, tools+"node22").Output()
	if err != nil {
		cannot(t, fmt.Errorf("tools/node22: %w", err))
	}
	if said, err := exec.CommandContext(ctx, tools+"octagonal/install").CombinedOutput(); err != nil {
		cannot(t, fmt.Errorf("tools/octagonal/install: %w\n%s", err, said))
	}
	command := exec.Command(strings.TrimSpace(string(node)), tools+"octagonal/octagonal.mjs")
	command.WaitDelay = 10 * time.Second
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close() // by which it ends
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 16<<20)
	return &octagonal{input: input, output: lines}
}

// cannot skips a test for which a machine lacks something; in CI all is there.
func cannot(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func (o *octagonal) ask(t *testing.T, asked request) string {
	t.Helper()
	if err := json.NewEncoder(o.input).Encode(asked); err != nil {
		t.Fatal(err)
	}
	if !o.output.Scan() {
		t.Fatal("the library has ended")
	}
	var answer struct{ Text, Error string }
	if err := json.Unmarshal(o.output.Bytes(), &answer); err != nil || answer.Error != "" {
		t.Fatalf("%s %.60q: %s %v", asked.Op, asked.Text, answer.Error, err)
	}
	return answer.Text
}

// TestOctagonalWheels encrypts with the real library and with ours, and
// decrypts with the other.
func TestOctagonalWheels(t *testing.T) {
	library := startOctagonal(t)
	random := rand.New(rand.NewPCG(1, 2))
	salt := make([]byte, 32)
	for i := range salt {
		salt[i] = byte(random.Uint32())
	}
	texts := []string{"", "a", "%", "[]", "line\r\n日本語 🧠👩‍👩‍👧", strings.Repeat("long text ü ", 20000), "\u0000\u2028\ufeff"}
	ran := 0
	secrets := []string{"パスワード🔐é", "p", "exactly15chars!", strings.Repeat("long passphrase ", 8)}
	if slowKeys {
		secrets = secrets[:1]
	}
	for _, secret := range secrets {
		for _, dynamic := range []bool{false, true} {
			cipher := format.NewCipher(format.CipherOptions{Passphrase: format.Passphrase(secret), Salt: salt, DynamicIterations: dynamic})
			ask := func(op, text string) string {
				t.Helper()
				return library.ask(t, request{Op: op, Pass: secret, Salt: base64.StdEncoding.EncodeToString(salt), Dynamic: dynamic, Text: text})
			}
			for _, text := range texts {
				for _, op := range []string{"seal v2", "seal v1", "seal json", "seal beta", "seal path"} {
					sealed := ask(op, text)
					if got, err := cipher.Open(sealed); err != nil || got != text {
						t.Errorf("%s: %.60q is %.60q, %v, want %.60q", op, sealed, got, err, text)
					}
					ran++
				}
				for op, seal := range map[string]func(string) (string, error){"open v2": cipher.Seal, "open v1": cipher.SealV1} {
					sealed, err := seal(text)
					if err != nil {
						t.Fatal(err)
					}
					if got := ask(op, sealed); got != text {
						t.Errorf("%s: %.60q is %.60q to the library, want %.60q", op, sealed, got, text)
					}
					ran++
				}
				path, err := cipher.SealPathV1(text)
				if err != nil || path != ask("seal path", text) {
					t.Errorf("the path %.60q is %.60q, %v", text, path, err)
				}
				if got, want := format.MixedText(text), ask("hash", text); got != want {
					t.Errorf("the hash of %.60q is %q, want %q", text, got, want)
				}
			}
		}
		own := library.ask(t, request{Op: "seal ephemeral", Pass: secret, Text: "settings"})
		if got, err := format.NewCipher(format.CipherOptions{Passphrase: format.Passphrase(secret)}).Open(own); err != nil || got != "settings" {
			t.Errorf("%q is %q, %v", own, got, err)
		}
	}
	t.Logf("%d texts were read by the other", ran)
}
