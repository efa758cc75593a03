package ops

import (
	"cmp"
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// FindProperties are the parameters of find_properties.
type FindProperties struct {
	Name   string `json:"name" jsonschema:"one property; empty: all" default:""`
	Folder string `json:"folder" jsonschema:"only in this folder" default:""`
	Limit  int    `json:"limit" default:"50"`
}

// PropertiesFound is the result of find_properties.
type PropertiesFound struct {
	Properties []PropertyFound `json:"properties"`
	Total      int             `json:"total"`
}

// PropertyFound is a property in the result of find_properties.
type PropertyFound struct {
	Name     string      `json:"name"`
	Type     string      `json:"type"`
	Found    tool.Object `json:"found"`
	Notes    int         `json:"notes"`
	Values   []ValueUse  `json:"values"`
	Outliers []Outlier   `json:"outliers"`
}

// ValueUse is a value with the number of notes that have it.
type ValueUse struct {
	Value string `json:"value"`
	Notes int    `json:"notes"`
}

// Outlier is a value that does not fit its property's type.
type Outlier struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

var findProperties = tool.New(tool.Spec{
	Name: "find_properties", Toolset: "vault", Title: "Find properties", Effect: tool.Reads,
	About: "Lists the frontmatter properties (fields, metadata) of the vault: types, how many notes have them, most frequent values, values that do not fit the type. " +
		"Use get_note_metadata for one note, find_notes with properties for the notes that have a value.",
}, (*Ops).FindProperties)

// How many values and outliers are listed: of each property, or of the only one.
const (
	valuesOfMany, valuesOfOne     = 5, 20
	outliersOfMany, outliersOfOne = 5, 50
)

// FindProperties lists the properties of the vault.
func (o *Ops) FindProperties(ctx context.Context, in FindProperties) (PropertiesFound, error) {
	if in.Limit < 0 {
		return PropertiesFound{}, fault.InvalidArgument.Errorf("limit must not be negative")
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return PropertiesFound{}, err
	}
	folder, err := findFolder(s, in.Folder)
	if err != nil {
		return PropertiesFound{}, err
	}
	name := strings.TrimSpace(in.Name)
	var names []string
	if name != "" {
		names = []string{name}
	}
	uses := s.PropertyUses(folder, names...)
	if name != "" && len(uses) == 0 {
		o.suggestProperty(ctx, s, name)
		return PropertiesFound{}, fault.NotFound.Errorf("No note has a property '%s'", name)
	}
	types := o.vault.PropertyTypes(ctx)
	values, outliers := valuesOfMany, outliersOfMany
	if name != "" {
		values, outliers = valuesOfOne, outliersOfOne
	}
	result := PropertiesFound{Properties: []PropertyFound{}, Total: len(uses)}
	for _, use := range uses[:min(in.Limit, len(uses))] {
		kind := cmp.Or(front.BuiltInType(use.Name), types.Of(use.Name), use.Type())
		found := describeUse(use, kind, values)
		found.Outliers = outliersOf(use, kind, outliers)
		result.Properties = append(result.Properties, found)
	}
	if len(result.Properties) < len(uses) {
		tool.AddHint(ctx, tool.HintCut, "%d of %d properties shown; raise limit, or give a name or folder.", len(result.Properties), len(uses))
	}
	return result, nil
}

func describeUse(use index.PropertyUse, kind front.Type, values int) PropertyFound {
	types, _ := wire.Encode(use.Types()) // strings and numbers always can be
	found := PropertyFound{Name: use.Name, Type: string(kind), Found: tool.Object(types), Notes: len(use.Values), Values: []ValueUse{}}
	for _, frequent := range use.Frequent(values) {
		found.Values = append(found.Values, ValueUse{readable([]byte(frequent.Value)), frequent.Notes})
	}
	return found
}

// outliersOf lists the values that do not fit a type.
func outliersOf(use index.PropertyUse, kind front.Type, limit int) []Outlier {
	outliers := []Outlier{}
	for _, value := range use.Values {
		if len(outliers) == limit {
			break
		}
		if !kind.Fits(value.Value) {
			outliers = append(outliers, Outlier{string(value.Path), cutText(readable([]byte(valueText(value.Value))))})
		}
	}
	return outliers
}

// valueText writes a value in one line.
func valueText(value front.Value) string {
	if value.Kind != front.List && value.Kind != front.Map {
		return value.Text
	}
	encoded, err := value.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(encoded)
}

// suggestProperty names the properties with similar names.
func (o *Ops) suggestProperty(ctx context.Context, s *index.Snapshot, name string) {
	var names []string
	for _, property := range s.Overview().Properties {
		names = append(names, property.Name)
	}
	if near := fault.Nearest(name, names); near != "" {
		didYouMean(ctx, []string{near})
	}
}
