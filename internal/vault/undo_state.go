package vault

import (
	"context"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/history"
)

// undoState is the state of the files that an undo leads to. Undoing several changes
// leads from one state to the next, without touching the vault in between.
type undoState struct {
	view    *View
	files   map[vpath.Path]plannedFile
	order   []vpath.Path // the paths in files, in the order in which they were first looked at
	configs map[string]*plannedConfig

	read    map[vpath.Path]store.Outcome // files that were read ahead
	current map[vpath.Path]currentFile
}

// plannedFile is a file in the state that an undo leads to.
type plannedFile struct {
	hash   string     // of its content; "": it does not exist
	origin vpath.Path // where the file is now; "" if the undo creates it
	load   loader     // returns its content
	change string     // the id of the change whose undo gives it that content; "": it has it now
}

type loader func(context.Context) ([]byte, error)

func (f plannedFile) exists() bool { return f.hash != "" }

// is reports whether the file has the content that it had at some time.
func (f plannedFile) is(then history.Content) bool { return f.hash == then.Hash }

// plannedConfig is a file of Obsidian's settings.
type plannedConfig struct {
	now  store.File
	hash string
	load loader
}

// currentFile is the state of a file now.
type currentFile struct {
	store.File
	exists bool
	hash   string // of its content
}

// newUndoState returns the current state. It reads files in as few requests as the store can.
func newUndoState(ctx context.Context, view *View, ahead []vpath.Path) *undoState {
	s := &undoState{
		view: view, files: map[vpath.Path]plannedFile{}, configs: map[string]*plannedConfig{},
		read: map[vpath.Path]store.Outcome{}, current: map[vpath.Path]currentFile{},
	}
	slices.Sort(ahead)
	ahead = slices.Compact(ahead)
	for i, outcome := range view.vault.store.ReadMany(ctx, ahead, MaxFile) {
		s.read[ahead[i]] = outcome
	}
	return s
}

// at returns a file as the undo leaves it so far.
func (s *undoState) at(ctx context.Context, path vpath.Path) (plannedFile, error) {
	if file, planned := s.files[path]; planned {
		return file, nil
	}
	now, err := s.now(ctx, path)
	if err != nil {
		return plannedFile{}, err
	}
	file := plannedFile{}
	if now.exists {
		file = plannedFile{hash: now.hash, origin: path, load: func(context.Context) ([]byte, error) { return now.Data, nil }}
	}
	s.set(path, file)
	return file, nil
}

// set changes how the undo leaves a file.
func (s *undoState) set(path vpath.Path, file plannedFile) {
	if _, planned := s.files[path]; !planned {
		s.order = append(s.order, path)
	}
	s.files[path] = file
}

// now returns the state of a file now.
func (s *undoState) now(ctx context.Context, path vpath.Path) (currentFile, error) {
	if path == "" {
		return currentFile{}, nil
	}
	if now, known := s.current[path]; known {
		return now, nil
	}
	outcome, wasRead := s.read[path]
	if !wasRead {
		outcome.File, outcome.Err = s.view.vault.Read(ctx, path, MaxFile)
	}
	now := currentFile{}
	if !errors.Is(outcome.Err, fault.NotFound) {
		if outcome.Err == nil {
			outcome.Err = CheckResolved(outcome.Info)
		}
		if outcome.Err != nil {
			return currentFile{}, outcome.Err
		}
		now = currentFile{outcome.File, true, store.Hash(outcome.Data)}
	}
	s.current[path] = now
	return now, nil
}

// config returns a file of Obsidian's settings.
func (s *undoState) config(ctx context.Context, name string) (*plannedConfig, error) {
	if known := s.configs[name]; known != nil {
		return known, nil
	}
	now, err := s.view.vault.store.Config(ctx, name)
	if err != nil {
		return nil, err
	}
	s.configs[name] = &plannedConfig{now: now, hash: store.Hash(now.Data)}
	return s.configs[name], nil
}
