package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/tool"
)

// SetFrontmatter are the parameters of set_frontmatter.
type SetFrontmatter struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Key          string `json:"key" jsonschema:"name of the property"`
	Value        string `json:"value" loose:"true" jsonschema:"text, or JSON for a list, number, true, false, null or object"`
	Confirm      string `json:"confirm"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Property is the result of set_frontmatter.
type Property struct {
	tool.Meta `json:"-"`
	Name      string `json:"name"`
	Key       string `json:"key"`
	Value     string `json:"value"`
}

var setFrontmatter = tool.New(tool.Spec{
	Name: "set_frontmatter", Toolset: "notes", Title: "Set a property", Effect: tool.Destroys, Idempotent: true,
	About: "Sets one property, replacing its whole value; all other bytes of the note stay the same. Use add_tag and remove_tag for tags.",
}, (*Ops).SetFrontmatter)

// SetFrontmatter sets a property.
func (o *Ops) SetFrontmatter(ctx context.Context, in SetFrontmatter) (Property, error) {
	if strings.TrimSpace(in.Key) == "" {
		return Property{}, fault.InvalidArgument.Errorf("the property needs a name")
	}
	value := propertyValue(in.Value)
	call := in
	call.Confirm = ""
	ctx, _ = withTagConsent(ctx, in.Confirm, "set_frontmatter", call)
	replaces := unguarded
	if value.Kind == front.List || value.Kind == front.Map {
		replaces = guardsPart // it may have been built from what the caller was shown
	}
	var before *index.Snapshot
	path, edited, err := o.editShown(ctx, in.Name, in.ExpectedHash, replaces, func(s *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		before = s
		return edit.SetProperty(note, in.Key, value)
	})
	if err != nil {
		return Property{}, err
	}
	o.hintPropertyType(ctx, before, in.Key, value)
	return Property{changed(edited), o.name(ctx, path), in.Key, in.Value}, nil
}

// propertyValue reads a value: JSON keeps its type, anything else is text.
func propertyValue(text string) front.Value {
	if value, err := front.FromJSON([]byte(text)); err == nil {
		return value
	}
	return front.TextValue(text)
}

// hintPropertyType says so if a value does not fit the type that a property has in the whole vault. A limited caller is
// not told the type of a property that only closed notes had before.
func (o *Ops) hintPropertyType(ctx context.Context, before *index.Snapshot, key string, value front.Value) {
	kind := front.BuiltInType(key)
	mayTell := kind != "" || o.vault.Key() == ""
	if kind == "" {
		kind = o.vault.PropertyTypes(ctx).Of(key)
	}
	if kind.Fits(value) {
		return
	}
	if !mayTell {
		_, mayTell = before.Overview().Property(key)
	}
	if mayTell {
		tool.AddHint(ctx, tool.HintSuggest, "'%s' has the type %s in this vault, so it should be %s; the value was set as given.", key, kind, kind.Example())
	}
}
