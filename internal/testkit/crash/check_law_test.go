package crash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckNoticesDamage checks the check itself: a program without bugs would never show that it notices damage.
func TestCheckNoticesDamage(t *testing.T) {
	linker := "Linker 0000.md"
	for _, c := range []struct {
		name   string
		damage func(w *world, under change)
		want   string // part of the error; "": no error
		made   bool
	}{
		{name: "nothing made", damage: func(*world, change) {}},
		{name: "all made", damage: func(w *world, under change) { w.put(under.after); w.remove("vault/Hub.md") }, made: true},
		{name: "half a rename", damage: func(w *world, under change) { w.put(files{linker: under.after[linker]}) }, want: linker + " holds"},
		{name: "both names", damage: func(w *world, under change) { w.put(under.after) }, want: "Hub.md should not be there"},
		{name: "no name", damage: func(w *world, under change) { w.remove("vault/Hub.md") }, want: "Hub.md is missing"},
		{name: "torn", damage: func(w *world, _ change) { w.put(files{"Work/Long 0.md": longNote(0)[:4096]}) }, want: "Work/Long 0.md holds 4096"},
		{name: "two generations", damage: func(w *world, _ change) {
			w.put(files{"Work/Long 0.md": longNote(1)[:100] + longNote(0)[100:]})
		}, want: "Work/Long 0.md holds"},
		{name: "empty", damage: func(w *world, _ change) { w.put(files{"Work/Long 0.md": ""}) }, want: "Work/Long 0.md holds 0"},
		{name: "a copy in the trash", damage: func(w *world, _ change) { w.put(files{".trash/Hub.md": "x"}) }, want: "the trash holds 1"},
		{name: "a temporary file", damage: func(w *world, _ change) { w.put(files{"Work/.obsidian-mcp-1.tmp": ""}) }, want: "left behind"},
		{name: "a journal", damage: func(w *world, _ change) { w.put(files{"../state/v/journal/1": ""}) }, want: "left behind"},
		{name: "a version put aside", damage: func(w *world, _ change) { w.put(files{"../state/v/conflicts/1/Hub.md": ""}) }, want: "left behind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, t.TempDir(), 5, 1)
			under := w.rename()
			c.damage(w, under)
			made, err := w.settle(&under)
			if made != c.made || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("made %v, %v; want %v and an error with %q", made, err, c.made, c.want)
			}
		})
	}
}

// TestCheckNoticesMissingTrash checks that a deleted note must be in the trash.
func TestCheckNoticesMissingTrash(t *testing.T) {
	w := newWorld(t, t.TempDir(), 0, 1)
	under := w.delete()
	path := under.arguments["name"].(string)
	w.remove("vault/" + path)
	if made, err := w.settle(&under); err == nil {
		t.Errorf("made %v: a note is gone, but not in the trash", made)
	}
	w.put(files{".trash/" + path: under.discards[0]})
	if made, err := w.settle(&under); err != nil || !made {
		t.Errorf("made %v, %v: a note is in the trash", made, err)
	}
}

// remove removes a file below the world's folder.
func (w *world) remove(path string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.dir, filepath.FromSlash(path))); err != nil {
		w.t.Fatal(err)
	}
}
