package ops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// findFilePart returns the file of any type that a name means, and the part behind a "#". A name with its extension means
// that file, as does the name without it, if no note is called so.
func (o *Ops) findFilePart(ctx context.Context, name string) (s *index.Snapshot, path vpath.Path, part string, err error) {
	if isURI(name) {
		return o.findPart(ctx, name)
	}
	if s, err = o.vault.Texts(ctx); err != nil {
		return nil, "", "", err
	}
	plain := withoutMarks(name)
	if path, err := o.fileNamed(ctx, s, plain); path != "" || err != nil {
		return s, path, "", err
	}
	if file, after, hasPart := strings.Cut(plain, "#"); hasPart {
		if path, err := o.fileNamed(ctx, s, file); path != "" || err != nil {
			return s, path, after, err
		}
	}
	_, path, part, err = o.findPart(ctx, name)
	if !errors.Is(err, fault.NotFound) {
		return s, path, part, err
	}
	stem, _, _ := strings.Cut(plain, "#")
	if named := s.FilesWithStem(stem); len(named) == 1 {
		tool.ClearHints(ctx, tool.HintSuggest)
		return s, named[0], "", nil
	} else if len(named) > 1 {
		return s, "", "", index.Ambiguous(name, named)
	}
	if near := s.SuggestFiles(plain, maxSuggested); len(near) > 0 || strings.Contains(plain, ".") {
		tool.ClearHints(ctx, tool.HintSuggest)
		didYouMean(ctx, near)
	}
	if strings.Contains(plain, ".") {
		err = notFoundFile(name)
	}
	return s, "", "", err
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
