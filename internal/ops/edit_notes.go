package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// EditNotes are the parameters of edit_notes.
type EditNotes struct {
	Where   tool.Object   `json:"where" jsonschema:"the notes to edit: {query, tags, path_prefix, properties}, as find_notes takes them" default:"{}"`
	Names   []string      `json:"names" jsonschema:"or the notes by name" default:""`
	Edits   []tool.Object `json:"edits" jsonschema:"or other ops for each note: [{name, ops}]" default:""`
	Ops     []tool.Object `json:"ops" jsonschema:"what to do with each note, in this order" default:""`
	DryRun  bool          `json:"dry_run"`
	Confirm string        `json:"confirm"`
	// ExpectedHash is accepted as by every tool that edits, but many notes have no hash in common.
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// NotesEdited is the result of edit_notes.
type NotesEdited struct {
	tool.Meta `json:"-"`
	Matched   int           `json:"matched"`
	Changed   []ChangedNote `json:"changed"`
	Unchanged int           `json:"unchanged"`
	Skipped   []SkippedNote `json:"skipped"`
	Sample    string        `json:"sample"`
	DryRun    bool          `json:"dry_run"`
}

// ChangedNote is a note that edit_notes changed, with the number of edits.
type ChangedNote struct {
	Path  string `json:"path"`
	Edits int    `json:"edits"`
}

// SkippedNote is a note that edit_notes left alone, and why.
type SkippedNote struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

var editNotes = tool.New(tool.Spec{
	Name: "edit_notes", Toolset: "vault", Title: "Edit many notes", Effect: tool.Destroys,
	About: "Edits many notes at once, all or none, as one change that one undo_change takes back. Give ops and either where or names, or edits. Ops: " +
		"{op:'set_property',key,value}, {op:'remove_property',key}, {op:'rename_property',from,to}, {op:'add_tag',tag}, {op:'remove_tag',tag}, " +
		"{op:'replace_text',old,new,regex?,ignore_case?,whole_word?,in?:'body'|'frontmatter'|'both',skip_code?:true} ($1 is a group of a regex), " +
		"{op:'append',text}, {op:'append_section',section,text}, {op:'update_section',section,content}. " +
		"A note to which an op does not apply is skipped. Try dry_run first. Use replace_text or set_frontmatter for one note.",
}, (*Ops).EditNotes)

// noteEdits are the operations on one note.
type noteEdits struct {
	path  vpath.Path
	ops   []noteOp
	named bool // the caller named the note, so it must be told if it may not write it
}

// EditNotes edits many notes as one unit.
func (o *Ops) EditNotes(ctx context.Context, in EditNotes) (NotesEdited, error) {
	if in.ExpectedHash != "" {
		return NotesEdited{}, fault.InvalidArgument.Errorf("expected_hash is for one note; edit_notes compares each note with what you were shown")
	}
	call := in
	call.Confirm, call.DryRun = "", false
	ctx, words := withTagConsent(ctx, in.Confirm, "edit_notes", call)
	return exclusively(ctx, o, "", func() (NotesEdited, error) {
		s, all, err := o.notesToEdit(ctx, in)
		if err != nil {
			return NotesEdited{}, err
		}
		return o.editAll(ctx, s, all, in, words)
	})
}

// notesToEdit finds the notes that a call is about, in the order of their paths.
func (o *Ops) notesToEdit(ctx context.Context, in EditNotes) (*index.Snapshot, []noteEdits, error) {
	var where map[string]json.RawMessage
	if err := json.Unmarshal(in.Where, &where); err != nil {
		return nil, nil, fault.InvalidArgument.Errorf("where must be an object")
	}
	ways := 0
	for _, given := range []bool{len(where) > 0, len(in.Names) > 0, len(in.Edits) > 0} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return nil, nil, fault.InvalidArgument.Errorf("give exactly one of where, names and edits").
			WithHint("where selects notes as find_notes does, such as {\"tags\":[\"work\"]}")
	}
	if len(in.Edits) > 0 {
		if len(in.Ops) > 0 {
			return nil, nil, fault.InvalidArgument.Errorf("with edits, each note has its own ops")
		}
		return o.editsByName(ctx, in.Edits)
	}
	ops, err := parseOps(in.Ops)
	if err != nil {
		return nil, nil, err
	}
	s, paths, err := o.notesNamed(ctx, in.Names)
	if len(where) > 0 {
		s, paths, err = o.notesWhere(ctx, in.Where)
	}
	all := make([]noteEdits, len(paths))
	for i, path := range paths {
		all[i] = noteEdits{path, ops, len(in.Names) > 0}
	}
	return s, all, err
}

// editsByName reads the list of notes with operations of their own.
func (o *Ops) editsByName(ctx context.Context, edits []tool.Object) (*index.Snapshot, []noteEdits, error) {
	var names []string
	var all []noteEdits
	for i, object := range edits {
		var entry struct {
			Name string
			Ops  []json.RawMessage
		}
		decoder := json.NewDecoder(bytes.NewReader(object))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&entry); err != nil || entry.Name == "" {
			return nil, nil, fault.InvalidArgument.Errorf("edits, entry %d: it must be {name, ops}", i+1)
		}
		objects := make([]tool.Object, len(entry.Ops))
		for j, op := range entry.Ops {
			objects[j] = tool.Object(op)
		}
		ops, err := parseOps(objects)
		if err != nil {
			return nil, nil, fault.InvalidArgument.Errorf("edits, '%s': %s", entry.Name, err).WithHint("%s", fault.HintOf(err))
		}
		names, all = append(names, entry.Name), append(all, noteEdits{ops: ops, named: true})
	}
	s, paths, err := o.notesNamed(ctx, names)
	for i := range paths {
		all[i].path = paths[i]
	}
	return s, all, err
}

// notesNamed finds notes by name. Each may be named once.
func (o *Ops) notesNamed(ctx context.Context, names []string) (*index.Snapshot, []vpath.Path, error) {
	var s *index.Snapshot
	paths := make([]vpath.Path, len(names))
	for i, name := range names {
		var err error
		if s, paths[i], err = o.findNote(ctx, name); err != nil {
			return nil, nil, err
		}
		if earlier := slices.Index(paths[:i], paths[i]); earlier >= 0 {
			return nil, nil, fault.InvalidArgument.Errorf("'%s' and '%s' are the same note", names[earlier], name).WithHint("name each note once")
		}
	}
	return s, paths, nil
}

// notesWhere finds all notes that a search finds.
func (o *Ops) notesWhere(ctx context.Context, where tool.Object) (*index.Snapshot, []vpath.Path, error) {
	var asked struct {
		Query      string          `json:"query"`
		Tags       []string        `json:"tags"`
		PathPrefix string          `json:"path_prefix"`
		Properties json.RawMessage `json:"properties"`
	}
	decoder := json.NewDecoder(bytes.NewReader(where))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return nil, nil, fault.InvalidArgument.Errorf("where must be {query, tags, path_prefix, properties}, as find_notes takes them")
	}
	if asked.Query == "" && len(asked.Tags) == 0 && asked.PathPrefix == "" && len(asked.Properties) == 0 {
		return nil, nil, fault.InvalidArgument.Errorf("where is empty, which would mean every note").WithHint("use {\"path_prefix\":\"/\"} if you mean every note")
	}
	in := FindNotes{Query: asked.Query, Tags: asked.Tags, PathPrefix: asked.PathPrefix, Properties: tool.Object(asked.Properties), SortBy: "title"}
	search, err := o.newSearch(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	search.Keep, search.Limit = o.filterOf(ctx, s, in), s.Len()
	results, err := s.Search(ctx, search)
	if err != nil {
		return nil, nil, err
	}
	var paths []vpath.Path
	for _, found := range results.Found {
		if found.Path.IsNote() && !found.Partial {
			paths = append(paths, found.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil, fault.NotFound.Errorf("no note matches where").WithHint("try the same with find_notes")
	}
	slices.Sort(paths)
	return s, paths, nil
}

// editAll edits the notes and writes them all, or none.
func (o *Ops) editAll(ctx context.Context, s *index.Snapshot, all []noteEdits, in EditNotes, words []string) (NotesEdited, error) {
	unit := &editUnit{unit: unit{ops: o, s: s}, result: NotesEdited{Matched: len(all), Changed: []ChangedNote{}, Skipped: []SkippedNote{}, DryRun: in.DryRun}}
	for batch := range slices.Chunk(all, readBatch) {
		paths := make([]vpath.Path, len(batch))
		for i, edits := range batch {
			paths[i] = edits.path
		}
		for i, read := range o.vault.ReadMany(ctx, paths, vault.MaxNote) {
			if err := unit.add(ctx, batch[i], read); err != nil {
				return NotesEdited{}, err
			}
		}
	}
	if len(unit.changes) == 0 && len(unit.result.Skipped) == len(all) {
		first := unit.result.Skipped[0]
		return NotesEdited{}, fault.NotFound.Errorf("the ops apply to none of the notes; '%s': %s", first.Path, first.Reason)
	}
	if err := unit.finish(ctx, consent{in.DryRun, in.Confirm, words}, len(unit.changes), unit.changes, o.vault.Commit); err != nil {
		return NotesEdited{}, err
	}
	return unit.result, nil
}

// editUnit collects the changes of a call.
type editUnit struct {
	unit
	changes []store.Change
	result  NotesEdited
}

// add edits one note. A note to which an op does not apply is skipped; any other problem is an error.
func (u *editUnit) add(ctx context.Context, edits noteEdits, read store.Outcome) error {
	switch {
	case errors.Is(read.Err, fault.NotFound):
		u.skip(edits.path, "it was deleted in the meantime")
		return nil
	case read.Err != nil:
		return read.Err
	}
	after, count, err := u.apply(ctx, edits, read.Data)
	if skips(err) {
		u.skip(edits.path, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if bytes.Equal(after, read.Data) {
		u.result.Unchanged++
		return nil
	}
	if err := vault.CheckResolved(read.Info); err != nil {
		u.skip(edits.path, err.Error())
		return nil
	}
	if err := u.ops.mayWrite(edits.path, u.s.Name(edits.path)); err != nil {
		if edits.named {
			return err
		}
		u.skip(edits.path, err.Error())
		return nil
	}
	if err := vault.CheckSize(edits.path, after); err != nil {
		return err
	}
	before := md.Scan(read.Data)
	whole := []md.Splice{{Span: md.Span{End: len(read.Data)}, Text: after}}
	err = u.allow(u.ops.tags.checkEdit(ctx, u.s, edits.path, before, whole))
	if errors.Is(err, fault.PermissionDenied) && !edits.named {
		u.skip(edits.path, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	u.had = append(u.had, allTags(before)...)
	u.changes = append(u.changes, store.Change{Path: edits.path, Base: read.Rev, Was: read.Data, Data: after})
	u.result.Changed = append(u.result.Changed, ChangedNote{string(edits.path), count})
	if len(u.result.Changed) <= sampledNotes {
		name := string(edits.path)
		u.result.Sample += cutSample(unified(name, read.Data, name, after))
	}
	return nil
}

// apply runs the operations on a text, each on the result of the one before.
func (u *editUnit) apply(ctx context.Context, edits noteEdits, data []byte) (after []byte, count int, err error) {
	after = data
	for _, op := range edits.ops {
		if err := checkFresh(ctx, edits.path, data, "", op.replaces); err != nil {
			return nil, 0, err
		}
		note, err := edit.Open(after)
		if err != nil {
			return nil, 0, errSkip{err}
		}
		splices, edited, err := op.apply(ctx, u.s, u.s.Name(edits.path), note)
		if err != nil {
			return nil, 0, err
		}
		after = md.Apply(after, splices)
		count += edited
	}
	return after, count, nil
}

// errSkip is a reason to leave a note alone.
type errSkip struct{ error }

// skips reports whether an error means that an operation does not apply to a note.
func skips(err error) bool {
	_, explicit := errors.AsType[errSkip](err)
	return explicit || errors.Is(err, fault.NotFound) || errors.Is(err, fault.AlreadyExists) || errors.Is(err, fault.AmbiguousName) ||
		errors.Is(err, fault.InvalidArgument)
}

func (u *editUnit) skip(path vpath.Path, reason string) {
	u.result.Skipped = append(u.result.Skipped, SkippedNote{string(path), reason})
}

const (
	sampledNotes = 3
	// maxSample is how many bytes of a diff the sample shows of each note.
	maxSample = 1500
)

// cutSample cuts a diff at the end of a line.
func cutSample(diff string) string {
	if len(diff) <= maxSample {
		return diff
	}
	end := bytes.LastIndexByte([]byte(diff[:maxSample]), '\n') + 1
	return readable([]byte(diff[:end])) + "…\n"
}
