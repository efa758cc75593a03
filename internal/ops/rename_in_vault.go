package ops

import (
	"context"
	"errors"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
)

// RenameInVault are the parameters of rename_in_vault.
type RenameInVault struct {
	Kind         string `json:"kind" jsonschema:"tag, heading, property, block or folder"`
	From         string `json:"from" jsonschema:"the old name; a folder ends in /"`
	To           string `json:"to" jsonschema:"the new name; a folder ends in /"`
	Note         string `json:"note" jsonschema:"the note with the heading or block" default:""`
	Settings     bool   `json:"settings" jsonschema:"folder: also change plugin settings that point into it" default:"false"`
	DryRun       bool   `json:"dry_run"`
	Confirm      string `json:"confirm"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// RenamedInVault is the result of rename_in_vault.
type RenamedInVault struct {
	Kind         string   `json:"kind"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	FilesUpdated []string `json:"files_updated"`
	LinksUpdated int      `json:"links_updated"`
	Mentioned    []string `json:"mentioned"`
	DryRun       bool     `json:"dry_run"`
}

var renameInVault = tool.New(tool.Spec{
	Name: "rename_in_vault", Toolset: "vault", Title: "Rename in the whole vault", Effect: tool.Destroys,
	About: "Renames a tag (nested ones follow), a heading or block id with all links to it, a property key, or a folder with all files in it, everywhere as one change. " +
		"mentioned lists queries that use the name; they are not changed. Try dry_run first. Use rename_note for one note.",
}, (*Ops).RenameInVault)

// RenameInVault renames something in all notes as one unit.
func (o *Ops) RenameInVault(ctx context.Context, in RenameInVault) (RenamedInVault, error) {
	if in.ExpectedHash != "" {
		return RenamedInVault{}, fault.InvalidArgument.Errorf("expected_hash is for one note; rename_in_vault may change many")
	}
	call := in
	call.Confirm, call.DryRun = "", false
	ctx, words := withTagConsent(ctx, in.Confirm, "rename_in_vault", call)
	return exclusively(ctx, o, "", func() (RenamedInVault, error) { return o.renameEverywhere(ctx, in, words) })
}

// renamings are the kinds of things that can be renamed.
var renamings = map[string]func(*renaming, context.Context) error{
	"tag": (*renaming).tag, "property": (*renaming).property, "heading": (*renaming).heading, "block": (*renaming).block, "folder": (*renaming).folder,
}

// renaming is one call of rename_in_vault.
type renaming struct {
	unit
	in        RenameInVault
	plan      *plan
	moved     int      // files that move and otherwise stay as they are
	settings  []string // files of settings that point into a folder
	mentioned map[vpath.Path]bool
}

func (o *Ops) renameEverywhere(ctx context.Context, in RenameInVault, words []string) (RenamedInVault, error) {
	rename := renamings[in.Kind]
	if rename == nil {
		kinds := slices.Sorted(maps.Keys(renamings))
		return RenamedInVault{}, fault.InvalidArgument.Errorf("unknown kind '%s'", in.Kind).WithHint("kinds are: %s", strings.Join(kinds, ", "))
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return RenamedInVault{}, err
	}
	p, err := o.newPlan(ctx, s)
	if err != nil {
		return RenamedInVault{}, err
	}
	r := &renaming{unit: unit{ops: o, s: s}, in: in, plan: p, mentioned: map[vpath.Path]bool{}}
	if err := rename(r, ctx); err != nil {
		return RenamedInVault{}, err
	}
	if err := r.finish(ctx, consent{in.DryRun, in.Confirm, words}, len(p.files)+r.moved, p.changes, p.vault.Commit); err != nil {
		return RenamedInVault{}, err
	}
	return RenamedInVault{
		Kind: in.Kind, From: r.in.From, To: r.in.To, FilesUpdated: p.files, LinksUpdated: p.links, Mentioned: r.mentions(), DryRun: in.DryRun,
	}, nil
}

// did chooses between what was done and what a dry run would do.
func (r *renaming) did(done, would string) string {
	if r.in.DryRun {
		return would
	}
	return done
}

// editEach adds to the plan what change does to each of some open notes.
func (r *renaming) editEach(ctx context.Context, paths []vpath.Path, change noteChange) error {
	slices.Sort(paths)
	for batch, read := range r.readAhead(ctx, paths) {
		edited := make([]editedNote, len(batch))
		var crew sync.WaitGroup
		workers := runtime.GOMAXPROCS(0)
		for worker := range workers {
			crew.Go(func() {
				for i := worker; i < len(batch); i += workers {
					if read[i].Err == nil {
						edited[i] = editNote(batch[i], read[i].Data, change)
					}
				}
			})
		}
		crew.Wait()
		for i := range batch {
			if errors.Is(read[i].Err, fault.NotFound) {
				continue // it was deleted in the meantime
			}
			if read[i].Err != nil {
				return read[i].Err
			}
			if err := r.addEdited(ctx, batch[i], read[i].File, edited[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readAhead reads files in batches, each while the one before is worked on.
func (r *renaming) readAhead(ctx context.Context, paths []vpath.Path) iter.Seq2[[]vpath.Path, []store.Outcome] {
	return func(yield func([]vpath.Path, []store.Outcome) bool) {
		batches := slices.Collect(slices.Chunk(paths, readBatch))
		next := make(chan []store.Outcome, 1)
		var reading sync.WaitGroup
		defer reading.Wait()
		for i, batch := range batches {
			if i == 0 {
				next <- r.plan.vault.ReadMany(ctx, batch, maxPart)
			}
			read := <-next
			if i+1 < len(batches) {
				reading.Go(func() { next <- r.plan.vault.ReadMany(ctx, batches[i+1], maxPart) })
			}
			if !yield(batch, read) {
				return
			}
		}
	}
}

// noteChange returns the changes of a note, and how many of them are links.
type noteChange func(path vpath.Path, note *md.Note) (splices []md.Splice, links int, err error)

// editedNote is a note with its changes, or the reason why it has none.
type editedNote struct {
	note    *md.Note
	splices []md.Splice
	links   int
	err     error
}

func editNote(path vpath.Path, data []byte, change noteChange) editedNote {
	note, err := edit.Open(data)
	if err != nil {
		return editedNote{err: err}
	}
	splices, links, err := change(path, note)
	return editedNote{note, splices, links, err}
}

// addEdited adds the changes of a note to the plan. A note that cannot be edited is mentioned.
func (r *renaming) addEdited(ctx context.Context, path vpath.Path, file store.File, edited editedNote) error {
	note, splices, err := edited.note, edited.splices, edited.err
	if errors.Is(err, fault.InvalidArgument) || !r.ops.vault.MayWrite(path) {
		r.mentioned[path] = true
		return nil
	}
	if err == nil {
		err = r.allow(r.ops.tags.checkEdit(ctx, r.s, path, note, splices))
	}
	if err != nil {
		return err
	}
	if entry := r.s.Entry(path); entry != nil && !r.in.DryRun {
		r.had = append(r.had, entry.Tags...)
	}
	return r.plan.change(file, splices, edited.links)
}
