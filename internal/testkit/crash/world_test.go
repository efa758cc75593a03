package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files maps the paths of a vault to contents.
type files map[string]string

// world is a vault on the disk, with the program's own folders beside it, and a record of what must be in it.
type world struct {
	t      *testing.T
	dir    string
	random *rand.Rand

	now   files    // what must be there
	trash []string // contents that must be in the trash
	past  []change // the newest changes, the latest last
	hub   string   // the name of the note that all others link to
	named int      // how many names have been generated
}

func (w *world) vault() string { return filepath.Join(w.dir, "vault") }
func (w *world) state() string { return filepath.Join(w.dir, "state") }

// newWorld writes a vault whose hub has that number of backlinks, below an empty folder.
func newWorld(t *testing.T, dir string, backlinks int, seed uint64) *world {
	t.Helper()
	w := &world{t: t, dir: dir, hub: "Hub", random: rand.New(rand.NewPCG(seed, uint64(backlinks)))}
	w.now = linkers(w.hub, backlinks)
	for n := range 3 {
		w.now[fmt.Sprintf("Work/Long %d.md", n)] = longNote(0)
	}
	for n := range spare {
		w.now[fmt.Sprintf("Old/Note %d.md", n)] = fmt.Sprintf("A note that nobody needs, number %d.\n", n)
	}
	for n := range 2 {
		w.now[fmt.Sprintf("Journal/Entry %d.md", n)] = fmt.Sprintf("Day %d: [[Entry %d]]\n", n, 1-n)
	}
	w.put(w.now)
	return w
}

// put writes files of the vault.
func (w *world) put(all files) {
	w.t.Helper()
	for path, content := range all {
		name := filepath.Join(w.vault(), filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

// spare is how many notes exist only to be deleted.
const spare = 60

// linkers are the hub and files that link to it, in every way that a file can. Their content depends only on the hub's
// name, so that a half-done rename shows.
func linkers(hub string, backlinks int) files {
	made := files{
		hub + ".md":                "# The hub\n\n## Part\n\nSee [[" + hub + "#Part]].\n",
		".obsidian/bookmarks.json": `{"items":[{"type":"file","ctime":1,"path":"` + hub + `.md","title":"x"}]}`,
	}
	folders := []string{"", "Projects/", "Projects/Deep/", "Journal/", "Ärger/"}
	for n := range backlinks {
		shape := shapes[n%len(shapes)]
		path := fmt.Sprintf("%sLinker %04d%s", folders[n/len(shapes)%len(folders)], n, shape.ext)
		made[path] = strings.ReplaceAll(shape.text, "HUB", hub)
	}
	return made
}

var shapes = []struct{ ext, text string }{
	{".md", "A line with [[HUB]] in it.\n\nAnd another one: [[HUB|the hub]].\n"},
	{".md", "---\nrelated: \"[[HUB]]\"\nlist:\n  - \"[[HUB#Part]]\"\n---\n\nIts body names [[HUB]] too.\n"},
	{".canvas", `{"nodes":[{"id":"1","type":"file","file":"HUB.md","x":0,"y":0,"width":1,"height":1},{"id":"2","type":"text","text":"[[HUB]]","x":0,"y":0,"width":1,"height":1}],"edges":[]}`},
	{".md", "> A quote with an embed: ![[HUB#Part]]\r\n\r\n- and a list [[HUB#Part|alias]]\r\n"},
	{".md", "No line end after [[HUB]]"},
}

// longNote is a note of several pages. Every line says which generation it belongs to.
func longNote(generation int) string {
	return strings.Repeat(fmt.Sprintf("This line is of %s, as all others are.\n", mark(generation)), 400)
}

func mark(generation int) string { return fmt.Sprintf("generation %d;", generation) }

// name returns a name that was never used.
func (w *world) name(of string) string {
	w.named++
	return fmt.Sprintf("%s-%d", of, w.named)
}

// change is one call that changes the vault.
type change struct {
	tool      string
	arguments map[string]any
	before    files
	after     files
	discards  []string // contents that it moves to the trash
	hubBefore string   // the hub's name
	hubAfter  string
	id        string // its ID in the history, from the answer; "": unknown
}

// change describes a call by the files that it writes and removes.
func (w *world) change(tool string, arguments map[string]any, put files, take ...string) change {
	after := maps.Clone(w.now)
	for _, path := range take {
		delete(after, path)
	}
	maps.Copy(after, put)
	return w.changeTo(tool, arguments, after)
}

// changeTo describes a call by the vault after it. If files disappear and none appear, they are in the trash; otherwise
// they have moved.
func (w *world) changeTo(tool string, arguments map[string]any, after files) change {
	made := change{tool: tool, arguments: arguments, before: w.now, after: after, hubBefore: w.hub, hubAfter: w.hub}
	came := false
	for path := range after {
		if _, old := w.now[path]; !old {
			came = true
		}
	}
	for path, content := range w.now {
		if _, stays := after[path]; !stays && !came {
			made.discards = append(made.discards, content)
		}
	}
	return made
}

// made records that a change was made.
func (w *world) made(c change) {
	w.now, w.hub = c.after, c.hubAfter
	w.trash = append(w.trash, c.discards...)
	w.past = append(w.past, c)
	if len(w.past) > 4*newest {
		w.past = slices.Clone(w.past[2*newest:]) // older changes are not checked
	}
}
