package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/template"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// templateValues returns what templates can say about a note.
func (o *Ops) templateValues(layout vault.Layout, path vpath.Path) template.Values {
	now := o.clock.moment()
	return template.Values{
		Title: path.Name(), Folder: string(path.Dir()), Now: now, Locale: layout.Periods.Locale,
		DateFormat: layout.Dates.Date, TimeFormat: layout.Dates.Time, Created: now, Modified: now,
	}
}

// rendered reads a template and fills it in. It returns how many tags of Templater were left as they are.
func (o *Ops) rendered(ctx context.Context, path vpath.Path, values template.Values) (text string, left int, err error) {
	file, err := o.readText(ctx, string(path), path, vault.MaxNote)
	if err != nil {
		return "", 0, err
	}
	text, left = template.Render(string(file.Data), values)
	return text, left, nil
}

// templateWarnings says what was left in a text that a template made.
func templateWarnings(left int) []string {
	if left == 0 {
		return []string{}
	}
	verb := "were"
	if left == 1 {
		verb = "was"
	}
	return []string{amount.Of(left, "Templater tag") + " " + verb + " not run"}
}

// findTemplate finds a template by its path, its path in a folder of templates, or its name.
func findTemplate(ctx context.Context, s *index.Snapshot, layout vault.Layout, name string) (vpath.Path, error) {
	if path, exists := s.Paths.Find(vpath.Path(strings.TrimSuffix(strings.Trim(name, "/"), vpath.NoteExt) + vpath.NoteExt)); exists {
		return path, nil
	}
	wanted := vpath.FoldKey(strings.TrimSuffix(name, vpath.NoteExt))
	all := layout.TemplatesIn(s)
	var inFolder, named []vpath.Path
	for _, path := range all {
		if slices.ContainsFunc(layout.Templates, func(from vault.TemplateFolder) bool {
			return path.In(from.Folder) && vpath.FoldKey(string(below(path, from.Folder).WithoutExt())) == wanted
		}) {
			inFolder = append(inFolder, path)
		}
		if vpath.FoldKey(path.Name()) == wanted {
			named = append(named, path)
		}
	}
	found := inFolder
	if len(found) == 0 {
		found = named
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fault.AmbiguousName.Errorf("several templates are called '%s': %s", name, amount.Few(texts(found), shownCollisions))
	case len(layout.Templates) == 0:
		resolver := s.Paths.From("")
		if path, ok := resolver.Resolve(name); ok && path.IsNote() {
			return path, nil
		}
		return "", fault.NotFound.Errorf("Template '%s' not found; the vault has no folder of templates", name).WithHint("any note can be a template: give its name")
	}
	names := texts(all)
	var known []string
	for _, path := range all {
		known = append(known, path.Name())
	}
	if near := fault.Nearest(name, append(known, names...)); near != "" {
		didYouMean(ctx, []string{near})
	}
	return "", fault.NotFound.Errorf("Template '%s' not found", name).WithHint("templates are: %s", amount.Few(names, shownCollisions))
}

func texts(paths []vpath.Path) []string {
	list := make([]string, len(paths))
	for i, path := range paths {
		list[i] = string(path.WithoutExt())
	}
	return list
}

// suggestTemplate names the template that Obsidian would use for a new note, if the caller may read it.
func (o *Ops) suggestTemplate(ctx context.Context, s *index.Snapshot, path vpath.Path) {
	setting := o.vault.NewNoteTemplate(ctx, path)
	if setting == "" {
		return
	}
	resolver := s.Paths.From("")
	if found, ok := resolver.Resolve(setting); ok {
		tool.AddHint(ctx, tool.HintSuggest, "In Obsidian, new notes here start from the template '%s'; create_from_template uses it.", found.WithoutExt())
	}
}
