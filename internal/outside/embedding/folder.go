// Package embedding opens the models that turn texts into vectors and are not part of the program: a folder in the format of
// Model2Vec, which it can also download, and a server with an OpenAI-compatible interface.
package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/text/model2vec"
)

// Folder is a model in a folder. Its vectors are mapped; its vocabulary is read in the background.
type Folder struct {
	name  string
	ready chan struct{} // closed when what follows is known
	words *meaning.Words
	err   error
}

// OpenFolder opens a model in the format of Model2Vec.
func OpenFolder(dir string) (*Folder, error) {
	files, err := readFolder(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{name: "folder-" + fingerprint(files), ready: make(chan struct{})}
	go func() {
		defer close(f.ready)
		model, err := model2vec.Read(files)
		if err != nil {
			f.err = fault.InvalidArgument.Errorf("the model in '%s' cannot be used: %w", dir, err)
			return
		}
		f.words = meaning.NewWords(f.name, model.Dimensions(), model.NewAdder)
	}()
	return f, nil
}

// CheckFolder says why a model cannot be opened. It does not read the vocabulary.
func CheckFolder(dir string) error {
	found, err := findFiles(dir)
	if err == nil {
		_, err = os.Stat(found.tokenizer)
	}
	if err == nil {
		var free func()
		if found.Tensors, free, err = mapped(found.tensors); err == nil {
			defer free()
			err = model2vec.Check(found.Files)
		}
	}
	return unusable(dir, err)
}

// unusable wraps a reason why a model cannot be used.
func unusable(dir string, err error) error {
	if err == nil {
		return nil
	}
	return fault.InvalidArgument.Errorf("the model in '%s' cannot be used: %w", dir, err).
		WithHint("it must be a folder with config.json, tokenizer.json and model.safetensors; obsidian-mcp model fetch downloads one")
}

// modelFiles are where the large files of a model are, and what has been read of its files.
type modelFiles struct {
	tokenizer, tensors string
	model2vec.Files
}

// findFiles finds the files of a model, and reads its config. Some programs put the large ones into a folder of their own.
func findFiles(dir string) (found modelFiles, err error) {
	found.Config, err = os.ReadFile(filepath.Join(dir, "config.json"))
	inner := dir
	if errors.Is(err, fs.ErrNotExist) {
		found.Config, err = os.ReadFile(filepath.Join(dir, "config_sentence_transformers.json"))
		if _, missing := os.Stat(filepath.Join(dir, tensorsFile)); err == nil && missing != nil {
			inner = filepath.Join(dir, "0_StaticEmbedding")
		}
	}
	found.tokenizer, found.tensors = filepath.Join(inner, tokenizerFile), filepath.Join(inner, tensorsFile)
	return found, err
}

// readFolder reads the vocabulary of a model, and maps its vectors for as long as the program runs.
func readFolder(dir string) (model2vec.Files, error) {
	found, err := findFiles(dir)
	if err == nil {
		found.Tokenizer, err = os.ReadFile(found.tokenizer)
	}
	if err == nil {
		found.Tensors, _, err = mapped(found.tensors)
	}
	if err == nil {
		err = model2vec.Check(found.Files)
	}
	return found.Files, unusable(dir, err)
}

// The names of a model's large files.
const (
	tokenizerFile = "tokenizer.json"
	tensorsFile   = "model.safetensors"
)

// mapped maps a file into memory.
func mapped(name string) (data []byte, free func(), err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case info.Size() == 0:
		return nil, nil, fmt.Errorf("%s is empty", filepath.Base(name))
	}
	return system.MapFile(file, int(info.Size()))
}

// fingerprint tells models apart without reading all of their vectors.
func fingerprint(files model2vec.Files) string {
	const samples, size = 256, 4096
	sum := sha256.New()
	for _, data := range [][]byte{files.Config, files.Tokenizer} {
		sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
		sum.Write(data)
	}
	sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(files.Tensors))))
	step := max(len(files.Tensors)/samples, size)
	for at := 0; at < len(files.Tensors); at += step {
		sum.Write(files.Tensors[at:min(at+size, len(files.Tensors))])
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// Name identifies the vectors.
func (f *Folder) Name() string { return f.name }

// Traits says how to use the vectors. It waits for the vocabulary, which knows how many numbers they have.
func (f *Folder) Traits() meaning.Traits {
	<-f.ready
	if f.err != nil {
		return meaning.Traits{}
	}
	return f.words.Traits()
}

// Passages returns the vectors of passages.
func (f *Folder) Passages(ctx context.Context, passages []meaning.Passage) ([]meaning.Vector, error) {
	if err := f.wait(ctx); err != nil {
		return nil, err
	}
	return f.words.Passages(ctx, passages)
}

// Question returns the vector of a question.
func (f *Folder) Question(ctx context.Context, text string) (meaning.Vector, error) {
	if err := f.wait(ctx); err != nil {
		return nil, err
	}
	return f.words.Question(ctx, text)
}

// Check reads the vocabulary, and returns how many numbers a vector has.
func (f *Folder) Check(ctx context.Context) (dimensions int, err error) {
	if err := f.wait(ctx); err != nil {
		return 0, err
	}
	return f.words.Dimensions(), nil
}

func (f *Folder) wait(ctx context.Context) error {
	select {
	case <-f.ready:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
