package livesync_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// damage is a kind of damage to the document of a note, or to its chunk.
type damage struct {
	inflict func(*testing.T, damagedNote)
	kind    livesync.ProblemKind
	message string
}

// damagedNote is a note to damage.
type damagedNote struct {
	database *couchtest.Database
	raw      *rawVault
	path     string
}

// plainDamages can occur in any database.
var plainDamages = map[string]damage{
	"a chunk is missing":           {deleteChunk, livesync.MissingChunk, "is missing"},
	"a chunk has no data":          {setInChunk("data", nil), livesync.Damaged, "has no data"},
	"a chunk holds a number":       {setInChunk("data", 5), livesync.Damaged, "data"},
	"a chunk grows without bound":  {setInChunk("data", tooLarge()), livesync.Damaged, "chunk"},
	"a chunk is compressed badly":  {setInChunk("data", "\x0eLZ\x1dnonsense"), livesync.Damaged, "chunk"},
	"the size is too small":        {setInNote("size", 1), livesync.WrongSize, "bytes"},
	"the size is too large":        {setInNote("size", 1<<20), livesync.WrongSize, "bytes"},
	"the size is a word":           {setInNote("size", "large"), livesync.Damaged, "size"},
	"the time is an object":        {setInNote("mtime", map[string]any{}), livesync.Damaged, "mtime"},
	"the children are a text":      {setInNote("children", "h:1"), livesync.Damaged, "children"},
	"the children are numbers":     {setInNote("children", []int{1, 2}), livesync.Damaged, "children"},
	"the children name themselves": {makeItsOwnChunk, livesync.MissingChunk, "is missing"},
	"eden is a text":               {setInNote("eden", "paradise"), livesync.Damaged, "eden"},
	"deleted is a word":            {setInNote("deleted", "perhaps"), livesync.Damaged, "deleted"},
	"the type is a number":         {setInNote("type", 5), livesync.Damaged, "type"},
}

// sealedDamages can occur in an encrypted database.
var sealedDamages = map[string]damage{
	"a chunk is missing":         {deleteChunk, livesync.MissingChunk, "is missing"},
	"a chunk is cut":             {setInChunk("data", "%=AAAA"), livesync.Damaged, "encrypted"},
	"a chunk is of another key":  {setInChunk("data", foreignText()), livesync.Undecryptable, "passphrase"},
	"a chunk is of another form": {setInChunk("data", "no form at all"), livesync.Damaged, "encrypted"},
}

// TestDamageAffectsOneNote damages some notes, each in another way. Each of them is listed, reading it fails with the
// reason, and all other notes can be read.
func TestDamageAffectsOneNote(t *testing.T) {
	t.Parallel()
	for sort, damages := range map[string]map[string]damage{"plain": plainDamages, "encrypted and obfuscated": sealedDamages} {
		t.Run(sort, func(t *testing.T) {
			database, options := couchtest.New(t), plainAndSealed()[sort]
			good := manyNotes(20)
			notes := manyNotes(20)
			for name := range damages {
				notes["Damaged/"+name+".md"] = "a note for the case " + name + "\n"
			}
			fill(t, database, options, notes)
			raw := readRaw(t, database, options.Passphrase)
			for name, damage := range damages {
				damage.inflict(t, damagedNote{database, raw, "Damaged/" + name + ".md"})
			}
			s := open(t, database, options)
			files, broken := scanFound(t, s)
			for path, text := range good {
				if string(files[path].Data) != text {
					t.Errorf("the undamaged %s is %q", path, files[path].Data)
				}
			}
			if len(files) != len(good) || len(broken) != len(damages) {
				t.Errorf("%d readable and %d unreadable files, want %d and %d", len(files), len(broken), len(good), len(damages))
			}
			for name, damage := range damages {
				damage.check(t, s, name, broken["Damaged/"+name+".md"])
			}
			checkProblems(t, s, damages)
		})
	}
}

// check expects every way of reading to return the reason.
func (h damage) check(t *testing.T, s *livesync.Store, name string, scanned error) {
	t.Helper()
	path := vpath.Path("Damaged/" + name + ".md")
	_, direct := s.Read(t.Context(), path, 1<<31)
	for how, err := range map[string]error{"scanned": scanned, "read": direct} {
		if err == nil || !strings.Contains(err.Error(), h.message) || fault.KindOf(err) == fault.Internal || fault.KindOf(err) == fault.NotFound {
			t.Errorf("%s, %s: %v: %v", name, how, fault.KindOf(err), err)
		}
	}
	if info, err := s.Stat(t.Context(), path); err != nil || info.Path != path {
		t.Errorf("%s: Stat does not find the note: %v", name, err)
	}
}

// checkProblems expects both reports to name each damaged note, and nothing else.
func checkProblems(t *testing.T, s *livesync.Store, damages map[string]damage) {
	t.Helper()
	verified := map[string]livesync.ProblemKind{}
	sum, err := s.Verify(t.Context(), func(int, int) {}, func(problem livesync.Problem) {
		if _, twice := verified[problem.Path]; twice {
			t.Errorf("Verify reports %s twice", problem.Path)
		}
		verified[problem.Path] = problem.Kind
	})
	if err != nil || sum.Problems != len(damages) || sum.Files != 20+len(damages) {
		t.Errorf("Verify: %+v, %v", sum, err)
	}
	about, err := s.About(t.Context())
	if err != nil || about.Files != 20+len(damages) {
		t.Errorf("About: %d files, %v", about.Files, err)
	}
	reported := map[string]livesync.ProblemKind{}
	for _, problem := range about.Damaged {
		reported[problem.Path] = problem.Kind
	}
	for name, damage := range damages {
		path := "Damaged/" + name + ".md"
		if verified[path] != damage.kind || reported[path] != damage.kind {
			t.Errorf("%s: Verify reports %q, About reports %q, want %q", name, verified[path], reported[path], damage.kind)
		}
	}
}

// TestDocumentsWithoutAUsablePath writes documents that cannot be served under any path. They are reported by id, and
// nothing else is affected.
func TestDocumentsWithoutAUsablePath(t *testing.T) {
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
			for id, c := range documents {
				database.Put(t, id, c.document)
			}
			s := open(t, database, options)
			files, broken := scanFound(t, s)
			for path, text := range notes {
				if string(files[path].Data) != text {
					t.Errorf("the undamaged %s is %q", path, files[path].Data)
				}
			}
			for path := range broken {
				if documents[path].document == nil {
					t.Errorf("%s cannot be read", path)
				}
			}
			verified, reported := map[string]livesync.ProblemKind{}, map[string]livesync.ProblemKind{}
			sum, err := s.Verify(t.Context(), func(int, int) {}, func(problem livesync.Problem) { verified[problem.ID] = problem.Kind })
			if err != nil || sum.Problems != len(documents) {
				t.Errorf("Verify: %+v, %v", sum, err)
			}
			about, err := s.About(t.Context())
			if err != nil {
				t.Error(err)
			}
			for _, problem := range about.Damaged {
				reported[problem.ID] = problem.Kind
			}
			for id, c := range documents {
				if verified[id] != c.kind || reported[id] != c.kind {
					t.Errorf("%q: Verify reports %q, About reports %q, want %q", id, verified[id], reported[id], c.kind)
				}
			}
		})
	}
}

// TestNoteIsReadableWhenItsChunkArrives writes the chunk of a note after the note, as a device does that lost its network
// in between.
func TestNoteIsReadableWhenItsChunkArrives(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	fill(t, database, livesync.Options{}, map[string]string{"Late.md": "better late than never", "Good.md": "good"})
	raw := readRaw(t, database, "")
	late := damagedNote{database, raw, "Late.md"}
	deleteChunk(t, late)
	s := open(t, database, livesync.Options{})
	if _, broken := scanFound(t, s); len(broken) != 1 {
		t.Fatalf("%v", broken)
	}
	if _, err := s.Read(t.Context(), "Late.md", 1<<20); err == nil {
		t.Fatal("a note without its chunk is read")
	}
	id, leaf := late.chunk(t)
	delete(leaf, "_rev")
	database.Put(t, id, leaf)
	eventually(t, "the note is readable", func() bool {
		file, err := s.Read(t.Context(), "Late.md", 1<<20)
		return err == nil && string(file.Data) == "better late than never"
	})
	scanAll(t, s)
	if about, err := s.About(t.Context()); err != nil || len(about.Damaged) > 0 {
		t.Errorf("%v, %v", about.Damaged, err)
	}
	commit(t, s, store.Change{Path: "Late.md", Base: read(t, s, "Late.md").Rev, Data: []byte("as good as new")})
}

// chunk returns the first chunk of the note, as it was in the database.
func (v damagedNote) chunk(t *testing.T) (id string, leaf map[string]any) {
	t.Helper()
	id = v.raw.files[v.path].Children[0]
	if err := json.Unmarshal(v.raw.bodies[id], &leaf); err != nil {
		t.Fatal(err)
	}
	return id, leaf
}

func deleteChunk(t *testing.T, v damagedNote) {
	id, leaf := v.chunk(t)
	status, response := v.database.Do(t, http.MethodDelete, "/"+couchtest.Escape(id)+"?rev="+fmt.Sprint(leaf["_rev"]), nil)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, response)
	}
}

func setInChunk(key string, value any) func(*testing.T, damagedNote) {
	return func(t *testing.T, v damagedNote) {
		id, leaf := v.chunk(t)
		leaf[key] = value
		if value == nil {
			delete(leaf, key)
		}
		v.database.Put(t, id, leaf)
	}
}

func setInNote(key string, value any) func(*testing.T, damagedNote) {
	return func(t *testing.T, v damagedNote) {
		document := v.raw.document(t, v.path)
		document[key] = value
		v.database.Put(t, v.raw.files[v.path].ID, document)
	}
}

// makeItsOwnChunk makes a note name itself as its chunk.
func makeItsOwnChunk(t *testing.T, v damagedNote) {
	setInNote("children", []string{v.raw.files[v.path].ID})(t, v)
}

// tooLarge returns a small chunk that expands to 65 MB.
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

// foreignText has the form of an encrypted text, but no passphrase decrypts it.
func foreignText() string {
	return "%=" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 12+32+100))
}
