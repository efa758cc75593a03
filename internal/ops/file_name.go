package ops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// findFile returns the file of any type that a name means. A name with its extension means that file; failing that, it
// is taken for the name of a note.
func (o *Ops) findFile(ctx context.Context, name string) (*index.Snapshot, vpath.Path, error) {
	if isURI(name) {
		return o.find(ctx, name)
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return nil, "", err
	}
	plain := withoutMarks(name)
	if path, err := o.fileNamed(ctx, s, plain); path != "" || err != nil {
		return s, path, err
	}
	s, path, err := o.find(ctx, name)
	if errors.Is(err, fault.NotFound) && strings.Contains(plain, ".") {
		didYouMean(ctx, s.SuggestFiles(plain, maxSuggested))
		err = notFoundFile(name)
	}
	return s, path, err
}

func notFoundFile(name string) error { return fault.NotFound.Errorf("File '%s' not found", name) }

// fileNamed returns the file with a path, or else the only one with a base name; "" if there is none.
func (o *Ops) fileNamed(ctx context.Context, s *index.Snapshot, name string) (vpath.Path, error) {
	path, err := vpath.Parse(name)
	if err != nil {
		return "", nil
	}
	if found, ok := s.Paths.Find(path); ok {
		return found, nil
	}
	named := slices.DeleteFunc(slices.Clone(s.Paths.Named(name)), func(file vpath.Path) bool { return vpath.FoldKey(file.Base()) != path.Key() })
	switch len(named) {
	case 0:
		found, _ := o.vault.Lookup(ctx, path) // it may have been created a moment ago
		return found, nil
	case 1:
		return named[0], nil
	}
	return "", index.Ambiguous(name, named)
}
