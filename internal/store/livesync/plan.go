package livesync

import (
	"context"
	"encoding/json"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// targets are the documents that a change affects.
type targets struct {
	from      string // id of the changed document
	to        string // id of the new document, for a move or a trashed file
	trashPath string // path of a trashed file, as shown to callers
}

// plan checks the changes against the database, and makes their documents.
func (c *commit) plan(ctx context.Context, changes []store.Change) error {
	if err := checkResolving(changes); err != nil {
		return err
	}
	files, err := c.store.ensureCatalogue(ctx)
	if err != nil {
		return err
	}
	about := c.targets(files, changes)
	documents, err := c.documents(ctx, files, changes, about)
	if err != nil {
		return err
	}
	for i, change := range changes {
		if err := c.checkTarget(files, change); err != nil {
			return err
		}
		if err := c.step(ctx, change, about[i], documents); err != nil {
			return err
		}
	}
	return c.checkUnique()
}

// checkUnique returns an error if the commit would write a document twice.
func (c *commit) checkUnique() error {
	seen := map[string]bool{}
	for _, write := range c.writes {
		if seen[write.id] {
			return fault.Internal.Errorf("%q is changed twice in one commit", write.file.Path)
		}
		seen[write.id] = true
	}
	return nil
}

func (c *commit) targets(files *catalogue, changes []store.Change) []targets {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	taken := map[string]bool{}
	all := make([]targets, len(changes))
	for i, change := range changes {
		if change.Op == store.RemoveFolder {
			continue
		}
		target := targets{from: files.id(c.session.codec, change.Path)}
		switch change.Op {
		case store.WriteConfig:
			target.from = c.session.codec.ID(configPrefix + change.Config)
		case store.Move:
			target.to = c.session.codec.ID(string(change.To))
		case store.Trash:
			target.trashPath = files.freeTrashPath(c.session.codec, change.Path, taken)
			target.to = c.session.codec.ID(databaseTrashPath(target.trashPath))
			taken[target.to] = true
		}
		all[i] = target
	}
	return all
}

// currentDoc is the current state of a document in the database.
type currentDoc struct {
	file *format.Meta // nil if it does not exist, or only a tombstone is left
	body json.RawMessage
}

func (d currentDoc) exists() bool { return d.file != nil && !d.file.Deleted }

// documents returns all documents that a commit affects. The edit of one note that was read a moment ago requests none.
func (c *commit) documents(ctx context.Context, files *catalogue, changes []store.Change, about []targets) (map[string]currentDoc, error) {
	if len(changes) == 1 && changes[0].Op == store.Write {
		if document, ok := c.justRead(files, about[0].from, string(changes[0].Base)); ok {
			current, err := c.decode(couch.Row{ID: document.ID, Rev: document.Rev, Doc: &document})
			return map[string]currentDoc{document.ID: current}, err
		}
	}
	return c.currentDocs(ctx, about)
}

// justRead returns a document if this revision of it was read a moment ago and the feed knows no other. A revision never changes, and
// CouchDB refuses an edit over one that has been replaced; but a node of a cluster might accept it.
func (c *commit) justRead(files *catalogue, id, rev string) (couch.Document, bool) {
	document, ok := c.store.recent.take(id, rev, c.store.opt.Now())
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	known := files.byID[id]
	return document, ok && known != nil && known.rev == rev && len(known.conflicts) == 0 && !c.store.couch.Clustered()
}

// currentDocs reads all documents that a commit affects.
func (c *commit) currentDocs(ctx context.Context, about []targets) (map[string]currentDoc, error) {
	all := map[string]currentDoc{}
	var ids []string
	for _, target := range about {
		for _, id := range []string{target.from, target.to} {
			if _, there := all[id]; id != "" && !there {
				all[id] = currentDoc{}
				ids = append(ids, id)
			}
		}
	}
	rows, err := c.store.couch.Fetch(ctx, ids)
	if err != nil {
		return nil, databaseError(err)
	}
	for _, row := range rows {
		if all[row.ID], err = c.decode(row); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (c *commit) decode(row couch.Row) (currentDoc, error) {
	if row.Err != nil {
		return currentDoc{}, row.Err
	}
	if row.Doc == nil {
		return currentDoc{}, nil
	}
	read, err := c.session.codec.Decode(row.Doc.Body)
	if err != nil {
		return currentDoc{}, &unreadable{err}
	}
	return currentDoc{read.File, row.Doc.Body}, nil
}

// checkTarget returns an error if the path of a new file cannot be used.
func (c *commit) checkTarget(files *catalogue, change store.Change) error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	path := change.Path
	switch {
	case change.Op == store.Move:
		path = change.To
	case change.Op != store.Write || change.Base != store.Absent:
		return nil
	}
	if format.InTrash(string(path)) {
		return fault.InvalidArgument.Errorf("%q is a name that LiveSync reserves", string(path))
	}
	if there := files.byPath[path]; there != nil && there.id != c.session.codec.ID(string(path)) {
		return fault.AlreadyExists.Errorf("%q already exists", string(path))
	}
	return files.checkPath(path, c.session.codec.Settings().CaseSensitive)
}

// step makes the documents of one change.
func (c *commit) step(ctx context.Context, change store.Change, about targets, documents map[string]currentDoc) error {
	if change.Op == store.RemoveFolder { // folders exist only as parts of paths
		c.steps = append(c.steps, step{})
		return nil
	}
	from := documents[about.from]
	path := string(change.Path)
	if change.Op == store.WriteConfig {
		path = configPrefix + change.Config
	}
	if err := c.checkBase(change, path, from); err != nil {
		return err
	}
	switch change.Op {
	case store.Move:
		return c.stepMove(ctx, change, from, documents[about.to])
	case store.Trash:
		return c.stepTrash(ctx, about.trashPath, from, documents[about.to])
	}
	content := c.contentChange(path, change.Data)
	if !change.Modified.IsZero() && !from.exists() {
		content.Now = change.Modified.UnixMilli()
	}
	upload, err := c.session.codec.Write(withoutConflicts(from.file, change.Resolves), content)
	if err != nil {
		return err
	}
	written := c.add(upload, from)
	written.resolves = change.Resolves
	c.steps = append(c.steps, step{result: written})
	return nil
}

// checkBase compares a document with the revision that a change is based on.
func (c *commit) checkBase(change store.Change, path string, document currentDoc) error {
	switch {
	case change.Base == store.Absent && document.exists():
		return fault.AlreadyExists.Errorf("%q already exists", document.file.Path)
	case change.Base == store.Absent && change.Op == store.Write && (document.file == nil || len(document.file.Conflicts) == 0):
		if len(change.Resolves) > 0 {
			return checkResolves(change, &format.Meta{Path: path})
		}
		return nil
	case change.Base == store.Absent && change.Op == store.Write && len(change.Resolves) > 0:
		return checkResolves(change, document.file)
	case change.Base == store.Absent && change.Op == store.Write:
		return unresolved(path)
	case !document.exists() || store.Rev(document.file.Rev) != change.Base || document.file.Path != path:
		return fault.Conflict.Errorf("%q has changed since it was read", path).WithHint("read it again")
	case len(change.Resolves) > 0:
		return checkResolves(change, document.file)
	case len(document.file.Conflicts) > 0:
		return unresolved(path)
	}
	return nil
}

// unresolved is the error for a file that is in conflict.
func unresolved(path string) error {
	return &fault.Error{
		Kind: fault.Conflict, Message: path + " has an unresolved conflict: it was changed on two devices at once",
		Hint: "resolve_conflict merges the versions, or keeps the one that you choose", Err: store.ErrUnresolved,
	}
}

// stepMove moves a file. If only the case of its name changes, it keeps its document.
func (c *commit) stepMove(ctx context.Context, change store.Change, from, to currentDoc) error {
	target := string(change.To)
	respelt := from.file.ID == c.session.codec.ID(target)
	if to.exists() && !respelt {
		return fault.AlreadyExists.Errorf("%q already exists", to.file.Path)
	}
	data := change.Data
	if data == nil && !format.KeepsChunks(from.file, target) {
		var err error
		if data, err = c.store.content(ctx, c.session, from.file); err != nil {
			return err
		}
	}
	if data == nil {
		return c.stepRename(target, from, to, "")
	}
	content := c.contentChange(target, data)
	if respelt {
		to = from
	}
	content.Created = from.file.CTime
	upload, err := c.session.codec.Write(to.file, content)
	if err != nil {
		return err
	}
	c.steps = append(c.steps, step{result: c.add(upload, to)})
	if respelt {
		return nil
	}
	return c.remove(from)
}

// stepTrash moves a file to the trash, where its chunks are safe from a clean-up.
func (c *commit) stepTrash(ctx context.Context, trashPath string, from, to currentDoc) error {
	if to.exists() {
		return fault.Conflict.Errorf("the trash has changed in the meantime").WithHint("try again")
	}
	target := databaseTrashPath(trashPath)
	if format.KeepsChunks(from.file, target) {
		return c.stepRename(target, from, to, trashPath)
	}
	data, err := c.store.content(ctx, c.session, from.file)
	if err != nil {
		return err
	}
	upload, err := c.session.codec.Write(to.file, c.contentChange(target, data))
	if err != nil {
		return err
	}
	c.steps = append(c.steps, step{result: c.add(upload, to), trashPath: trashPath})
	return c.remove(from)
}

// stepRename gives a document another path, and keeps its chunks.
func (c *commit) stepRename(target string, from, to currentDoc, trashPath string) error {
	uploads, err := c.session.codec.Rename(from.file, to.file, target, c.store.opt.Now().UnixMilli())
	if err != nil {
		return err
	}
	if len(uploads) == 1 {
		c.steps = append(c.steps, step{result: c.add(uploads[0], from)})
		return nil
	}
	c.steps = append(c.steps, step{result: c.add(uploads[0], to), trashPath: trashPath})
	c.add(uploads[1], from).removal = true
	return nil
}

// remove marks a file as deleted, after everything else is written.
func (c *commit) remove(from currentDoc) error {
	upload, err := c.session.codec.Delete(from.file, c.store.opt.Now().UnixMilli())
	if err != nil {
		return err
	}
	c.add(upload, from).removal = true
	return nil
}

// contentChange describes new content, with the chunks that are known to be in the database.
func (c *commit) contentChange(path string, data []byte) format.Change {
	return format.Change{Path: path, Content: data, Now: c.store.opt.Now().UnixMilli(), Chunk: func(id string) (string, bool) {
		if c.missingChunks[id] {
			return "", false
		}
		return c.store.chunks.get(id)
	}}
}

// noteKept notes which chunks of a note that is replaced were read a moment ago. Nobody cleans them up while the note names them, and
// if it does not any longer, CouchDB refuses the edit.
func (c *commit) noteKept(file *format.Meta) {
	for _, id := range file.Needs() {
		if c.store.chunks.justRead(id, c.store.opt.Now()) && !c.store.couch.Clustered() {
			c.kept[id] = true
		}
	}
}

// add adds the documents of an upload to the commit.
func (c *commit) add(upload format.Upload, over currentDoc) *docWrite {
	write := &docWrite{id: upload.File.ID, body: upload.Body, file: upload.File, old: over.body, unsent: true}
	if over.file != nil {
		write.base = over.file.Rev
		c.noteKept(over.file)
	}
	c.leaves = append(c.leaves, upload.Leaves...)
	c.writes = append(c.writes, write)
	return write
}
