package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/meaning"
)

// tinyFiles are a model with the words sun and moon.
func tinyFiles() map[string]string {
	header := `{"embeddings":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}`
	tensors := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for _, x := range []float32{9, 9, 3, 4, 0, -2} {
		tensors = binary.LittleEndian.AppendUint32(tensors, math.Float32bits(x))
	}
	return map[string]string{
		"config.json":       `{"model_type":"model2vec","normalize":true}`,
		"tokenizer.json":    `{"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"sun":1,"moon":2}}}`,
		"model.safetensors": string(tensors),
	}
}

// writeFiles writes files into a new folder.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFolder(t *testing.T) {
	t.Parallel()
	f, err := OpenFolder(writeFiles(t, tinyFiles()))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := f.Question(t.Context(), "sun"); err != nil || len(v) != 2 || math.Abs(float64(v[0])-0.6) > 1e-6 {
		t.Errorf("%v, %v", v, err)
	}
	vectors, err := f.Passages(t.Context(), []meaning.Passage{{Above: "moon", Text: []byte("stars")}, {Above: "stars", Text: []byte("moon")}, {Above: "moon"}})
	if err != nil || vectors[0] != nil || !slices.Equal(vectors[1], meaning.Vector{0, -1}) || !slices.Equal(vectors[2], vectors[1]) {
		t.Errorf("%v, %v", vectors, err)
	}
	if traits := f.Traits(); traits.IsRemote || traits.PassageLength != 300 {
		t.Errorf("%+v", traits)
	}
	if dimensions, err := f.Check(t.Context()); err != nil || dimensions != 2 {
		t.Errorf("%d numbers, %v", dimensions, err)
	}
	nested := map[string]string{"config_sentence_transformers.json": "{}"}
	for name, text := range tinyFiles() {
		nested["0_StaticEmbedding/"+name] = text
	}
	if err := CheckFolder(writeFiles(t, nested)); err != nil {
		t.Error(err)
	}
}

// A model that differs in any file has another name, so that its vectors are not mixed with those of another model.
func TestNamesOfFolders(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for round := range 5 {
		files := tinyFiles()
		switch round {
		case 1:
			files["config.json"] += " "
		case 2:
			files["tokenizer.json"] = strings.Replace(files["tokenizer.json"], "moon", "mond", 1)
		case 3:
			files["model.safetensors"] = files["model.safetensors"][:len(files["model.safetensors"])-1] + "\x41"
		}
		f, err := OpenFolder(writeFiles(t, files))
		if err != nil {
			t.Fatal(err)
		}
		names[f.Name()] = true
	}
	if len(names) != 4 {
		t.Errorf("%d names, want 4", len(names))
	}
}

// What is wrong with a folder is said when it is opened, except for its vocabulary: reading that takes time, so it fails when it is
// first needed.
func TestUnusableFolders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"config.json": "config", "tokenizer.json": "tokenizer.json", "model.safetensors": "model.safetensors"} {
		files := tinyFiles()
		delete(files, name)
		if err := CheckFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(fault.HintOf(err), "model fetch") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	files := tinyFiles()
	files["model.safetensors"] = ""
	if err := CheckFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := OpenFolder(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fault.InvalidArgument) {
		t.Errorf("a missing folder: %v", err)
	}
	files = tinyFiles()
	files["tokenizer.json"] = `{"model":{"type":"BPE"}}`
	f, err := OpenFolder(writeFiles(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Question(t.Context(), "sun"); err == nil || !strings.Contains(err.Error(), "BPE") {
		t.Errorf("another kind of tokenizer: %v", err)
	}
	if _, err := f.Passages(t.Context(), nil); err == nil || f.Traits() != (meaning.Traits{}) {
		t.Errorf("%v, %+v", err, f.Traits())
	}
	if _, err := f.Check(t.Context()); err == nil {
		t.Error("doctor would find nothing")
	}
}

// tinyModel is a model to download.
func tinyModel() Known {
	k := Known{Name: "tiny", About: "two words", revision: "r1"}
	for name, text := range tinyFiles() {
		sum := sha256.Sum256([]byte(text))
		k.files = append(k.files, pinned{name, int64(len(text)), hex.EncodeToString(sum[:])})
	}
	return k
}

// publisher serves the files of the tiny model, changed.
func publisher(t *testing.T, change func(text string) string) (mirror string, asked *[]string) {
	asked = new([]string)
	files := tinyFiles()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		name, isHere := strings.CutPrefix(r.URL.Path, "/mirror/minishlab/tiny/resolve/r1/")
		switch text, has := files[name]; {
		case strings.HasPrefix(r.URL.Path, "/store/"):
			fmt.Fprint(w, change(files[filepath.Base(r.URL.Path)]))
		case isHere && has:
			http.Redirect(w, r, "/store/"+name, http.StatusFound) // as the publisher does
		default:
			http.Error(w, text, http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mirror/", asked
}

func TestFetch(t *testing.T) {
	t.Parallel()
	mirror, asked := publisher(t, func(text string) string { return text })
	dir := t.TempDir()
	var lines []string
	report := func(line string) { lines = append(lines, line) }
	folder, err := tinyModel().fetch(t.Context(), dir, mirror, report)
	if err != nil || folder != filepath.Join(dir, "tiny") || len(*asked) != 6 || len(lines) != 3 {
		t.Fatalf("%s after %q: %q, %v", folder, *asked, lines, err)
	}
	if f, err := OpenFolder(folder); err != nil {
		t.Error(err)
	} else if _, err := f.Question(t.Context(), "sun"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := tinyModel().fetch(t.Context(), dir, mirror, report); err != nil || len(*asked) != 8 || !strings.Contains(strings.Join(lines[3:], "\n"), "already there") {
		t.Errorf("again: %d requests, %q, %v", len(*asked), lines[3:], err)
	}
}

// Other bytes than the pinned ones are refused, and leave nothing behind.
func TestFetchRefusesOtherBytes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string) string{
		"other": func(text string) string { return strings.Replace(text, "{", "[", 1) }, "longer": func(text string) string { return text + "\n" },
		"shorter": func(text string) string { return text[:len(text)-1] }, "nothing": func(string) string { return "" },
	} {
		mirror, _ := publisher(t, change)
		dir := t.TempDir()
		if _, err := tinyModel().fetch(t.Context(), dir, mirror, func(string) {}); !errors.Is(err, errOtherBytes) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(filepath.Join(dir, "tiny")); err != nil || len(left) > 0 {
			t.Errorf("%s: %v are left, %v", name, left, err)
		}
	}
	mirror, _ := publisher(t, strings.Clone)
	if _, err := tinyModel().fetch(t.Context(), t.TempDir(), mirror+"wrong", func(string) {}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v", err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := tinyModel().fetch(ended, t.TempDir(), mirror, func(string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, mirror := range []string{"ftp://example.com", "example.com", "https://"} {
		if _, err := tinyModel().fetch(t.Context(), t.TempDir(), mirror, func(string) {}); !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("%s: %v", mirror, err)
		}
	}
	if _, err := Fetch(t.Context(), "gpt", t.TempDir(), "", nil); !errors.Is(err, fault.NotFound) || !strings.Contains(fault.HintOf(err), "potion-base-8M") {
		t.Errorf("%v", err)
	}
	for _, k := range Models() {
		for _, file := range k.files {
			if sum, err := hex.DecodeString(file.sum); err != nil || len(sum) != sha256.Size || len(k.revision) != 40 || file.size < 100 {
				t.Errorf("%s: %+v", k.Name, file)
			}
		}
	}
}
