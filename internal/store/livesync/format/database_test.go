package format_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
)

// database is a fixture: the documents of a database, and what must be found in it.
type database struct {
	name   string
	config struct {
		Composed bool
		Settings json.RawMessage
	}
	pass     format.Passphrase
	raw      []json.RawMessage
	local    map[string]json.RawMessage
	branches map[string][]json.RawMessage
	want     struct {
		Files, Internal map[string]wantFile
		Deleted         []string
		Conflicts       map[string]struct {
			Contents []wantFile `json:"leaf_contents"`
		}
	}
}

type wantFile struct {
	Hash     string `json:"sha256"`
	Size     int64
	Text     *string
	TextFile string `json:"text_file"`
}

func fixtures(t *testing.T) []database {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(cases.Path(t, "livesync/fixtures"), "*", "all_docs.json"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no fixture: %v", err)
	}
	var all []database
	for _, file := range folders {
		name := filepath.Base(filepath.Dir(file))
		all = append(all, loadDatabase(t, name))
	}
	return all
}

func loadDatabase(t *testing.T, name string) database {
	t.Helper()
	fixture, folder := database{name: name}, "fixtures/"+name+"/"
	fixture.config = load[struct {
		Composed bool
		Settings json.RawMessage
	}](t, folder+"config.json")
	fixture.local = load[map[string]json.RawMessage](t, folder+"local_docs.json")
	rows := load[struct {
		Rows []struct{ Doc json.RawMessage }
	}](t, folder+"all_docs.json")
	for _, row := range rows.Rows {
		fixture.raw = append(fixture.raw, row.Doc)
	}
	raw, err := os.ReadFile(cases.Path(t, "livesync/"+folder+"expected.json"))
	if err == nil {
		err = json.Unmarshal(raw, &fixture.want)
	}
	if err != nil {
		t.Fatal(err)
	}
	if fixture.want.Conflicts != nil {
		fixture.branches = load[map[string][]json.RawMessage](t, folder+"open_revs.json")
	}
	var secret struct{ Passphrase format.Passphrase }
	if err := json.Unmarshal(fixture.config.Settings, &secret); err != nil {
		t.Fatal(err)
	}
	fixture.pass = secret.Passphrase
	if name == "e2ee-v1" && !mode.Full() {
		fixture.remove("Long note.md") // each of its chunks has its own key
	}
	return fixture
}

// skipIfShort skips encrypted fixtures with -short: deriving their keys is slow.
func (d database) skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() && d.pass != "" {
		t.Skip("derives keys")
	}
}

// remove removes a file and its chunks.
func (d *database) remove(path string) {
	var removed []string
	for _, raw := range d.raw {
		var file struct {
			ID       string `json:"_id"`
			Path     string
			Children []string
		}
		if json.Unmarshal(raw, &file) == nil && file.Path == path {
			removed = append(file.Children, file.ID)
		}
	}
	d.raw = slices.DeleteFunc(d.raw, func(raw json.RawMessage) bool {
		var document struct {
			ID string `json:"_id"`
		}
		return json.Unmarshal(raw, &document) == nil && slices.Contains(removed, document.ID)
	})
	delete(d.want.Files, path)
}

// remote reads the documents about the database.
func (d database) remote(t *testing.T) format.Remote {
	t.Helper()
	var version []byte
	for _, raw := range d.raw {
		var head struct {
			ID string `json:"_id"`
		}
		if json.Unmarshal(raw, &head) == nil && head.ID == format.VersionID {
			version = raw
		}
	}
	remote, err := format.ParseRemote(version, d.local[format.MilestoneID], d.local[format.SyncParametersID])
	if err != nil {
		t.Fatal(err)
	}
	return remote
}

func (d database) survey() *format.Survey {
	seen := newSurvey()
	for _, raw := range d.raw {
		seen.Add(raw)
	}
	return seen
}

// codec makes a codec with the settings that the database itself shows.
func (d database) codec(t *testing.T) *format.Codec {
	t.Helper()
	remote := d.remote(t)
	codec, err := format.NewCodec(format.Options{
		Settings: format.Configure(remote, d.survey(), d.pass), Passphrase: d.pass, Salt: remote.Salt, DeriveKey: formattest.DeriveKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// vault is a decoded database.
type vault struct {
	codec  *format.Codec
	files  []*format.Meta
	chunks map[string]string
}

func (d database) read(t *testing.T) vault {
	t.Helper()
	read := vault{codec: d.codec(t), chunks: map[string]string{}}
	documents := make([]format.Document, len(d.raw))
	var workers sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := first; i < len(d.raw); i += runtime.GOMAXPROCS(0) {
				var err error
				if documents[i], err = read.codec.Decode(d.raw[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	for _, document := range documents {
		if document.Chunk != nil {
			read.chunks[document.ID] = document.Chunk.Data
		}
		if document.File != nil {
			read.files = append(read.files, document.File)
		}
	}
	return read
}

func (v vault) chunk(id string) (string, error) {
	if data, ok := v.chunks[id]; ok {
		return data, nil
	}
	return "", format.MissingChunk(id)
}

func (v vault) lookup(id string) (string, bool) { data, ok := v.chunks[id]; return data, ok }

func (v vault) content(t *testing.T, file *format.Meta) []byte {
	t.Helper()
	content, err := v.codec.Content(file, v.chunk)
	if err != nil {
		t.Errorf("%s: %v", file.Path, err)
	}
	return content
}
