package vault

import (
	"context"
	"errors"
	"maps"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// emit turns the state that the undo leads to into changes of the vault: each file is
// changed once at most, whatever the undone changes did to it in between.
func (u *Undo) emit(ctx context.Context) error {
	carried, left := map[vpath.Path]bool{}, map[vpath.Path]bool{}
	removed := u.removed()
	for _, path := range u.state.order {
		file := u.state.files[path]
		if !file.exists() {
			continue
		}
		carried[file.origin] = true
		change, err := u.changeTo(ctx, path, file, removed[path.Key()])
		if err == nil && change != nil && !u.state.current[path].exists {
			err = u.checkFree(path, file.origin)
		}
		switch {
		case err != nil:
			if err := u.prevented(path, file.change, err); err != nil {
				return err
			}
		case change != nil:
			left[change.Path] = change.Op == store.Move
			u.changes = append(u.changes, *change)
			u.report(&u.Files, path)
		}
	}
	for _, path := range u.state.order {
		now := u.state.current[path]
		if u.state.files[path].exists() || !now.exists || left[path] {
			continue
		}
		u.changes = append(u.changes, store.Change{Op: store.Trash, Path: path, Base: now.Rev, Was: now.Data})
		if !carried[path] {
			u.report(&u.Removed, path)
		}
	}
	u.emitConfigs(ctx)
	return nil
}

// report adds an open file to a list.
func (u *Undo) report(list *[]vpath.Path, path vpath.Path) {
	if u.view.scope.Open(path) {
		*list = append(*list, path)
	}
}

// changeTo returns the change that makes a file what it will be; nil if it is that already.
// A file is moved if its new path is free and nothing takes its old one; stores refuse
// other moves, so these files are written instead.
//
// The twin is a file that the undo removes and whose path differs in letter case alone, or "". Where both are the same
// file, it cannot be removed and restored at once, so it is renamed.
func (u *Undo) changeTo(ctx context.Context, path vpath.Path, file plannedFile, twin vpath.Path) (*store.Change, error) {
	now, origin := u.state.current[path], u.state.current[file.origin]
	change := &store.Change{Path: path, Base: now.Rev, Was: now.Data}
	switch {
	case now.exists && now.hash == file.hash:
		return nil, nil
	case !now.exists && twin != "":
		change = &store.Change{Op: store.Move, Path: twin, To: path, Base: u.state.current[twin].Rev, Was: u.state.current[twin].Data}
	case !now.exists && origin.exists && !u.state.files[file.origin].exists():
		change = &store.Change{Op: store.Move, Path: file.origin, To: path, Base: origin.Rev, Was: origin.Data}
		if origin.hash == file.hash {
			return change, nil
		}
	}
	data, err := file.load(ctx)
	change.Data = notNil(data)
	return change, err
}

// removed maps keys to the files that the undo removes and does not move elsewhere.
func (u *Undo) removed() map[vpath.Key]vpath.Path {
	moved := map[vpath.Path]bool{}
	for _, file := range u.state.files {
		if file.exists() {
			moved[file.origin] = true
		}
	}
	gone := map[vpath.Key]vpath.Path{}
	for _, path := range u.state.order {
		if u.state.current[path].exists && !u.state.files[path].exists() && !moved[path] {
			gone[path.Key()] = path
		}
	}
	return gone
}

// prevented handles an error of restoring a file: what the caller can do something about is a conflict, and nothing is
// said about a closed file, which stays as it is.
func (u *Undo) prevented(path vpath.Path, change string, err error) error {
	switch {
	case !u.view.scope.Open(path):
		u.view.vault.log.Warn("an undo leaves a closed file as it is", "error", err.Error())
		return nil
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.AlreadyExists):
		u.Conflicts = append(u.Conflicts, UndoConflict{Change: change, Path: path, Reason: err.Error(), Err: err})
		return nil
	}
	return err
}

// checkFree checks that no file has another spelling of the path of a restored
// file: devices that take both for the same would lose one of them.
func (u *Undo) checkFree(path, origin vpath.Path) error {
	now := u.view.vault.Readable()
	if now == nil {
		return nil
	}
	found, taken := now.Paths.Find(path)
	if !taken || found == path || found == origin {
		return nil
	}
	if exists, planned := u.Planned(found); planned && !exists {
		return nil
	}
	return fault.AlreadyExists.Errorf("'%s' exists now, and some systems take it for '%s'", found, path).
		WithHint("rename it and try again")
}

// emitConfigs adds the changes of Obsidian's settings. A file of settings that cannot be restored stays as it is.
func (u *Undo) emitConfigs(ctx context.Context) {
	for _, name := range slices.Sorted(maps.Keys(u.state.configs)) {
		file := u.state.configs[name]
		if store.Hash(file.now.Data) == file.hash {
			continue
		}
		data, err := file.load(ctx)
		if err != nil {
			u.view.vault.log.Warn("an undo leaves a file of Obsidian's settings as it is", "error", err.Error())
			continue
		}
		u.changes = append(u.changes, store.Change{
			Op: store.WriteConfig, Config: name, Base: file.now.Rev, Was: file.now.Data, Data: notNil(data),
		})
	}
}
