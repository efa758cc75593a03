package format_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// octagonal is a process that runs the plugin's encryption library from npm.
type octagonal struct {
	input  io.Writer
	output *bufio.Scanner
}

// request is a request to the library.
type request struct {
	Op      string `json:"op"`
	Pass    string `json:"pass"`
	Salt    string `json:"salt"`
	Dynamic bool   `json:"dynamic"`
	Text    string `json:"text"`
}

// startOctagonal installs the library if needed, and runs it until the test ends.
func startOctagonal(t *testing.T) *octagonal {
	t.Helper()
	const tools = "../../../../tools/"
	ctx, cancel := context.WithTimeout(t.Context(), mode.Patience)
	defer cancel()
	node, err := exec.CommandContext(ctx, tools+"node22").Output()
	if err != nil {
		cannot(t, fmt.Errorf("tools/node22: %w", err))
	}
	if output, err := exec.CommandContext(ctx, tools+"octagonal/install").CombinedOutput(); err != nil {
		cannot(t, fmt.Errorf("tools/octagonal/install: %w\n%s", err, output))
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
		input.Close() // which makes it exit
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 16<<20)
	return &octagonal{input: input, output: lines}
}

// cannot skips a test that needs something this machine lacks. In CI it fails instead.
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
		t.Fatal("the library exited")
	}
	var answer struct{ Text, Error string }
	if err := json.Unmarshal(o.output.Bytes(), &answer); err != nil || answer.Error != "" {
		t.Fatalf("%s of %.60q: %s %v", asked.Op, asked.Text, answer.Error, err)
	}
	return answer.Text
}

// TestOctagonalWheels encrypts with the plugin's library and with ours, and decrypts with the other. Since the library
// uses a new salt for most texts, which is slow, the plain form tries one passphrase and a few texts.
func TestOctagonalWheels(t *testing.T) {
	if testing.Short() {
		t.Skip("needs npm")
	}
	t.Parallel()
	library := startOctagonal(t)
	salt := make([]byte, 32)
	random := mode.Rand(1)
	for i := range salt {
		salt[i] = byte(random.Uint32())
	}
	texts := []string{
		"line\r\n日本語 🧠👩‍👩‍👧", "", "a", "%", "[]", strings.Repeat("long text ü ", 20000), "\u0000\u2028\ufeff",
	}[:mode.Pick(2, 7, 7)]
	secrets := []string{"パスワード🔐é", "p", "exactly15chars!", strings.Repeat("long passphrase ", 8)}[:mode.Pick(1, 4, 4)]
	for _, secret := range secrets {
		for _, dynamic := range []bool{false, true} {
			b := wheels{library: library, secret: secret, salt: salt, dynamic: dynamic}
			b.cipher = newCipher(format.CipherOptions{Passphrase: format.Passphrase(secret), Salt: salt, DynamicIterations: dynamic})
			for _, text := range texts {
				b.check(t, text)
			}
		}
		sealed := library.ask(t, request{Op: "seal ephemeral", Pass: secret, Text: "settings"})
		if got, err := newCipher(format.CipherOptions{Passphrase: format.Passphrase(secret)}).Open(sealed); err != nil || got != "settings" {
			t.Errorf("opening %q: got %q, %v", sealed, got, err)
		}
		ours, err := newCipher(format.CipherOptions{Passphrase: format.Passphrase(secret)}).SealSettings("settings")
		if err != nil {
			t.Fatal(err)
		}
		if got := library.ask(t, request{Op: "open ephemeral", Pass: secret, Text: ours}); got != "settings" {
			t.Errorf("the library opens %q as %q", ours, got)
		}
	}
}

// wheels compares both implementations with one passphrase.
type wheels struct {
	library *octagonal
	cipher  *format.Cipher
	secret  string
	salt    []byte
	dynamic bool
}

func (w wheels) ask(t *testing.T, op, text string) string {
	t.Helper()
	salt := base64.StdEncoding.EncodeToString(w.salt)
	return w.library.ask(t, request{Op: op, Pass: w.secret, Salt: salt, Dynamic: w.dynamic, Text: text})
}

func (w wheels) check(t *testing.T, text string) {
	t.Helper()
	for _, op := range []string{"seal v2", "seal v1", "seal json", "seal beta", "seal path"} {
		sealed := w.ask(t, op, text)
		if got, err := w.cipher.Open(sealed); err != nil || got != text {
			t.Errorf("%s: opening %.60q: got %.60q, %v, want %.60q", op, sealed, got, err, text)
		}
	}
	for op, seal := range map[string]func(string) (string, error){"open v2": w.cipher.Seal, "open v1": w.cipher.SealV1} {
		sealed, err := seal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.ask(t, op, sealed); got != text {
			t.Errorf("%s: the library opens %.60q as %.60q, want %.60q", op, sealed, got, text)
		}
	}
	path, err := w.cipher.SealPathV1(text)
	if want := w.ask(t, "seal path", text); err != nil || path != want {
		t.Errorf("sealing the path %.60q: got %.60q, %v, want %.60q", text, path, err, want)
	}
	if got, want := format.MixedText(text), w.ask(t, "hash", text); got != want {
		t.Errorf("hash of %.60q: got %q, want %q", text, got, want)
	}
}
