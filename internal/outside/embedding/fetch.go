package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// Known is a model that can be downloaded. Its files are pinned: only these very bytes are accepted, wherever they come from.
type Known struct {
	Name  string
	About string

	revision string
	files    []pinned
}

// pinned is a file of a model.
type pinned struct {
	name string
	size int64
	sum  string // SHA-256
}

// Models lists the models that can be downloaded.
func Models() []Known {
	return []Known{
		{"potion-base-8M", "English, small", "bf8b056651a2c21b8d2565580b8569da283cab23", []pinned{
			{"config.json", 202, "2a6ac0e9aaa356a68a5688070db78fc3a464fefe85d2f06a1905ce3718687553"},
			{tokenizerFile, 683_666, "e67e803f624fb4d67dea1c730d06e1067e1b14d830e2c2202569e3ef0f70bb50"},
			{tensorsFile, 30_236_760, "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2"},
		}},
		{"potion-retrieval-32M", "English, made for search", "6fc8051fab2a1e0ee76689cf08c853792ac285e7", []pinned{
			{"config.json", 202, "63c00d90824c832c04ec1d02b6a983fb90489bf049f29fbff15ba481b8a432ee"},
			{tokenizerFile, 1_493_150, "7d75cbc54318138807c401b0f0c9721117c628b39de8e8e0edb6cb17e0ee7d18"},
			{tensorsFile, 129_210_456, "07609e5bd33aad37900b3fd62f4ec96f6daec88ca4d46b9d8b928bfababf6ea0"},
		}},
		{"potion-multilingual-128M", "101 languages", "73908c3438cf03b6a01bcb9611d62b23d0726f08", []pinned{
			{"config.json", 271, "595e4cab2093732efd5dbe084fd5c1826b5eea693b73b4c1fd971672867d2e54"},
			{tokenizerFile, 18_616_131, "19f1909063da3cfe3bd83a782381f040dccea475f4816de11116444a73e1b6a1"},
			{tensorsFile, 512_361_560, "14b5eb39cb4ce5666da8ad1f3dc6be4346e9b2d601c073302fa0a31bf7943397"},
		}},
	}
}

// Size is the number of bytes of all files.
func (k Known) Size() (size int64) {
	for _, file := range k.files {
		size += file.size
	}
	return size
}

// source is where the models are published.
const source = "https://huggingface.co"

// Fetch downloads a model into a folder named after it. Files that are there and whole are kept. The files come from where the
// models are published, or from a mirror of it. It calls report before each file.
func Fetch(ctx context.Context, name, dir, mirror string, report func(line string)) (folder string, err error) {
	models := Models()
	at := slices.IndexFunc(models, func(k Known) bool { return strings.EqualFold(k.Name, name) })
	if at < 0 {
		return "", fault.NotFound.Errorf("no model is called '%s'", name).WithHint("use one of %s", Names())
	}
	return models[at].fetch(ctx, dir, mirror, report)
}

// Names lists the models with their sizes, for people.
func Names() string {
	var names []string
	for _, k := range Models() {
		names = append(names, fmt.Sprintf("%s (%s, %s)", k.Name, k.About, megabytes(k.Size())))
	}
	return strings.Join(names, ", ")
}

func megabytes(size int64) string {
	if size < 1e6 {
		return fmt.Sprintf("%d KB", (size+999)/1000)
	}
	return fmt.Sprintf("%d MB", (size+500_000)/1_000_000)
}

func (k Known) fetch(ctx context.Context, dir, mirror string, report func(line string)) (folder string, err error) {
	base, err := url.Parse(strings.TrimRight(mirror, "/"))
	if mirror == "" {
		base, err = url.Parse(source)
	}
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return "", fault.InvalidArgument.Errorf("'%s' is not the address of a mirror", mirror)
	}
	folder = filepath.Join(dir, k.Name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for _, file := range k.files {
		target := filepath.Join(folder, file.name)
		if file.isWhole(target) {
			report(file.name + " is already there")
			continue
		}
		report(fmt.Sprintf("downloading %s, %s, from %s", file.name, megabytes(file.size), base.Host))
		if err := file.fetch(ctx, base.JoinPath("minishlab", k.Name, "resolve", k.revision, file.name).String(), target); err != nil {
			return "", fault.StoreUnavailable.Errorf("%s could not be downloaded: %w", file.name, err)
		}
	}
	return folder, nil
}

// isWhole reports whether a file has the pinned bytes.
func (p pinned) isWhole(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	return err == nil && p.matches(size, sum.Sum(nil))
}

func (p pinned) matches(size int64, sum []byte) bool {
	return size == p.size && hex.EncodeToString(sum) == p.sum
}

var errOtherBytes = errors.New("these are not the bytes that this program knows as the model")

// fetch downloads a file beside its target, and moves it there once it is known to be whole.
func (p pinned) fetch(ctx context.Context, address, target string) (err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return &refusal{status: response.StatusCode}
	}
	part, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(part, sum), io.LimitReader(response.Body, p.size+1))
	if err = errors.Join(err, part.Sync(), part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	if !p.matches(size, sum.Sum(nil)) {
		return errOtherBytes
	}
	return system.Rename(part.Name(), target)
}
