package livesync_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// harm is damage to the document of a note, or to its chunk.
type harm struct {
	do   func(*testing.T, victim)
	kind livesync.ProblemKind
	says string
}

// victim is the note that is damaged.
type victim struct {
	*couchtest.Database
	raw  *rawVault
	path string
}

// plainHarms are what may be wrong in any database.
var plainHarms = map[string]harm{
	"a chunk is missing":           {withoutChunk, livesync.MissingChunk, "is missing"},
	"a chunk has no data":          {chunkWith("data", nil), livesync.Damaged, "has no data"},
	"a chunk holds a number":       {chunkWith("data", 5), livesync.Damaged, "data"},
	"a chunk grows without bound":  {chunkWith("data", tooLarge()), livesync.Damaged, "chunk"},
	"a chunk is compressed badly":  {chunkWith("data", "\x0eLZ\x1dnonsense"), livesync.Damaged, "chunk"},
	"the size is too small":        {noteWith("size", 1), livesync.WrongSize, "bytes"},
	"the size is too large":        {noteWith("size", 1<<20), livesync.WrongSize, "bytes"},
	"the size is a word":           {noteWith("size", "large"), livesync.Damaged, "size"},
	"the time is an object":        {noteWith("mtime", map[string]any{}), livesync.Damaged, "mtime"},
	"the children are a text":      {noteWith("children", "h:1"), livesync.Damaged, "children"},
	"the children are numbers":     {noteWith("children", []int{1, 2}), livesync.Damaged, "children"},
	"the children name themselves": {childrenOf, livesync.MissingChunk, "is missing"},
	"eden is a text":               {noteWith("eden", "paradise"), livesync.Damaged, "eden"},
	"deleted is a word":            {noteWith("deleted", "perhaps"), livesync.Damaged, "deleted"},
	"the type is a number":         {noteWith("type", 5), livesync.Damaged, "type"},
}

// sealedHarms are what may be wrong where all is encrypted.
var sealedHarms = map[string]harm{
	"a chunk is missing":         {withoutChunk, livesync.MissingChunk, "is missing"},
	"a chunk is cut":             {chunkWith("data", "%=AAAA"), livesync.Damaged, "encrypted"},
	"a chunk is of another key":  {chunkWith("data", foreignText()), livesync.Undecryptable, "passphrase"},
	"a chunk is of another form": {chunkWith("data", "no form at all"), livesync.Damaged, "encrypted"},
}

// TestDamageStaysWhereItIs harms some notes, each in another way. Each of them
// is listed and cannot be read, for a reason that is told; all others can.
func TestDamageStaysWhereItIs(t *testing.T) {
	t.Parallel()
	for sort, harms := range map[string]map[string]harm{"plain": plainHarms, "encrypted and obfuscated": sealedHarms} {
		t.Run(sort, func(t *testing.T) {
			database, options := couchtest.New(t), plainAndSealed()[sort]
			good := manyNotes(20)
			notes := manyNotes(20)
			for name := range harms {
				notes["Harmed/"+name+".md"] = "what " + name + " stands for\n"
			}
			fill(t, database, options, notes)
			raw := readRaw(t, database, options.Passphrase)
			for name, one := range harms {
				one.do(t, victim{database, raw, "Harmed/" + name + ".md"})
			}
			s := open(t, database, options)
			files, broken := scanFound(t, s)
			for path, text := range good {
				if string(files[path].Data) != text {
					t.Errorf("%s, which is good, reads %q", path, files[path].Data)
				}
			}
			if len(files) != len(good) || len(broken) != len(harms) {
				t.Errorf("%d good ones, and %d of %d harmed ones", len(files), len(broken), len(harms))
			}
			for name, one := range harms {
				one.check(t, s, name, broken["Harmed/"+name+".md"])
			}
			checkProblems(t, s, harms)
		})
	}
}

// check wants the reason to be told by whoever meets it.
func (h harm) check(t *testing.T, s *livesync.Store, name string, scanned error) {
	t.Helper()
	path := vpath.Path("Harmed/" + name + ".md")
	_, direct := s.Read(t.Context(), path, 1<<31)
	for how, err := range map[string]error{"scanned": scanned, "read": direct} {
		if err == nil || !strings.Contains(err.Error(), h.says) || fault.KindOf(err) == fault.Internal || fault.KindOf(err) == fault.NotFound {
			t.Errorf("%s, %s: %v: %v", name, how, fault.KindOf(err), err)
		}
	}
	if info, err := s.Stat(t.Context(), path); err != nil || info.Path != path {
		t.Errorf("%s is taken for absent: %v", name, err)
	}
}

// checkProblems wants both reports to name each harmed note, and nothing else.
func checkProblems(t *testing.T, s *livesync.Store, harms map[string]harm) {
	t.Helper()
	verified := map[string]livesync.ProblemKind{}
	sum, err := s.Verify(t.Context(), func(int, int) {}, func(problem livesync.Problem) {
		if _, twice := verified[problem.Path]; twice {
			t.Errorf("Verify tells twice of %s", problem.Path)
		}
		verified[problem.Path] = problem.Kind
	})
	if err != nil || sum.Problems != len(harms) || sum.Files != 20+len(harms) {
		t.Errorf("Verify: %+v, %v", sum, err)
	}
	about, err := s.About(t.Context())
	if err != nil || about.Files != 20+len(harms) {
		t.Errorf("About: %d files, %v", about.Files, err)
	}
	told := map[string]livesync.ProblemKind{}
	for _, problem := range about.Damaged {
		told[problem.Path] = problem.Kind
	}
	for name, one := range harms {
		path := "Harmed/" + name + ".md"
		if verified[path] != one.kind || told[path] != one.kind {
			t.Errorf("%s: Verify says %q, About says %q, want %q", name, verified[path], told[path], one.kind)
		}
	}
}

// TestDocumentsWithoutAPlace makes documents that cannot be served under any
// path. They are reported by their ids, and nothing else is harmed.
func TestDocumentsWithoutAPlace(t *testing.T) {
	t.Parallel()
	document := func(path any) map[string]any {
		return map[string]any{"path": path, "type": "plain", "ctime": 1, "mtime": 1, "size": 0, "children": []string{}, "eden": map[string]any{}}
	}
	for sort, documents := range map[string]map[string]struct {
		document map[string]any
		kind     livesync.ProblemKind
	}{
		"plain": {
			"../x.md":         {document("../x.md"), livesync.BadPath},
			"a/../../x.md":    {document("a/../../x.md"), livesync.BadPath},
			"a\u0001b.md":     {document("a\u0001b.md"), livesync.BadPath},
			"/etc/passwd":     {document("/etc/passwd"), livesync.BadPath},
			"a//b.md":         {document("a//b.md"), livesync.BadPath},
			"number.md":       {document(7), livesync.Damaged},
			"0 another id":    {document("Folder 1/Note 1.md"), livesync.WrongID},
			"zzz another id":  {document("Folder 2/Note 2.md"), livesync.WrongID},
			"no content.md":   {map[string]any{"path": "no content.md", "type": "notes"}, livesync.Damaged},
			"nested/../in.md": {document("nested/../in.md"), livesync.BadPath},
		},
		"encrypted and obfuscated": {
			"f:0123": {document(`/\:%=AAAA`), livesync.Damaged},
			"f:4567": {document(`/\:` + foreignText()), livesync.Undecryptable},
		},
	} {
		t.Run(sort, func(t *testing.T) {
			database, options := couchtest.New(t), plainAndSealed()[sort]
			notes := manyNotes(20)
			fill(t, database, options, notes)
			for id, one := range documents {
				database.Put(t, id, one.document)
			}
			s := open(t, database, options)
			files, broken := scanFound(t, s)
			for path, text := range notes {
				if string(files[path].Data) != text {
					t.Errorf("%s, which is good, reads %q", path, files[path].Data)
				}
			}
			for path := range broken {
				if documents[path].document == nil {
					t.Errorf("%s cannot be read", path)
				}
			}
			verified, told := map[string]livesync.ProblemKind{}, map[string]livesync.ProblemKind{}
			sum, err := s.Verify(t.Context(), func(int, int) {}, func(problem livesync.Problem) { verified[problem.ID] = problem.Kind })
			if err != nil || sum.Problems != len(documents) {
				t.Errorf("Verify: %+v, %v", sum, err)
			}
			about, err := s.About(t.Context())
			if err != nil {
				t.Error(err)
			}
			for _, problem := range about.Damaged {
				told[problem.ID] = problem.Kind
			}
			for id, one := range documents {
				if verified[id] != one.kind || told[id] != one.kind {
					t.Errorf("%q: Verify says %q, About says %q, want %q", id, verified[id], told[id], one.kind)
				}
			}
		})
	}
}

// TestLateChunkHeals writes a note whose chunk comes after it, as devices do
// that lose the network between the two.
func TestLateChunkHeals(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	fill(t, database, livesync.Options{}, map[string]string{"Late.md": "better late than never", "Good.md": "good"})
	raw := readRaw(t, database, "")
	one := victim{database, raw, "Late.md"}
	withoutChunk(t, one)
	s := open(t, database, livesync.Options{})
	if _, broken := scanFound(t, s); len(broken) != 1 {
		t.Fatalf("%v", broken)
	}
	if _, err := s.Read(t.Context(), "Late.md", 1<<20); err == nil {
		t.Fatal("it is read")
	}
	id, leaf := one.chunk(t)
	delete(leaf, "_rev")
	database.Put(t, id, leaf)
	eventually(t, "the note is read", func() bool {
		file, err := s.Read(t.Context(), "Late.md", 1<<20)
		return err == nil && string(file.Data) == "better late than never"
	})
	scanAll(t, s)
	if about, err := s.About(t.Context()); err != nil || len(about.Damaged) > 0 {
		t.Errorf("%v, %v", about.Damaged, err)
	}
	commit(t, s, store.Change{Path: "Late.md", Base: read(t, s, "Late.md").Rev, Data: []byte("as good as new")})
}

// chunk is the first chunk of the note, as it stood in the database.
func (v victim) chunk(t *testing.T) (id string, leaf map[string]any) {
	t.Helper()
	id = v.raw.files[v.path].Children[0]
	if err := json.Unmarshal(v.raw.bodies[id], &leaf); err != nil {
		t.Fatal(err)
	}
	return id, leaf
}

func withoutChunk(t *testing.T, v victim) {
	id, leaf := v.chunk(t)
	status, said := v.Do(t, http.MethodDelete, "/"+url.PathEscape(id)+"?rev="+fmt.Sprint(leaf["_rev"]), nil)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, said)
	}
}

func chunkWith(key string, value any) func(*testing.T, victim) {
	return func(t *testing.T, v victim) {
		id, leaf := v.chunk(t)
		leaf[key] = value
		if value == nil {
			delete(leaf, key)
		}
		v.Put(t, id, leaf)
	}
}

func noteWith(key string, value any) func(*testing.T, victim) {
	return func(t *testing.T, v victim) {
		document := v.raw.document(t, v.path)
		document[key] = value
		v.Put(t, v.raw.files[v.path].ID, document)
	}
}

// childrenOf makes a note its own chunk.
func childrenOf(t *testing.T, v victim) {
	noteWith("children", []string{v.raw.files[v.path].ID})(t, v)
}

// tooLarge is a chunk of 65 MB in a few.
func tooLarge() string {
	var packed bytes.Buffer
	writer, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic(err)
	}
	for megabyte := make([]byte, 1<<20); packed.Len() < 67<<10; {
		_, _ = writer.Write(megabyte)
	}
	_ = writer.Close()
	return "\x0eLZ\x1d" + base64.StdEncoding.EncodeToString(packed.Bytes())
}

// foreignText is a text in the form of encrypted ones that no passphrase opens.
func foreignText() string {
	return "%=" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 12+32+100))
}
