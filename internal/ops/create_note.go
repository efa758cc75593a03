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
	Name         string `json:"name" jsonschema:"name, or path from the vault's root; missing folders are created"`
	Content      string `json:"content" jsonschema:"Markdown body" default:""`
	Frontmatter  string `json:"frontmatter" loose:"true" jsonschema:"properties: a JSON object as a string" default:""`
	Overwrite    bool   `json:"overwrite" jsonschema:"replace an existing note" default:"false"`
	Confirm      string `json:"confirm"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Created is the result of create_note.
type Created struct {
	tool.Meta `json:"-"`
	Name      string `json:"name"`
	Path      string `json:"path"`
}

var createNote = tool.New(tool.Spec{
	Name: "create_note", Toolset: "notes", Title: "Create a note", Effect: tool.Destroys,
	About: "Creates a new note. Tags in its frontmatter must already exist in the vault. Use append_note or update_note for an existing note.",
}, (*Ops).CreateNote)

// CreateNote creates a note.
func (o *Ops) CreateNote(ctx context.Context, in CreateNote) (Created, error) {
	data, err := compose(resource.WithoutContext(in.Content), in.Frontmatter)
	if err != nil {
		return Created{}, err
	}
	call := in
	call.Confirm = ""
	ctx, _ = withTagConsent(ctx, in.Confirm, "create_note", call)
	return retryConflicts(ctx, in.ExpectedHash, func() (Created, error) { return o.createOnce(ctx, in, data) })
}

func (o *Ops) createOnce(ctx context.Context, in CreateNote, data []byte) (Created, error) {
	s, path, exists, err := o.findOrPlace(ctx, in.Name)
	if err != nil {
		return Created{}, err
	}
	change := store.Change{Path: path, Data: data}
	if exists {
		if !in.Overwrite {
			return Created{}, fault.AlreadyExists.Errorf("Note '%s' already exists", in.Name).
				WithHint("use overwrite=true to replace it, append_note or update_note to change it")
		}
		old, err := o.readExpected(ctx, in.Name, path, in.ExpectedHash)
		if err != nil {
			return Created{}, err
		}
		if err := checkFresh(ctx, path, old.Data, in.ExpectedHash, guardsWhole); err != nil {
			return Created{}, err
		}
		change.Base, change.Was = old.Rev, old.Data
		if bytes.Equal(old.Data, data) {
			return Created{Meta: tool.Meta{"hash": store.Hash(data)}, Name: o.name(ctx, path), Path: string(path)}, nil
		}
	} else if in.ExpectedHash != "" {
		return Created{}, vault.ExpectAbsent(path, in.ExpectedHash)
	}
	if err := errors.Join(o.consentToTags(ctx, o.tags.checkNew(ctx, s, path, data)), vault.CheckSize(path, data)); err != nil {
		return Created{}, err
	}
	if _, err := o.vault.Commit(ctx, []store.Change{change}); err != nil {
		if errors.Is(err, fault.AlreadyExists) {
			return Created{}, fault.AlreadyExists.Errorf("Note '%s' already exists", in.Name)
		}
		return Created{}, err
	}
	if exists {
		o.noteDroppedTags(ctx, allTags(md.Scan(change.Was)))
	}
	if !exists {
		o.suggestTemplate(ctx, s, path)
	}
	meta := tool.Meta{"hash": store.Hash(data)}
	if names := o.redirected(ctx, s, path); len(names) > 0 {
		meta["links_now_pointing_here"] = names
	}
	return Created{Meta: meta, Name: o.name(ctx, path), Path: string(path)}, nil
}

// findOrPlace returns the path of the note with a name, or the path where it is to
// be created. Another server of the same vault may have just removed a note that
// the index still lists.
func (o *Ops) findOrPlace(ctx context.Context, name string) (s *index.Snapshot, path vpath.Path, exists bool, err error) {
	s, path, err = o.vault.Find(ctx, name)
	err = onlyNotes(name, path, err)
	gone := errors.Is(err, fault.NotFound)
	if err == nil {
		_, missing := o.vault.Read(ctx, path, maxPart)
		gone = errors.Is(missing, fault.NotFound)
	}
	if !gone {
		return s, path, err == nil, err
	}
	path, err = o.newNotePath(ctx, s, name, o.vault.Settings(ctx).NewNotes)
	return s, path, false, err
}

// newNotePath returns where a note with a name can be created: with a bare name, in
// the folder for new notes.
func (o *Ops) newNotePath(ctx context.Context, s *index.Snapshot, name string, folder vpath.Path) (vpath.Path, error) {
	path, err := vpath.ParseNote(name)
	if err != nil {
		return "", err
	}
	if !path.IsNote() {
		return "", notMarkdown(name)
	}
	if err := o.checkNotSpecial(ctx, s, vpath.Path(name)); path != vpath.Path(name) && err != nil {
		return "", err
	}
	if path.Dir() == "" {
		path = folder.Join(path)
	}
	if !o.vault.MayWrite(path) {
		return "", o.vault.Closed(name)
	}
	return portablePath(s, path)
}

// notMarkdown is the refusal to write anything but a note.
func notMarkdown(name string) error {
	return fault.InvalidArgument.Errorf("'%s' is not a Markdown note; this tool writes .md files only", name)
}

// checkNotSpecial refuses a name that belongs to something other than a file or
// folder, such as a device: a caller that leaves out ".md" may mean that.
func (o *Ops) checkNotSpecial(ctx context.Context, s *index.Snapshot, path vpath.Path) error {
	if _, isFolder := s.Folder(path); isFolder {
		return nil
	}
	if _, err := o.vault.Exists(ctx, path); errors.Is(err, fault.PermissionDenied) {
		return err
	}
	return nil
}

// portablePath gives a new path the spelling of the existing folders, and checks
// that it can be created on all of the user's devices.
func portablePath(s *index.Snapshot, path vpath.Path) (vpath.Path, error) {
	spelled, existing := s.AdoptSpelling(path)
	if err := spelled.PortableBelow(existing); err != nil {
		return "", err
	}
	return existing.Join(below(spelled, existing).Compose()), nil
}

// below returns the part of a path inside a folder.
func below(path, folder vpath.Path) vpath.Path {
	if folder == "" {
		return path
	}
	return path[len(folder)+1:]
}

// compose builds a note from its body and its properties. Properties in a block at
// the head of the content stay, unless they are also given as properties.
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
		head, err := withProperties(nil, value.Fields) // the content does not start with valid frontmatter
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

// redirected lists the notes whose links pointed to another file until this one of
// the same name was created. Obsidian leaves such links alone, and so do we.
func (o *Ops) redirected(ctx context.Context, before *index.Snapshot, path vpath.Path) []string {
	now, err := o.vault.Texts(ctx)
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
