package ops

import (
	"context"
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// maxSuggested is how many notes an error suggests.
const maxSuggested = 5

// find returns the current snapshot of the vault, and the file that a name means in it. Besides base names and paths it
// accepts what models copy from notes and answers: an alias, a wikilink, a resource URI, a leading slash.
func (o *Ops) find(ctx context.Context, name string) (*index.Snapshot, vpath.Path, error) {
	s, path, part, err := o.findPart(ctx, name)
	if err == nil && part != "" {
		return nil, "", fault.InvalidArgument.Errorf("'%s' names a part of a note; this tool works on whole notes", name).
			WithHint("leave out '#%s'", part)
	}
	return s, path, err
}

// findNote is find for tools that work on notes only.
func (o *Ops) findNote(ctx context.Context, name string) (*index.Snapshot, vpath.Path, error) {
	s, path, err := o.find(ctx, name)
	return s, path, onlyNotes(name, path, err)
}

// findExact is find for tools that must not guess: they refuse an alias, and suggest the note that it belongs to.
func (o *Ops) findExact(ctx context.Context, name string) (*index.Snapshot, vpath.Path, error) {
	s, path, err := o.findWritten(ctx, name, o.findNamed)
	if errors.Is(err, fault.NotFound) {
		o.suggest(ctx, s, withoutMarks(name))
	}
	return s, path, err
}

func onlyNotes(name string, path vpath.Path, err error) error {
	if err == nil && !path.IsNote() {
		return fault.InvalidArgument.Errorf("'%s' is not a Markdown note; this tool works on .md files only", name)
	}
	return err
}

// findPart is find for tools that can use the part of a note: the heading of "Name#Heading", or "^id" of "Name#^id".
func (o *Ops) findPart(ctx context.Context, name string) (s *index.Snapshot, path vpath.Path, part string, err error) {
	s, path, err = o.findWritten(ctx, name, o.findPlain)
	if err == nil || s == nil || errors.Is(err, fault.AmbiguousName) || isURI(name) {
		return s, path, "", err
	}
	plain := withoutMarks(name)
	if note, after, ok := strings.Cut(plain, "#"); ok && strings.TrimSpace(note) != "" {
		path, partErr := o.findPlain(ctx, s, strings.TrimSpace(note))
		if partErr == nil || errors.Is(partErr, fault.AmbiguousName) {
			return s, path, strings.TrimSpace(after), partErr
		}
		plain = note
	}
	if errors.Is(err, fault.NotFound) || plain != name && !errors.Is(err, fault.PermissionDenied) {
		err = index.NotFound(name)
		o.suggest(ctx, s, plain)
	}
	return s, "", "", err
}

// findWritten finds a file by a name as it is written. Failing that, it takes the name for a URI, or calls find with
// the name inside a wikilink.
func (o *Ops) findWritten(
	ctx context.Context, name string, find func(context.Context, *index.Snapshot, string) (vpath.Path, error),
) (*index.Snapshot, vpath.Path, error) {
	s, path, asWritten := o.vault.Find(ctx, name)
	if asWritten == nil || s == nil || errors.Is(asWritten, fault.AmbiguousName) {
		return s, path, asWritten
	}
	if isURI(name) {
		path, err := o.findByURI(ctx, name)
		return s, path, err
	}
	if path, err := find(ctx, s, withoutMarks(name)); err == nil || errors.Is(err, fault.AmbiguousName) {
		return s, path, err
	}
	return s, "", asWritten
}

func isURI(name string) bool { return strings.Contains(name, "://") }

// findNamed finds a note by its name or path.
func (o *Ops) findNamed(ctx context.Context, _ *index.Snapshot, name string) (vpath.Path, error) {
	_, path, err := o.vault.Find(ctx, name)
	return path, err
}

// findPlain finds a note by its name, path or alias.
func (o *Ops) findPlain(ctx context.Context, s *index.Snapshot, name string) (vpath.Path, error) {
	path, err := o.findNamed(ctx, s, name)
	if err == nil || errors.Is(err, fault.AmbiguousName) {
		return path, err
	}
	aliased := s.Aliased(name)
	switch len(aliased) {
	case 0:
		return "", err
	case 1:
		tool.AddHint(ctx, tool.HintSuggest, "'%s' is an alias of '%s'.", name, s.Name(aliased[0]))
		return aliased[0], nil
	}
	return "", index.Ambiguous(name, aliased)
}

// withoutMarks returns what a wikilink names, and drops a leading slash.
func withoutMarks(name string) string {
	name = strings.TrimSpace(name)
	inner, isLink := strings.CutPrefix(strings.TrimPrefix(name, "!"), "[[")
	if inner, closed := strings.CutSuffix(inner, "]]"); isLink && closed {
		name, _, _ = strings.Cut(inner, "|")
		name = strings.TrimSpace(strings.TrimSuffix(name, `\`)) // in a table the bar is escaped
	}
	return strings.TrimPrefix(name, "/")
}

// suggest adds a hint that names the notes that a caller may have meant.
func (o *Ops) suggest(ctx context.Context, s *index.Snapshot, name string) {
	if s != nil && !s.HasWords() {
		s, _ = o.vault.Snapshot(ctx) // suggestions may come from a search
	}
	if s == nil {
		return
	}
	var names []string
	for _, path := range s.Suggest(ctx, name, maxSuggested) {
		names = append(names, s.Name(path))
	}
	didYouMean(ctx, names)
}

// didYouMean adds a hint with names to choose from.
func didYouMean(ctx context.Context, names []string) {
	if len(names) > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "Did you mean: %s?", strings.Join(names, ", "))
	}
}
