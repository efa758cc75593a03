package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/vault"
)

// folder moves all files of a folder that the caller sees.
func (r *renaming) folder(ctx context.Context) error {
	if !strings.HasSuffix(r.in.From, "/") || !strings.HasSuffix(r.in.To, "/") {
		return fault.InvalidArgument.Errorf("a folder must end in /").WithHint("rename_note moves a single note")
	}
	if r.in.Settings && r.plan.vault.Limited() {
		return fault.PermissionDenied.Errorf("you may not change settings").WithHint("leave out settings=true")
	}
	from, err := r.oldFolder()
	if err == nil && from == "" {
		err = fault.InvalidArgument.Errorf("the vault's root cannot be renamed")
	}
	if err != nil {
		return err
	}
	to, err := r.newFolder(from)
	r.in.From, r.in.To = string(from)+"/", string(to)+"/" // as the vault spells them
	if err != nil || to == from {
		return err
	}
	moves := map[vpath.Path]vpath.Path{}
	for path := range r.s.Files {
		if path.In(from) {
			moves[path] = to.Join(path[len(from)+1:])
		}
	}
	if len(moves) == 0 {
		return fault.NotFound.Errorf("no files are in the folder '%s'", r.in.From)
	}
	if err := r.checkMoves(moves); err != nil {
		return err
	}
	move := newMove(r.plan, moves, r.ops.vault.Settings(ctx).Links.Format)
	if err := r.plan.relink(ctx, move, r.in.DryRun); err != nil {
		return err
	}
	if r.plan.vault.Limited() {
		r.plan.moveBookmarks(ctx, move)
	} else {
		r.moveSettings(ctx, from, to)
	}
	if err := r.moveFiles(ctx, move); err != nil {
		return err
	}
	r.say("%s %s from '%s' to '%s'.", amount.Of(len(moves), "file"), r.did("moved", "would move"), r.in.From, r.in.To)
	r.plan.changes = append(r.plan.changes, leftFolders(r.s, from)...)
	return r.mentionQueries(ctx, string(from), ":\"'")
}

// oldFolder finds the folder. Two folders may differ in letter case alone.
func (r *renaming) oldFolder() (vpath.Path, error) {
	exact := vpath.Path(strings.Trim(r.in.From, "/"))
	for path := range r.s.Files {
		if exact != "" && path.In(exact) {
			return exact, nil
		}
	}
	return findFolder(r.s, string(exact))
}

// newFolder returns the path of the renamed folder.
func (r *renaming) newFolder(from vpath.Path) (vpath.Path, error) {
	name := strings.Trim(r.in.To, "/")
	if name == "" {
		return "", fault.InvalidArgument.Errorf("a folder cannot become the vault's root").WithHint("rename_note moves single notes there")
	}
	to, err := vpath.Parse(name)
	if err == nil {
		err = checkFolder(r.s, to)
	}
	if err != nil {
		return "", err
	}
	if to.Key() == from.Key() && to.Dir() == from.Dir() {
		return to, to.PortableBelow(to.Dir()) // another spelling of its own name
	}
	if _, isBelow := to.Below(from); isBelow {
		return "", fault.InvalidArgument.Errorf("'%s' is inside '%s'", r.in.To, r.in.From)
	}
	inside, err := portablePath(r.s, to.Join("note.md"))
	return inside.Dir(), err
}

// checkFolder refuses a folder whose name, or that of one above it, is a file's.
func checkFolder(s *index.Snapshot, folder vpath.Path) error {
	for ; folder != ""; folder = folder.Dir() {
		if file, exists := s.Paths.Find(folder); exists {
			return fault.InvalidArgument.Errorf("'%s' is a file, not a folder", file)
		}
	}
	return nil
}

// checkMoves refuses moves of files that may not be moved, or to paths that are taken.
func (r *renaming) checkMoves(moves map[vpath.Path]vpath.Path) error {
	var taken []string
	for _, path := range slices.Sorted(maps.Keys(moves)) {
		to := moves[path]
		if err := cmp.Or(r.ops.mayWrite(path, string(path)), r.ops.tags.checkMove(r.s, path), r.ops.mayWrite(to, string(to))); err != nil {
			return err
		}
		if existing, exists := r.s.Paths.Find(to); exists && existing != path {
			taken = append(taken, string(existing))
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return fault.AlreadyExists.Errorf("%s would be overwritten: %s", amount.Of(len(taken), "file"), amount.Few(taken, shownCollisions)).
		WithHint("choose another folder, or rename these first")
}

// shownCollisions is how many files an error lists.
const shownCollisions = 20

// moveFiles plans the moves themselves, by path.
func (r *renaming) moveFiles(ctx context.Context, move *move) error {
	paths := slices.Sorted(maps.Keys(move.to))
	var size int64
	for batch := range slices.Chunk(paths, readBatch) {
		for i, read := range r.plan.vault.ReadMany(ctx, batch, vault.MaxFile) {
			if read.Err != nil {
				return read.Err
			}
			if err := vault.CheckResolved(read.Info); err != nil {
				return err
			}
			if size += int64(len(read.Data)); size > vault.MaxFile {
				return fault.InvalidArgument.Errorf("the folder has more than %d MB, which is more than one change can move", vault.MaxFile>>20).
					WithHint("rename its subfolders one by one")
			}
			if r.plan.move(move, read.File) > 0 {
				r.plan.files = append(r.plan.files, string(move.to[batch[i]].WithoutExt()))
			} else {
				r.moved++
			}
		}
	}
	return nil
}

// leftFolders are the changes that remove a folder and those below it, the deepest first, where they are left empty.
func leftFolders(s *index.Snapshot, folder vpath.Path) []store.Change {
	folders := []vpath.Path{folder}
	for other := range s.Folders {
		if other.In(folder) {
			folders = append(folders, other)
		}
	}
	slices.Sort(folders)
	changes := make([]store.Change, 0, len(folders))
	for _, left := range slices.Backward(folders) {
		changes = append(changes, store.Change{Op: store.RemoveFolder, Path: left})
	}
	return changes
}

// moveSettings lets bookmarks follow. Other settings that point into the folder are mentioned, or follow too if the
// caller wants that.
func (r *renaming) moveSettings(ctx context.Context, from, to vpath.Path) {
	moved := func(path string) (string, bool) {
		clean := strings.Trim(path, "/")
		if vpath.Path(clean) != from && !vpath.Path(clean).In(from) {
			return "", false
		}
		return strings.Replace(path, string(from), string(to), 1), true
	}
	r.plan.editConfig(ctx, "bookmarks.json", func(src []byte) []md.Splice {
		return edit.MovePaths(src, func(key, path string) (string, bool) {
			renamed, ok := moved(path)
			return renamed, ok && key == "path"
		})
	})
	for _, name := range r.settingsFiles(ctx) {
		points := func(src []byte) []md.Splice {
			return edit.MovePaths(src, func(key, path string) (string, bool) {
				renamed, ok := moved(path)
				isPattern := strings.HasPrefix(path, "/") && strings.Contains(strings.ToLower(key), "filter")
				return renamed, ok && isPathKey(key) && !isPattern
			})
		}
		if r.in.Settings {
			if r.plan.editConfig(ctx, name, points) {
				r.settings = append(r.settings, name)
			}
			continue
		}
		if file, err := r.plan.vault.Config(ctx, name); err == nil && len(points(file.Data)) > 0 {
			r.mentioned[vpath.Path(".obsidian/"+name)] = true
			r.settings = append(r.settings, name)
		}
	}
	if len(r.settings) == 0 {
		return
	}
	if r.in.Settings {
		r.say("These settings point into the folder and %s: %s.", r.did("were changed", "would change"), strings.Join(r.settings, ", "))
	} else {
		r.say("These settings point into the folder: %s. Use settings=true to change them too.", strings.Join(r.settings, ", "))
	}
}

// isPathKey reports whether the values of a setting are paths, going by its name.
func isPathKey(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc([]string{"folder", "template", "path", "ignorefilters"}, func(part string) bool {
		return strings.Contains(key, part)
	})
}

// settingsFiles lists the files of settings that may name folders: those of Obsidian itself and of the plugins in use.
func (r *renaming) settingsFiles(ctx context.Context) []string {
	files := []string{"app.json", "daily-notes.json", "templates.json", "zk-prefixer.json"}
	var plugins []string
	if list, err := r.plan.vault.Config(ctx, "community-plugins.json"); err == nil {
		_ = json.Unmarshal(list.Data, &plugins) // a damaged list names none
	}
	for _, plugin := range plugins {
		if name := vpath.Path(plugin); plugin != "" && name.Base() == plugin && !strings.HasPrefix(plugin, ".") {
			files = append(files, "plugins/"+plugin+"/data.json")
		}
	}
	return files
}
