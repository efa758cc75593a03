package folder

import (
	"io/fs"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system"
)

// results describes the files as they are after the commit, and removes the folders that are empty now.
func (u *unit) results() []store.Result {
	results := make([]store.Result, len(u.steps))
	for i, s := range u.steps {
		switch s.Op {
		case store.WriteConfig:
		case store.RemoveFolder:
			if u.vault.disk.remove(u.vault.root, string(s.Path)) == nil {
				results[i] = store.Result{Info: store.Info{Path: s.Path}}
			}
		case store.Trash:
			results[i] = store.Result{Info: store.Info{Path: s.Path}, TrashPath: s.to.path()}
			u.vault.own.gone(s.Path)
		case store.Move:
			if s.Path != s.To {
				u.vault.own.gone(s.Path)
			}
			results[i] = u.result(s, s.to, s.To)
		default:
			results[i] = u.result(s, s.from, s.Path)
		}
	}
	return results
}

// result describes a file that was written or moved. If another program has changed it already, the result has no mark,
// so that callers that compare marks read the file again.
func (u *unit) result(s *step, at location, path vpath.Path) store.Result {
	rev, ours := s.Base, s.info
	if s.staged != nil {
		rev, ours = revOf(s.Data), s.staged.info
	}
	result := store.Result{Info: store.Info{Path: path}, Rev: rev}
	now, err := at.in.Lstat(at.name)
	if err != nil {
		return result
	}
	result.Info = infoOf(path, now)
	if !sameContent(now, ours) {
		result.Mark = ""
		return result
	}
	u.vault.own.wrote(path, result.Mark)
	return result
}

// sameContent compares the properties that a rename does not change.
func sameContent(a, b fs.FileInfo) bool {
	first, _ := system.Identity(a)
	second, _ := system.Identity(b)
	return first == second && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
