package ops

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/wire"
)

// CreateNote are the parameters of create_note.
type CreateNote struct {
	Name         string `json:"name" jsonschema:"name, or path from the vault's root; folders are made"`
	Content      string `json:"content" jsonschema:"Markdown body" default:""`
	Frontmatter  string `json:"frontmatter" loose:"true" jsonschema:"properties: a JSON object as a string" default:""`
	Overwrite    bool   `json:"overwrite" jsonschema:"replace an existing note" default:"false"`
	ExpectedHash string `json:"expected_hash" jsonschema:"_meta.hash of the note to overwrite; refused if it changed" default:""`
}

// Created is the result of create_note.
type Created struct {
	tool.Meta `json:"-"`
	Name      string `json:"name"`
	Path      string `json:"path"`
}

var createNote = tool.New(tool.Spec{
	Name: "create_note", Toolset: "notes", Title: "Create a note", Effect: tool.Destroys,
	About: "Makes a new note. Tags in its frontmatter must exist in the vault already. Use append_note or update_note for a note that exists; note_upsert to create or append in one step.",
}, (*Ops).CreateNote)

// CreateNote makes a note.
func (o *Ops) CreateNote(ctx context.Context, in CreateNote) (Created, error) {
	data, err := compose(resource.WithoutContext(in.Content), in.Frontmatter)
	if err != nil {
		return Created{}, err
	}
	return reapplied(ctx, in.ExpectedHash, func() (Created, error) { return o.createOnce(ctx, in, data) })
}

func (o *Ops) createOnce(ctx context.Context, in CreateNote, data []byte) (Created, error) {
	s, path, exists, err := o.place(ctx, in.Name)
	if err != nil {
		return Created{}, err
	}
	change := store.Change{Path: path, Data: data}
	if exists {
		if !in.Overwrite {
			return Created{}, fault.AlreadyExists.Errorf("Note '%s' already exists", in.Name).WithHint("use overwrite=true to replace it, append_note or update_note to change it")
		}
		old, err := o.readExpected(ctx, in.Name, path, in.ExpectedHash)
		if err != nil {
			return Created{}, err
		}
		change.Base, change.Was = old.Rev, old.Data
		if bytes.Equal(old.Data, data) {
			return Created{Meta: tool.Meta{"hash": store.Hash(data)}, Name: o.name(ctx, path), Path: string(path)}, nil
		}
	} else if in.ExpectedHash != "" {
		return Created{}, vault.ExpectAbsent(path, in.ExpectedHash)
	}
	if err := errors.Join(o.tags.checkNew(s, path, data), vault.CheckSize(path, data)); err != nil {
		return Created{}, err
	}
	if _, err := o.vault.Commit(ctx, []store.Change{change}); err != nil {
		if errors.Is(err, fault.AlreadyExists) {
			return Created{}, fault.AlreadyExists.Errorf("Note '%s' already exists", in.Name)
		}
		return Created{}, err
	}
	meta := tool.Meta{"hash": store.Hash(data)}
	if stolen := o.stolen(ctx, s, path); len(stolen) > 0 {
		meta["links_now_pointing_here"] = stolen
	}
	return Created{Meta: meta, Name: o.name(ctx, path), Path: string(path)}, nil
}

// place is where a note of a name is, or is to be made. One that the index
// knows may have gone a moment ago, where others serve the same vault.
func (o *Ops) place(ctx context.Context, name string) (s *index.Snapshot, path vpath.Path, exists bool, err error) {
	s, path, err = o.findNote(ctx, name)
	gone := errors.Is(err, fault.NotFound)
	if err == nil {
		_, missing := o.vault.Read(ctx, path, maxPart)
		gone = errors.Is(missing, fault.NotFound)
	}
	if !gone {
		return s, path, err == nil, err
	}
	path, err = o.newNote(ctx, s, name, o.vault.Settings(ctx).NewNotes)
	return s, path, false, err
}

// newNote is where a note of a name can be made: a bare one in the folder for
// new notes.
func (o *Ops) newNote(ctx context.Context, s *index.Snapshot, name string, folder vpath.Path) (vpath.Path, error) {
	asked, err := vpath.ParseNote(name)
	if err != nil {
		return "", err
	}
	if !asked.IsNote() {
		return "", fault.InvalidArgument.Errorf("'%s' is no note: this tool writes Markdown alone", name)
	}
	if err := o.freeOf(ctx, s, vpath.Path(name)); asked != vpath.Path(name) && err != nil {
		return "", err
	}
	if asked.Dir() == "" {
		asked = folder.Join(asked)
	}
	if !o.vault.MayWrite(asked) {
		return "", o.vault.Closed(name)
	}
	return settle(s, asked)
}

// freeOf refuses a name at which there is something other than a file or a
// folder: whoever gives it without ".md" may mean that.
func (o *Ops) freeOf(ctx context.Context, s *index.Snapshot, path vpath.Path) error {
	if _, isFolder := s.Folder(path); isFolder {
		return nil
	}
	if _, err := o.vault.Exists(ctx, path); errors.Is(err, fault.PermissionDenied) {
		return err
	}
	return nil
}

// settle gives a new path the spelling of the folders that exist, and checks
// that it can be made on all of the user's devices.
func settle(s *index.Snapshot, path vpath.Path) (vpath.Path, error) {
	settled, existing := s.AdoptSpelling(path)
	if err := settled.PortableBelow(existing); err != nil {
		return "", err
	}
	return existing.Join(below(settled, existing).Compose()), nil
}

// below is the part of a path inside of a folder.
func below(path, folder vpath.Path) vpath.Path {
	if folder == "" {
		return path
	}
	return path[len(folder)+1:]
}

// compose makes a note's bytes of its body and its properties. Properties in
// a block at the head of the content stay, unless they are given anew.
func compose(content, frontmatter string) ([]byte, error) {
	if strings.TrimSpace(frontmatter) == "" {
		return []byte(content), nil
	}
	if err := wire.Check([]byte(frontmatter)); err != nil {
		return nil, fault.InvalidArgument.Errorf("Invalid frontmatter JSON: %s", err)
	}
	value, err := front.FromJSON([]byte(frontmatter))
	if err != nil {
		return nil, fault.InvalidArgument.Errorf("Invalid frontmatter JSON: %s", err)
	}
	if value.Kind != front.Map {
		return nil, fault.InvalidArgument.Errorf("Invalid frontmatter JSON: it must be an object")
	}
	if _, err := front.Parse(md.Scan([]byte(content))); err != nil {
		head, err := withProperties(nil, value.Fields) // what the content starts with is no frontmatter
		return append(head, content...), err
	}
	return withProperties([]byte(content), value.Fields)
}

func withProperties(data []byte, fields []front.Field) ([]byte, error) {
	for _, field := range fields {
		splices, err := edit.SetProperty(md.Scan(data), field.Key, field.Value)
		if err != nil {
			return nil, err
		}
		data = md.Apply(data, splices)
	}
	return data, nil
}

// stolen lists the notes whose links meant another file until one of the same
// name was made. Obsidian leaves such links alone, and so do we.
func (o *Ops) stolen(ctx context.Context, before *index.Snapshot, path vpath.Path) []string {
	now, err := o.vault.Snapshot(ctx)
	if err != nil || now.Paths.IsUnique(path) {
		return nil
	}
	var names []string
	last := vpath.Path("")
	for _, link := range now.Backlinks(path) {
		resolver := before.Paths.From(link.From)
		if was, ok := resolver.Resolve(link.Path); ok && was != path && link.From != last {
			names, last = append(names, now.Name(link.From)), link.From
		}
	}
	return names
}
