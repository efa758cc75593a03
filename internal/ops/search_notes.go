package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// SearchNotes are the parameters of search_notes.
type SearchNotes struct {
	Query    string `json:"query" jsonschema:"in any case; mode tag: tags, comma-separated"`
	Mode     string `json:"mode" jsonschema:"name, name_partial, content or tag (nested ones too)" default:"name_partial"`
	TagLogic string `json:"tag_logic" jsonschema:"with several tags: or, and" default:"or"`
	Limit    int    `json:"limit" default:"100"`
	Offset   int    `json:"offset"`
}

// NoteRef names a note.
type NoteRef struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

var searchNotes = tool.New(tool.Spec{
	Name: "search_notes", Toolset: "notes", Title: "Search notes", Effect: tool.Reads,
	About: "Finds notes by name, text or tag and lists their names only. Use list_notes to browse a folder, backlinks_search for links to a note.",
}, (*Ops).SearchNotes)

// SearchNotes lists the notes that match.
func (o *Ops) SearchNotes(ctx context.Context, in SearchNotes) (tool.List[NoteRef], error) {
	if !slices.Contains([]string{"name", "name_partial", "content", "tag"}, in.Mode) {
		return tool.List[NoteRef]{}, fault.InvalidArgument.Errorf("Invalid search mode: %s. Valid: name, name_partial, content, tag", in.Mode)
	}
	if in.TagLogic != "and" && in.TagLogic != "or" {
		return tool.List[NoteRef]{}, fault.InvalidArgument.Errorf("Invalid tag_logic: %s. Valid: and, or", in.TagLogic)
	}
	if err := checkLength("the query", in.Query, maxQuery); err != nil {
		return tool.List[NoteRef]{}, err
	}
	known := o.vault.Texts
	if in.Mode == "content" {
		known = o.vault.Snapshot
	}
	s, err := known(ctx)
	if err != nil {
		return tool.List[NoteRef]{}, err
	}
	var found []index.Named
	switch in.Mode {
	case "tag":
		found = byTags(s, in.Query, in.TagLogic == "and")
	case "content":
		found, err = byContent(s, in.Query)
	case "name":
		found = s.NameIs(in.Query)
	default:
		found = s.NameContains(in.Query)
	}
	if err != nil {
		return tool.List[NoteRef]{}, err
	}
	part, err := page(found, in.Limit, in.Offset)
	if err != nil {
		return tool.List[NoteRef]{}, err
	}
	tool.ShownHint(ctx, len(part), in.Offset, len(found))
	refs := make([]NoteRef, len(part))
	for i, note := range part {
		refs[i] = NoteRef{note.Name, string(note.Path)}
	}
	return tool.List[NoteRef]{Meta: tool.Meta{"total": len(found)}, Items: refs}, nil
}

func byTags(s *index.Snapshot, query string, all bool) []index.Named {
	wanted := map[vpath.Key]bool{}
	var lists [][]vpath.Path
	for tag := range strings.SplitSeq(query, ",") {
		tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "#"), "/")
		if key := vpath.FoldKey(tag); tag != "" && !wanted[key] {
			wanted[key] = true
			lists = append(lists, s.Tagged(tag, true))
		}
	}
	if len(lists) == 1 {
		return s.ByName(lists[0])
	}
	count := map[vpath.Path]int{} // of the wanted tags that a note has
	for _, list := range lists {
		for _, path := range list {
			count[path]++
		}
	}
	var found []vpath.Path
	for path, tags := range count {
		if !all || tags == len(lists) {
			found = append(found, path)
		}
	}
	return s.ByName(found)
}

// byContent finds text, ignoring case and diacritics.
func byContent(s *index.Snapshot, query string) ([]index.Named, error) {
	if query == "" {
		return nil, fault.InvalidArgument.Errorf("the query is empty")
	}
	return s.ByName(s.Containing(query)), nil
}
