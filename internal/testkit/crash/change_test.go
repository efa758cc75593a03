package crash

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strings"
)

// asker calls a tool that only reads.
type asker func(tool string, arguments map[string]any) (json.RawMessage, error)

// kind is a kind of change. Its function next describes such a change for the current state of a world.
type kind struct {
	name  string
	next  func(*world, asker) (change, error)
	after func(*world) change // a change to make before the first of this kind
}

// kinds are the changes that are interrupted.
func kinds() []kind {
	simply := func(next func(*world) change) func(*world, asker) (change, error) {
		return func(w *world, _ asker) (change, error) { return next(w), nil }
	}
	return []kind{
		{name: "create", next: simply((*world).create), after: (*world).edit},
		{name: "edit", next: simply((*world).edit), after: (*world).edit},
		{name: "delete", next: simply((*world).delete), after: (*world).edit},
		{name: "rename", next: simply((*world).rename), after: (*world).edit},
		{name: "edit many", next: simply((*world).editMany), after: (*world).edit},
		{name: "move folder", next: simply((*world).moveFolder), after: (*world).edit},
		{name: "undo", next: (*world).undo, after: (*world).rename},
		{name: "restore", next: (*world).restore, after: (*world).edit},
		{name: "first", next: simply((*world).create)},
	}
}

// life is how many crashes a world goes through before it is replaced. The very first change, which makes the program's
// own folders, can happen only once in a world.
func (k kind) life() int {
	if k.after == nil {
		return 1
	}
	return 40
}

// create creates a note in a new folder.
func (w *world) create() change {
	folder := w.name("New")
	content := longNote(1)
	return w.change("create_note", map[string]any{"name": folder + "/Note", "content": content}, files{folder + "/Note.md": content})
}

// edit changes every line of a long note.
func (w *world) edit() change {
	path := w.anyPath(func(path string) bool { return strings.HasPrefix(path, "Work/") })
	old := w.now[path]
	generation := w.generationOf(old)
	arguments := map[string]any{"name": path, "old_text": mark(generation), "new_text": mark(generation + 1), "replace_all": true}
	return w.change("replace_text", arguments, files{path: longNote(generation + 1)})
}

// editMany changes every line of all long notes.
func (w *world) editMany() change {
	newest := 0
	after := maps.Clone(w.now)
	for path, content := range w.now {
		if strings.HasPrefix(path, "Work/") {
			newest = max(newest, w.generationOf(content))
		}
	}
	for path := range w.now {
		if strings.HasPrefix(path, "Work/") {
			after[path] = longNote(newest + 1)
		}
	}
	replace := map[string]any{"op": "replace_text", "old": "generation [0-9]+;", "new": mark(newest + 1), "regex": true}
	return w.changeTo("edit_notes", map[string]any{"where": map[string]any{"path_prefix": "Work/"}, "ops": []any{replace}}, after)
}

// moveFolder renames a folder with notes and canvases.
func (w *world) moveFolder() change {
	old := w.anyPath(func(path string) bool { return strings.HasPrefix(path, "Journal") })
	from, to := path.Dir(old)+"/", w.name("Journal")+"/"
	after := files{}
	for path, content := range w.now {
		if below, ok := strings.CutPrefix(path, from); ok {
			path = to + below
		}
		after[path] = content
	}
	return w.changeTo("rename_in_vault", map[string]any{"kind": "folder", "from": from, "to": to}, after)
}

func (w *world) generationOf(content string) int {
	for generation := 0; ; generation++ {
		if strings.Contains(content, mark(generation)) {
			return generation
		}
	}
}

// delete deletes a note that nothing links to. If none is left, it creates one instead.
func (w *world) delete() change {
	path := w.anyPath(func(path string) bool { return strings.HasPrefix(path, "New-") || strings.HasPrefix(path, "Old/") })
	if path == "" {
		return w.create()
	}
	return w.change("delete_note", map[string]any{"name": path}, nil, path)
}

// rename renames the hub, which changes all files that mention it.
func (w *world) rename() change {
	to := w.name("Hub")
	after := files{}
	for path, content := range w.now {
		switch {
		case path == w.hub+".md":
			after[to+".md"] = renamed(content, w.hub, to)
		case strings.Contains(path, "Linker ") || path == ".obsidian/bookmarks.json":
			after[path] = renamed(content, w.hub, to)
		default:
			after[path] = content
		}
	}
	made := w.changeTo("rename_note", map[string]any{"old_name": w.hub, "new_name": to}, after)
	made.hubAfter = to
	return made
}

// undo undoes the last change. If there is none, it makes one instead.
func (w *world) undo(ask asker) (change, error) {
	if len(w.past) == 0 {
		return w.rename(), nil
	}
	last := w.past[len(w.past)-1]
	id, err := w.lastID(ask)
	made := w.changeTo("undo_change", map[string]any{"id": id}, last.before)
	made.hubAfter = last.hubBefore
	return made, err
}

// restore restores the note that the last change edited or deleted. If the last change was of another kind, it makes such
// a change instead.
func (w *world) restore(ask asker) (change, error) {
	if len(w.past) == 0 {
		return w.edit(), nil
	}
	last := w.past[len(w.past)-1]
	name, _ := last.arguments["name"].(string)
	if _, was := last.before[name]; !was {
		return w.edit(), nil
	}
	id, err := w.lastID(ask)
	return w.changeTo("restore_note", map[string]any{"name": name, "change_id": id}, last.before), err
}

// lastID is the ID of the newest change in the history.
func (w *world) lastID(ask asker) (string, error) {
	listed, err := w.history(ask, 1)
	if err != nil || len(listed) == 0 {
		return "", fmt.Errorf("the history has no change: %w", err)
	}
	return listed[0].ID, nil
}

// renamed replaces the hub's name where a link or a path ends with it.
func renamed(content, from, to string) string {
	for _, end := range []string{"]]", "|", "#", ".md"} {
		content = strings.ReplaceAll(content, from+end, to+end)
	}
	return content
}

// anyPath picks one of the files that fit; empty if there are none.
func (w *world) anyPath(fits func(path string) bool) string {
	fitting := []string{}
	for path := range w.now {
		if fits(path) {
			fitting = append(fitting, path)
		}
	}
	if len(fitting) == 0 {
		return ""
	}
	return fitting[w.random.IntN(len(fitting))]
}
