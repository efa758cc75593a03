package ops

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/periodic"
)

// CreateFromTemplate are the parameters of create_from_template.
type CreateFromTemplate struct {
	Template     string      `json:"template" jsonschema:"name or path of the template"`
	Name         string      `json:"name" jsonschema:"the new note; without it, a unique note named by the time" default:""`
	Variables    tool.Object `json:"variables" jsonschema:"values of further {{variables}}" default:"{}"`
	Into         string      `json:"into" jsonschema:"an existing note to insert into instead" default:""`
	DryRun       bool        `json:"dry_run"`
	ExpectedHash string      `json:"expected_hash" hidden:"true"`
}

// FromTemplate is the result of create_from_template.
type FromTemplate struct {
	Name     string   `json:"name"`
	Path     string   `json:"path"`
	Warnings []string `json:"warnings"`
	Content  *string  `json:"content,omitempty"`
}

var createFromTemplate = tool.New(tool.Spec{
	Name: "create_from_template", Toolset: "daily", Title: "Create from a template", Effect: tool.Adds,
	About: "Creates a note from one of the vault's templates, or adds a template to an existing note: properties are merged, the text comes last. " +
		"Fills in Obsidian's variables and simple Templater tags; never runs code. A dry run shows the text. vault_info lists the templates.",
}, (*Ops).CreateFromTemplate)

// CreateFromTemplate makes a note from a template, or adds one to a note.
func (o *Ops) CreateFromTemplate(ctx context.Context, in CreateFromTemplate) (FromTemplate, error) {
	if in.Name != "" && in.Into != "" {
		return FromTemplate{}, fault.InvalidArgument.Errorf("give either name or into")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(in.Variables, &given); err != nil {
		return FromTemplate{}, fault.InvalidArgument.Errorf("variables must be an object such as {\"client\":\"ACME\"}")
	}
	variables := map[string]string{}
	for name, value := range given {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value) // numbers and lists as they were written
		}
		variables[name] = text
	}
	return retryConflicts(ctx, in.ExpectedHash, func() (FromTemplate, error) { return o.fromTemplateOnce(ctx, in, variables) })
}

func (o *Ops) fromTemplateOnce(ctx context.Context, in CreateFromTemplate, variables map[string]string) (FromTemplate, error) {
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return FromTemplate{}, err
	}
	layout := o.vault.Layout(ctx)
	source, err := findTemplate(ctx, s, layout, in.Template)
	if err != nil {
		return FromTemplate{}, err
	}
	if in.Into != "" {
		return o.templateInto(ctx, in, layout, source, variables)
	}
	path, err := o.placeFromTemplate(ctx, s, layout, in.Name)
	if err == nil && in.ExpectedHash != "" {
		err = vault.ExpectAbsent(path, in.ExpectedHash)
	}
	if err != nil {
		return FromTemplate{}, err
	}
	values := o.templateValues(layout, path)
	values.Given = variables
	text, left, err := o.rendered(ctx, source, values)
	if err != nil {
		return FromTemplate{}, err
	}
	data := []byte(text)
	if err := errors.Join(o.tags.checkNew(ctx, s, path, data), vault.CheckSize(path, data)); err != nil {
		return FromTemplate{}, err
	}
	result := FromTemplate{Name: path.Name(), Path: string(path), Warnings: templateWarnings(left)}
	if in.DryRun {
		result.Content = &text
		return result, nil
	}
	if _, err := o.vault.Commit(ctx, []store.Change{{Path: path, Data: data}}); err != nil {
		if errors.Is(err, fault.AlreadyExists) {
			err = taken(string(path))
		}
		return FromTemplate{}, err
	}
	result.Name = o.name(ctx, path)
	return result, nil
}

// templateInto adds a template to an existing note.
func (o *Ops) templateInto(ctx context.Context, in CreateFromTemplate, layout vault.Layout, source vpath.Path, variables map[string]string) (FromTemplate, error) {
	s, path, err := o.findNote(ctx, in.Into)
	if err != nil {
		return FromTemplate{}, err
	}
	result := FromTemplate{Name: s.Name(path), Path: string(path)}
	add := func(note *md.Note) ([]byte, error) {
		values := o.templateValues(layout, path)
		values.Given = variables
		if entry := s.Entry(path); entry != nil {
			values.Created, values.Modified = o.clock.at(entry.Created), o.clock.at(entry.Modified)
		}
		values.Property = func(name string) (string, bool) {
			block, err := edit.Properties(note)
			if err != nil {
				return "", false
			}
			value, found := block.Get(name)
			return value.Text, found && value.Kind == front.Text
		}
		text, left, err := o.rendered(ctx, source, values)
		if err != nil {
			return nil, err
		}
		result.Warnings = templateWarnings(left)
		return withTemplate(note, []byte(text))
	}
	if in.DryRun {
		file, err := o.readExpected(ctx, in.Into, path, in.ExpectedHash)
		if err != nil {
			return FromTemplate{}, err
		}
		note, err := edit.Open(file.Data)
		if err != nil {
			return FromTemplate{}, err
		}
		data, err := add(note)
		if err == nil {
			err = o.tags.checkEdit(ctx, s, path, note, wholeNote(note, data))
		}
		if err == nil {
			err = o.mayWrite(path, in.Into)
		}
		if err != nil {
			return FromTemplate{}, err
		}
		result.Content = new(readable(data))
		return result, nil
	}
	_, _, err = o.edit(ctx, in.Into, in.ExpectedHash, func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		data, err := add(note)
		return wholeNote(note, data), err
	})
	if err != nil {
		return FromTemplate{}, err
	}
	return result, nil
}

// wholeNote replaces all of a note.
func wholeNote(note *md.Note, data []byte) []md.Splice {
	return []md.Splice{{Span: md.Span{End: len(note.Source)}, Text: data}}
}

// withTemplate returns a note with what a template made: its properties are merged, its text comes last.
func withTemplate(note *md.Note, text []byte) ([]byte, error) {
	added := md.Scan(text)
	data := note.Source
	if added.Front.Present {
		properties, err := edit.Properties(added)
		if err != nil {
			return nil, err
		}
		if data, err = edit.MergeProperties(data, properties.Fields(), nil); err != nil {
			return nil, err
		}
	}
	body := strings.Trim(string(text[added.Body:]), "\r\n")
	if strings.TrimSpace(body) == "" {
		return data, nil
	}
	return md.Apply(data, edit.Append(md.Scan(data), body+md.LineEnd(data, len(data)))), nil
}

// placeFromTemplate returns the path of a new note. Without a name, it is that of a unique note, as Obsidian makes them.
func (o *Ops) placeFromTemplate(ctx context.Context, s *index.Snapshot, layout vault.Layout, name string) (vpath.Path, error) {
	if name != "" {
		_, path, exists, err := o.findOrPlace(ctx, name)
		if err == nil && exists {
			err = fault.AlreadyExists.Errorf("Note '%s' already exists", name).WithHint("use into='%s' to add the template to it", name)
		}
		return path, err
	}
	last := ""
	for at := o.clock.moment(); ; at = at.Add(1, moment.Minute) {
		name := periodic.Tidy(layout.Unique.Folder + "/" + layout.Periods.Locale.Format(at, layout.Unique.Format))
		if name == last {
			return "", fault.AlreadyExists.Errorf("Note '%s' already exists, and the format of unique notes has no minutes", name).WithHint("give a name")
		}
		last = name
		path, err := o.newNotePath(ctx, s, name, "")
		if err != nil {
			return "", err
		}
		if _, exists := s.Paths.Find(path); !exists {
			return path, nil
		}
	}
}
