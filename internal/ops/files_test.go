package ops_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"log/slog"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// encodedPNG returns a picture in base64.
func encodedPNG(t *testing.T, width, height int) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// TestAttachmentFolders saves a picture under each of Obsidian's settings.
func TestAttachmentFolders(t *testing.T) {
	for _, test := range []struct {
		setting, note, path, embed string
	}{
		{`{}`, "deep/Plan", "x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"/"}`, "deep/Plan", "x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"Files/In"}`, "deep/Plan", "Files/In/x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"./"}`, "deep/Plan", "deep/x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"./"}`, "", "x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"./_in"}`, "deep/Plan", "deep/_in/x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"./_in"}`, "", "_in/x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"../out"}`, "deep/Plan", "deep/x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":".hidden"}`, "", "x.png", "![[x.png]]"},
		{`{"attachmentFolderPath":"Files","newLinkFormat":"relative","useMarkdownLinks":true}`, "deep/Plan", "Files/x.png", "![x.png](../Files/x.png)"},
	} {
		v, _ := openMem(t, map[string]string{"deep/Plan.md": "plan"}, map[string]string{"app.json": test.setting})
		got := writeFileCall(t, v, map[string]any{"name": "x.png", "data": encodedPNG(t, 2, 2), "note": test.note})
		if got.Path != test.path || got.Embed != test.embed {
			t.Errorf("%s for %q: %+v", test.setting, test.note, got)
		}
	}
}

// TestWriteFileIsUndone saves and replaces a picture on each store, and undoes both.
func TestWriteFileIsUndone(t *testing.T) {
	first, second := encodedPNG(t, 3, 3), encodedPNG(t, 400, 300)
	for _, backend := range backends {
		t.Run(backend.name, func(t *testing.T) {
			if backend.name != "mem" && testing.Short() || backend.name == "livesync" && !mode.Full() {
				t.Skip("only in the longer forms")
			}
			t.Parallel()
			s, after := backend.open(t, map[string]string{"A.md": "a"}, nil)
			v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
			t.Cleanup(func() { v.Close() })
			holds := func(path, encoded string) {
				t.Helper()
				if got, ok := after()[path]; base64.StdEncoding.EncodeToString([]byte(got)) != encoded || ok != (encoded != "") {
					t.Errorf("%s holds %d bytes", path, len(got))
				}
			}
			writeFileCall(t, v, map[string]any{"name": "p.png", "data": first})
			writeFileCall(t, v, map[string]any{"name": "P.PNG", "data": "data:image/png;base64," + second})
			holds("p.png", first)
			holds("P 1.PNG", second)
			writeFileCall(t, v, map[string]any{"name": "p.png", "data": second, "overwrite": true})
			holds("p.png", second)
			_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), VaultID: "vault"})
			for i := len(changes(t, v)) - 1; i >= 0; i-- {
				called(t, tools, "undo_change", map[string]any{"id": changes(t, v)[i]})
			}
			holds("p.png", "")
			holds("P 1.PNG", "")
		})
	}
}

// TestWriteFileIsBounded refuses what is too large for the way it came.
func TestWriteFileIsBounded(t *testing.T) {
	v, files := openMem(t, nil, nil)
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), MaxUpload: 100})
	_, err := tryTool(t, tools, "write_file", map[string]any{"name": "x.txt", "text": strings.Repeat("x", 101)})
	if err == nil || !strings.Contains(err.Error(), "over 100 bytes") || len(files()) > 0 {
		t.Errorf("%v, %v", err, files())
	}
}

func writeFileCall(t *testing.T, v *vault.Vault, arguments map[string]any) ops.WrittenFile {
	t.Helper()
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), VaultID: "vault"})
	var written ops.WrittenFile
	if err := json.Unmarshal(called(t, tools, "write_file", arguments).JSON, &written); err != nil {
		t.Fatal(err)
	}
	return written
}

func called(t *testing.T, tools *tool.Registry, name string, arguments map[string]any) tool.Answer {
	t.Helper()
	answer, err := tryTool(t, tools, name, arguments)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return answer
}

func tryTool(t *testing.T, tools *tool.Registry, name string, arguments map[string]any) (tool.Answer, error) {
	t.Helper()
	called, err := tools.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return called.Call(t.Context(), encoded)
}

func openMem(t *testing.T, files, config map[string]string) (*vault.Vault, func() map[string]string) {
	t.Helper()
	s, after := backends[0].open(t, files, config)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
	t.Cleanup(func() { v.Close() })
	return v, after
}

// TestReadFileSendsMedia reads a picture that is too large and a sound, and checks what follows the answer.
func TestReadFileSendsMedia(t *testing.T) {
	large, err := base64.StdEncoding.DecodeString(encodedPNG(t, 3000, 1000))
	if err != nil {
		t.Fatal(err)
	}
	v, _ := openMem(t, map[string]string{
		"big.png": string(large), "ping.mp3": "ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x44", "film.mp4": "\x00\x00\x00\x18ftypisom",
		"long.mp3": "ID3" + strings.Repeat("x", 800_000), "pack.zip": "PK\x03\x04",
	}, nil)
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), VaultID: "vault"})
	answer := called(t, tools, "read_file", map[string]any{"name": "big.png"})
	var shown ops.FileContent
	if err := json.Unmarshal(answer.JSON, &shown); err != nil {
		t.Fatal(err)
	}
	if shown.Width != 3000 || shown.Height != 1000 || !strings.Contains(shown.Changed, "1568 × 523") || len(answer.Media) != 1 {
		t.Fatalf("%s, %d media", answer.Text, len(answer.Media))
	}
	sent, _, err := image.DecodeConfig(bytes.NewReader(answer.Media[0].Data))
	if err != nil || sent.Width != 1568 || answer.Media[0].Kind != tool.Picture {
		t.Errorf("%+v, %v", sent, err)
	}
	for name, want := range map[string]tool.MediaKind{
		"ping.mp3": tool.Sound, "long.mp3": tool.Reference, "film.mp4": tool.Reference, "pack.zip": tool.Reference,
	} {
		answer := called(t, tools, "read_file", map[string]any{"name": name})
		if len(answer.Media) != 1 || answer.Media[0].Kind != want || want == tool.Reference && !strings.HasPrefix(answer.Media[0].URI, "mcp-obsidian://vault/") {
			t.Errorf("%s: %+v", name, answer.Media)
		}
	}
}

// TestReadFileOfPDFs reads documents whole, by page, cut at the limit, locked and damaged.
func TestReadFileOfPDFs(t *testing.T) {
	files := map[string]string{"damaged.pdf": "%PDF-1.7\nnothing"}
	for _, name := range []string{"pdfkit.pdf", "password.pdf"} {
		data, err := os.ReadFile("../media/pdf/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	v, _ := openMem(t, files, nil)
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), VaultID: "vault"})
	whole := readPDF(t, tools, map[string]any{"name": "pdfkit.pdf"})
	if whole.Pages < 2 || !strings.Contains(whole.Text, "--- page 1 of ") || !strings.Contains(whole.Text, "--- page 2 of ") {
		t.Fatalf("%+v", whole)
	}
	second := readPDF(t, tools, map[string]any{"name": "pdfkit.pdf", "page": 2})
	if second.Page != 2 || second.Pages != whole.Pages || second.Text == "" || !strings.Contains(whole.Text, second.Text) {
		t.Errorf("%+v", second)
	}
	_, short := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), VaultID: "vault", ReadLimit: 100})
	if hints := called(t, short, "read_file", map[string]any{"name": "pdfkit.pdf"}).HintLines(); !strings.Contains(strings.Join(hints, " "), "continue with page=2") {
		t.Errorf("the hints of a cut answer: %q", hints)
	}
	for name, want := range map[string]string{"password.pdf": "encrypted", "damaged.pdf": "damaged"} {
		if _, err := tryTool(t, tools, "read_file", map[string]any{"name": name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := tryTool(t, tools, "read_file", map[string]any{"name": "pdfkit.pdf", "page": 99}); err == nil || !strings.Contains(err.Error(), "page 99 does not exist") {
		t.Errorf("a page too many: %v", err)
	}
}

func readPDF(t *testing.T, tools *tool.Registry, arguments map[string]any) ops.FileContent {
	t.Helper()
	var shown ops.FileContent
	if err := json.Unmarshal(called(t, tools, "read_file", arguments).JSON, &shown); err != nil {
		t.Fatal(err)
	}
	return shown
}
