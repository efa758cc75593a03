// Package ops holds the tools, one file each: parameters, result, description and
// behaviour together. Code that several tools share is in files named after its
// subject: finding and editing a note, the tag policy, confirmation.
//
// A tool promises to change nothing if it fails, to leave every byte outside of its
// edit as it was, and to reveal nothing about notes that are closed to its caller.
// Package vault does the reading and writing, and surfaces render the results.
package ops

import (
	"cmp"
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/outside/vaultsync"
	"obsidian-mcp/internal/text/shingle"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// All lists every tool in display order.
func All() []tool.Definition[*Ops] {
	return []tool.Definition[*Ops]{
		readNote, createNote, appendNote, updateNote, deleteNote, renameNote,
		searchNotes, getLinks, getNoteMetadata, setFrontmatter, addTag, removeTag,
		listNotes, replaceText, insertText,
		readSection, appendSection, updateSection, deleteSection,
		getHeadings, findBrokenLinks, getHelp,
		findNotes, gatherContext, summariseNote,
		noteRead, noteUpsert, vaultSearch, publishADR,
		backlinksSearch, graphNeighbors, graphReport, linkAdd,
		listChanges, showChange, undoChange, restoreNote,
		vaultInfo, readNotes, editNotes, renameInVault, composeNotes, findProperties,
		periodicNote, appendPeriodicNote, createFromTemplate,
		findTasks, updateTask,
		queryVault,
		listFiles, readFile, writeFile, editCanvas,
		findConflicts, resolveConflict, vaultSync,
		obsidianStatus, obsidianOpen, obsidianCommand,
	}
}

// Options say how the tools behave.
type Options struct {
	TagPolicy   TagPolicy
	TagRules    []TagRule
	ConfirmOver int    // notes that one call may change without confirmation; 0: any number
	Secret      []byte // the key that signs confirmation ids
	VaultID     string // the vault's name in URIs
	ReadLimit   int    // characters that read_note returns without a number of lines; 0: any number
	MaxUpload   int    // bytes of a file that write_file accepts; 0: MaxUpload

	NewBlockID func() string // makes ids for blocks; default: six random hexadecimal digits, as Obsidian's

	Sync        *vaultsync.Syncer // nil: not configured
	Decisions   *Decisions        // nil: not configured
	App         App               // nil: not configured
	AppCommands []string          // ids of the app's commands that obsidian_command runs

	Zone       *time.Location   // where it is whose day counts; nil: the system's zone
	ZoneSource string           // who says so
	Now        func() time.Time // default time.Now
}

// Ops is what the tools work on, for callers with the same rights.
type Ops struct {
	vault   *vault.View
	uris    resource.URIs
	tags    tagGuard
	confirm confirmer
	help    *tool.Registry

	readLimit  int
	maxUpload  int
	vaultID    string
	clock      clock
	newBlockID func() string
	called     textMemory[calledIn]
	sketched   textMemory[shingle.Set]

	sync        *vaultsync.Syncer
	decisions   *Decisions
	app         App
	appCommands []string
}

// clock knows what time it is where the user is.
type clock struct {
	read   func() time.Time
	zone   *time.Location
	source string // of the zone
}

func newClock(options Options) clock {
	c := clock{options.Now, options.Zone, options.ZoneSource}
	if c.read == nil {
		c.read = time.Now
	}
	if c.zone == nil {
		c.zone, c.source = time.Local, "the system"
	}
	return c
}

func (c clock) now() time.Time { return c.read().In(c.zone) }

// New binds the tools to the part of a vault that a caller may see.
func New(view *vault.View, options Options) (*Ops, *tool.Registry) {
	o := &Ops{
		vault: view,
		uris:  resource.NewURIs(options.VaultID), readLimit: options.ReadLimit, maxUpload: cmp.Or(options.MaxUpload, MaxUpload), vaultID: options.VaultID, clock: newClock(options),
		tags:    tagGuard{policy: options.TagPolicy, rules: options.TagRules, limited: view.Key() != ""},
		confirm: confirmer{over: options.ConfirmOver, secret: options.Secret, rights: view.Key(), now: time.Now},
	}
	o.sync, o.decisions = options.Sync, options.Decisions
	o.app, o.appCommands = options.App, options.AppCommands
	if o.newBlockID = options.NewBlockID; o.newBlockID == nil {
		o.newBlockID = randomBlockID
	}
	registry := tool.NewRegistry(tool.Bind(o, All())).Only(func(t tool.Tool) bool { return options.provide(t.Needs) })
	o.help = registry
	return o, registry
}

// provide reports whether the options hold what a tool needs beside the vault.
func (o Options) provide(need tool.Need) bool {
	switch need {
	case tool.NeedsNothing:
		return true
	case tool.NeedsSync:
		return o.Sync != nil
	case tool.NeedsADR:
		return o.Decisions != nil
	case tool.NeedsApp:
		return o.App != nil
	}
	return false
}

// Offer sets the tools that get_help lists.
func (o *Ops) Offer(registry *tool.Registry) { o.help = registry }

// limited reports whether the caller may see or write only a part of the vault.
func (o *Ops) limited() bool { return o.vault.Key() != "" }

// editing returns the splices that change a note.
type editing func(*index.Snapshot, *md.Note) ([]md.Splice, error)

// edit changes one note, if the tag policy allows the change.
func (o *Ops) edit(ctx context.Context, name, expected string, change editing) (vpath.Path, vault.Edited, error) {
	return o.editAt(ctx, name, expected, func(s *index.Snapshot, _ vpath.Path, note *md.Note) ([]md.Splice, error) {
		return change(s, note)
	})
}

func (o *Ops) editAt(
	ctx context.Context, name, expected string, change func(*index.Snapshot, vpath.Path, *md.Note) ([]md.Splice, error),
) (vpath.Path, vault.Edited, error) {
	s, path, err := o.findNote(ctx, name)
	if err != nil {
		return "", vault.Edited{}, err
	}
	var had []string
	edited, err := o.vault.Edit(ctx, path, expected, func(note *md.Note) ([]md.Splice, error) {
		splices, err := change(s, path, note)
		if err != nil {
			return nil, err
		}
		had = allTags(note)
		return splices, o.consentToTags(ctx, o.tags.checkEdit(ctx, s, path, note, splices))
	})
	if edited.Changed {
		o.noteDroppedTags(ctx, had)
	}
	if errors.Is(err, fault.NotFound) && fault.KindOf(err) == fault.NotFound && o.isGone(ctx, path) {
		err = index.NotFound(name)
	}
	return path, edited, err
}

// isGone reports whether a file of the index no longer exists.
func (o *Ops) isGone(ctx context.Context, path vpath.Path) bool {
	_, exists := o.vault.Lookup(ctx, path)
	return !exists
}

// name returns the current name of a note.
func (o *Ops) name(ctx context.Context, path vpath.Path) string {
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return path.Name()
	}
	return s.Name(path)
}

// changed returns the metadata of an edit's result.
func changed(edited vault.Edited) tool.Meta {
	return tool.Meta{"hash": edited.Hash, "changed": edited.Changed}
}

// page returns the part of a list that limit and offset select.
func page[T any](list []T, limit, offset int) ([]T, error) {
	from, to, err := pageOf(len(list), limit, offset)
	return list[from:to], err
}

// pageOf returns where the part of a list that limit and offset select begins and ends.
func pageOf(total, limit, offset int) (from, to int, err error) {
	if limit < 0 || offset < 0 {
		return 0, 0, fault.InvalidArgument.Errorf("limit and offset must not be negative")
	}
	from = min(offset, total)
	return from, from + min(limit, total-from), nil
}
