package livesync

import (
	"context"
	"encoding/json"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// involved are the documents that a change is about.
type involved struct {
	from  string // its id
	to    string // of a move, and of what is trashed; else ""
	place string // in the trash, as it is shown
}

// plan checks the changes against the database, and makes their documents.
func (u *unit) plan(ctx context.Context, changes []store.Change) error {
	files, err := u.known(ctx)
	if err != nil {
		return err
	}
	about := u.involved(files, changes)
	documents, err := u.current(ctx, about)
	if err != nil {
		return err
	}
	for i, change := range changes {
		if err := u.checkPlace(files, change); err != nil {
			return err
		}
		if err := u.step(ctx, change, about[i], documents); err != nil {
			return err
		}
	}
	return u.once()
}

// once refuses a commit that would write one document twice.
func (u *unit) once() error {
	seen := map[string]bool{}
	for _, one := range u.writes {
		if seen[one.id] {
			return fault.Internal.Errorf("%q is changed twice in one commit", one.file.Path)
		}
		seen[one.id] = true
	}
	return nil
}

func (u *unit) involved(files *catalogue, changes []store.Change) []involved {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := map[string]bool{}
	all := make([]involved, len(changes))
	for i, change := range changes {
		one := involved{from: files.id(u.now.codec, change.Path)}
		switch change.Op {
		case store.WriteConfig:
			one.from = u.now.codec.ID(configPrefix + change.Config)
		case store.Move:
			one.to = u.now.codec.ID(string(change.To))
		case store.Trash:
			one.place = files.freeTrash(u.now.codec, change.Path, taken)
			one.to = u.now.codec.ID(inDatabase(one.place))
			taken[one.to] = true
		}
		all[i] = one
	}
	return all
}

// documentNow is a document as it is in the database now.
type documentNow struct {
	file *format.Meta // nil: there is none, or nothing is left of it
	body json.RawMessage
}

func (d documentNow) exists() bool { return d.file != nil && !d.file.Deleted }

// current reads all documents that a commit is about.
func (u *unit) current(ctx context.Context, about []involved) (map[string]documentNow, error) {
	all := map[string]documentNow{}
	var ids []string
	for _, one := range about {
		for _, id := range []string{one.from, one.to} {
			if _, there := all[id]; id != "" && !there {
				all[id] = documentNow{}
				ids = append(ids, id)
			}
		}
	}
	rows, err := u.couch.Fetch(ctx, ids)
	if err != nil {
		return nil, lost(err)
	}
	for _, row := range rows {
		if all[row.ID], err = u.decode(row); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (u *unit) decode(row couch.Row) (documentNow, error) {
	if row.Err != nil {
		return documentNow{}, row.Err
	}
	if row.Doc == nil {
		return documentNow{}, nil
	}
	read, err := u.now.codec.Decode(row.Doc.Body)
	if err != nil {
		return documentNow{}, &unreadable{err}
	}
	return documentNow{read.File, row.Doc.Body}, nil
}

// checkPlace refuses a new path that something is in the way of.
func (u *unit) checkPlace(files *catalogue, change store.Change) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	path := change.Path
	switch {
	case change.Op == store.Move:
		path = change.To
	case change.Op != store.Write || change.Base != store.Absent:
		return nil
	}
	if format.InTrash(string(path)) {
		return fault.InvalidArgument.Errorf("%q is a name that LiveSync keeps for itself", string(path))
	}
	if there := files.byPath[path]; there != nil && there.id != u.now.codec.ID(string(path)) {
		return fault.AlreadyExists.Errorf("%q exists already", string(path))
	}
	return files.place(path, u.now.codec.Settings().CaseSensitive)
}

// step makes the documents of one change.
func (u *unit) step(ctx context.Context, change store.Change, about involved, documents map[string]documentNow) error {
	from := documents[about.from]
	path := string(change.Path)
	if change.Op == store.WriteConfig {
		path = configPrefix + change.Config
	}
	if err := u.checkBase(change, path, from); err != nil {
		return err
	}
	switch change.Op {
	case store.Move:
		return u.stepMove(ctx, change, from, documents[about.to])
	case store.Trash:
		return u.stepTrash(ctx, about.place, from, documents[about.to])
	}
	content := u.change(path, change.Data)
	if !change.Modified.IsZero() && !from.exists() {
		content.Now = change.Modified.UnixMilli()
	}
	upload, err := u.now.codec.Write(from.file, content)
	if err != nil {
		return err
	}
	u.steps = append(u.steps, step{made: u.add(upload, from)})
	return nil
}

// checkBase compares a document with the revision that a change was made for.
func (u *unit) checkBase(change store.Change, path string, now documentNow) error {
	switch {
	case change.Base == store.Absent && now.exists():
		return fault.AlreadyExists.Errorf("%q exists already", now.file.Path)
	case change.Base == store.Absent && change.Op == store.Write:
		return nil
	case !now.exists() || store.Rev(now.file.Rev) != change.Base || now.file.Path != path:
		return fault.Conflict.Errorf("%q has changed since it was read", path).WithHint("read it again")
	case len(now.file.Conflicts) > 0:
		return &fault.Error{
			Kind: fault.Conflict, Message: path + " was changed on two devices at once, and nobody has decided which version counts",
			Hint: "resolve the conflict on a device", Err: store.ErrUnresolved,
		}
	}
	return nil
}

// stepMove moves a file. Only the letters' case of a name may change without
// another document.
func (u *unit) stepMove(ctx context.Context, change store.Change, from, to documentNow) error {
	target := string(change.To)
	respelt := from.file.ID == u.now.codec.ID(target)
	if to.exists() && !respelt {
		return fault.AlreadyExists.Errorf("%q exists already", to.file.Path)
	}
	data := change.Data
	if data == nil && !format.KeepsChunks(from.file, target) {
		var err error
		if data, err = u.content(ctx, u.now, from.file); err != nil {
			return err
		}
	}
	if data == nil {
		return u.stepRename(target, from, to, "")
	}
	content := u.change(target, data)
	if respelt {
		to = from
	}
	content.Created = from.file.CTime
	made, err := u.now.codec.Write(to.file, content)
	if err != nil {
		return err
	}
	u.steps = append(u.steps, step{made: u.add(made, to)})
	if respelt {
		return nil
	}
	return u.remove(from)
}

// stepTrash moves a file to the trash, where its chunks are safe from whoever
// cleans up.
func (u *unit) stepTrash(ctx context.Context, place string, from, to documentNow) error {
	if to.exists() {
		return fault.Conflict.Errorf("the trash has changed meanwhile").WithHint("try again")
	}
	target := inDatabase(place)
	if format.KeepsChunks(from.file, target) {
		return u.stepRename(target, from, to, place)
	}
	data, err := u.content(ctx, u.now, from.file)
	if err != nil {
		return err
	}
	made, err := u.now.codec.Write(to.file, u.change(target, data))
	if err != nil {
		return err
	}
	u.steps = append(u.steps, step{made: u.add(made, to), place: place})
	return u.remove(from)
}

// stepRename gives a document's chunks another path.
func (u *unit) stepRename(target string, from, to documentNow, place string) error {
	uploads, err := u.now.codec.Rename(from.file, to.file, target, u.opt.Now().UnixMilli())
	if err != nil {
		return err
	}
	if len(uploads) == 1 {
		u.steps = append(u.steps, step{made: u.add(uploads[0], from)})
		return nil
	}
	u.steps = append(u.steps, step{made: u.add(uploads[0], to), place: place})
	u.add(uploads[1], from).last = true
	return nil
}

// remove marks a file as deleted, once the rest is done.
func (u *unit) remove(from documentNow) error {
	gone, err := u.now.codec.Delete(from.file, u.opt.Now().UnixMilli())
	if err != nil {
		return err
	}
	u.add(gone, from).last = true
	return nil
}

// change is new content, and what chunks are known to be in the database.
func (u *unit) change(path string, data []byte) format.Change {
	return format.Change{Path: path, Content: data, Now: u.opt.Now().UnixMilli(), Chunk: func(id string) (string, bool) {
		if u.lost[id] {
			return "", false
		}
		return u.chunks.get(id)
	}}
}

// add takes the documents of an upload into the unit.
func (u *unit) add(upload format.Upload, over documentNow) *write {
	one := &write{id: upload.File.ID, body: upload.Body, file: upload.File, old: over.body, foreign: true}
	if over.file != nil {
		one.base = over.file.Rev
	}
	u.leaves = append(u.leaves, upload.Leaves...)
	u.writes = append(u.writes, one)
	return one
}
