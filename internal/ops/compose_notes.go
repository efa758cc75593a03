package ops

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// ComposeNotes are the parameters of compose_notes.
type ComposeNotes struct {
	Action       string `json:"action" jsonschema:"extract, merge or split"`
	Note         string `json:"note" jsonschema:"the note whose text moves"`
	Target       string `json:"target" jsonschema:"extract, merge: the other note; split: the folder for the new notes" default:""`
	Section      string `json:"section" jsonschema:"extract: the section to move" default:""`
	Lines        string `json:"lines" jsonschema:"extract: or these lines, as 12-40" default:""`
	Level        int    `json:"level" jsonschema:"split: at headings of this level" default:"2"`
	Leave        string `json:"leave" jsonschema:"extract, split: what stays in its place: link, embed or none" default:"link"`
	DryRun       bool   `json:"dry_run"`
	Confirm      string `json:"confirm"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Composed is the result of compose_notes.
type Composed struct {
	Action       string   `json:"action"`
	Notes        []string `json:"notes"`
	FilesUpdated []string `json:"files_updated"`
	LinksUpdated int      `json:"links_updated"`
	DryRun       bool     `json:"dry_run"`
}

var composeNotes = tool.New(tool.Spec{
	Name: "compose_notes", Toolset: "vault", Title: "Extract, merge or split notes", Effect: tool.Destroys,
	About: "Moves text between notes as one change, and every link follows. extract: a section or lines of note go to target, a new or existing note. " +
		"merge: appends note to target, merges its properties, adds its name as an alias and moves it to the trash. split: each heading of a level becomes a note in the folder target. Try dry_run first.",
}, (*Ops).ComposeNotes)

// ComposeNotes moves text between notes as one unit.
func (o *Ops) ComposeNotes(ctx context.Context, in ComposeNotes) (Composed, error) {
	call := in
	call.Confirm, call.DryRun = "", false
	ctx, words := withTagConsent(ctx, in.Confirm, "compose_notes", call)
	return exclusively(ctx, o, in.ExpectedHash, func() (Composed, error) { return o.composeOnce(ctx, in, words) })
}

// compositions are the actions of compose_notes.
var compositions = map[string]func(*composition, context.Context) error{
	"extract": (*composition).extract, "merge": (*composition).merge, "split": (*composition).split,
}

// composition is one call of compose_notes.
type composition struct {
	unit
	in      ComposeNotes
	plan    *plan
	path    vpath.Path // of the note whose text moves
	file    store.File
	note    *md.Note
	targets []vpath.Path
}

func (o *Ops) composeOnce(ctx context.Context, in ComposeNotes, words []string) (Composed, error) {
	compose := compositions[in.Action]
	if compose == nil {
		actions := slices.Sorted(maps.Keys(compositions))
		return Composed{}, fault.InvalidArgument.Errorf("unknown action '%s'", in.Action).WithHint("actions are: %s", strings.Join(actions, ", "))
	}
	if !slices.Contains([]string{"link", "embed", "none"}, in.Leave) {
		return Composed{}, fault.InvalidArgument.Errorf("leave must be link, embed or none")
	}
	c := &composition{unit: unit{ops: o}, in: in}
	if err := c.open(ctx); err != nil {
		return Composed{}, err
	}
	if err := compose(c, ctx); err != nil {
		return Composed{}, err
	}
	touched := len(c.plan.files) + len(c.targets) + 1
	err := c.finish(ctx, consent{in.DryRun, in.Confirm, words}, touched, c.plan.changes, c.plan.vault.Commit)
	if errors.Is(err, fault.AlreadyExists) {
		err = taken(string(c.targets[0]))
	}
	if err != nil {
		return Composed{}, err
	}
	result := Composed{Action: in.Action, Notes: []string{}, FilesUpdated: c.plan.files, LinksUpdated: c.plan.links, DryRun: in.DryRun}
	for _, target := range c.targets {
		result.Notes = append(result.Notes, string(target))
	}
	return result, nil
}

// open finds and reads the note whose text moves.
func (c *composition) open(ctx context.Context) (err error) {
	c.s, c.path, err = c.ops.findExact(ctx, c.in.Note)
	if err = onlyNotes(c.in.Note, c.path, err); err != nil {
		return err
	}
	if err = c.ops.mayWrite(c.path, c.in.Note); err != nil {
		return err
	}
	if c.file, err = c.ops.readExpected(ctx, c.in.Note, c.path, c.in.ExpectedHash); err != nil {
		return err
	}
	if err = checkFresh(ctx, c.path, c.file.Data, c.in.ExpectedHash, guardsPart); err != nil {
		return err
	}
	if c.note, err = edit.Open(c.file.Data); err != nil {
		return err
	}
	c.plan, err = c.ops.newPlan(ctx, c.s)
	return err
}

// onto reads the note that text is added to.
func (c *composition) onto(ctx context.Context, name string, path vpath.Path) (store.File, *md.Note, error) {
	if path == c.path {
		return store.File{}, nil, fault.InvalidArgument.Errorf("target is the note itself")
	}
	if err := c.ops.mayWrite(path, name); err != nil {
		return store.File{}, nil, err
	}
	file, err := c.ops.readExpected(ctx, name, path, "")
	if err != nil {
		return store.File{}, nil, err
	}
	note, err := edit.Open(file.Data)
	return file, note, err
}

// follow plans to rewrite the links in all other files. Those in closed notes are resolved in the whole vault, for which
// prepare makes the same move again.
func (c *composition) follow(ctx context.Context, open *edit.Transplant, made []vpath.Path, prepare func(*vpath.Set, edit.LinkFormat) *edit.Transplant) error {
	closed := open.Links()
	if c.plan.vault.Limited() {
		closed = prepare(c.plan.vault.Snapshot.Paths, c.plan.vault.Format).Links().Spare(sparedLinks(c.plan.vault, []vpath.Path{c.path}))
	}
	skip := append(slices.Clone(c.targets), c.path)
	entries := slices.DeleteFunc(c.plan.searched(c.in.DryRun).MayLinkTo(append([]vpath.Path{c.path}, made...)...), func(entry *index.Entry) bool {
		return slices.Contains(skip, entry.Path)
	})
	return c.plan.rewrite(ctx, entries, func(path vpath.Path, data []byte) ([]md.Splice, int) {
		relink := open.Links()
		if !c.plan.vault.Open(path) {
			relink = closed
		}
		splices := linkSplices(relink, path, data)
		return splices, len(splices)
	})
}

// prepared makes a move for links in open notes.
func (c *composition) prepared(ctx context.Context, prepare func(*vpath.Set, edit.LinkFormat) *edit.Transplant) *edit.Transplant {
	moved := prepare(c.s.Paths, c.ops.vault.Settings(ctx).Links.Format)
	if c.plan.vault.Limited() {
		moved.Links().Pin() // so that no closed file of the same name gets them
	}
	return moved
}

// write plans to change or create a note.
func (c *composition) write(ctx context.Context, path vpath.Path, was store.File, data []byte) error {
	if bytes.Equal(was.Data, data) && was.Rev != store.Absent {
		return nil
	}
	if err := vault.CheckSize(path, data); err != nil {
		return err
	}
	var refusal error
	if was.Rev == store.Absent {
		refusal = c.ops.tags.checkNew(ctx, c.s, path, data)
	} else {
		before := md.Scan(was.Data)
		refusal = c.ops.tags.checkEdit(ctx, c.s, path, before, []md.Splice{{Span: md.Span{End: len(was.Data)}, Text: data}})
		c.had = append(c.had, allTags(before)...)
	}
	if err := c.allow(refusal); err != nil {
		return err
	}
	c.plan.changes = append(c.plan.changes, store.Change{Path: path, Base: was.Rev, Was: was.Data, Data: data})
	return nil
}

// left returns what remains in the place of a text that moves.
func (c *composition) left(ctx context.Context, moved *edit.Transplant, to vpath.Path, subpath string) (string, error) {
	if c.in.Leave == "none" {
		return "", nil
	}
	link, err := edit.NewLinkToPart(moved.Links().After(), c.path, to, subpath, c.ops.vault.Settings(ctx).Links, "")
	if c.in.Leave == "embed" {
		link = "!" + link
	}
	return link, err
}

// relinked returns the note that text is added to with its links rewritten.
func (c *composition) relinked(relink *edit.Relinker, path vpath.Path, note *md.Note) []byte {
	links := relink.Note(path, note)
	c.plan.links += len(links)
	return md.Apply(note.Source, links)
}

// added returns a note with text at its end. It refuses a note whose end would swallow the text.
func (c *composition) added(data, text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return data, nil
	}
	text = trimmed(text)
	note := md.Scan(data)
	data = md.Apply(data, edit.Append(note, string(text)))
	alone, after := md.Scan(text), md.Scan(data)
	if len(after.Headings) != len(note.Headings)+len(alone.Headings) || len(after.Links) < len(note.Links)+len(alone.Links) {
		return nil, fault.InvalidArgument.Errorf("appended to the other note, the text would have another meaning").
			WithHint("does that note end in a code block or comment that is not closed?")
	}
	return data, nil
}

// asBody returns a text that does not begin with frontmatter by accident.
func asBody(text []byte) []byte {
	if md.Scan(text).Front.Present {
		return append([]byte(md.LineEnd(text, 0)), text...)
	}
	return text
}

// trimmed returns a text without blank lines around it, and with a line end.
func trimmed(text []byte) []byte {
	eol := md.LineEnd(text, len(text))
	return append(bytes.TrimRight(bytes.TrimLeft(text, "\r\n"), " \t\r\n"), eol...)
}

// rest returns what remains of the note.
func (c *composition) rest(moved *edit.Transplant, left []string) []byte {
	text := moved.Rest(left)
	if c.note.Front.Present {
		return text
	}
	return asBody(text)
}
