package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/tool"
)

// GetHelp has no parameters.
type GetHelp struct{}

// ToolHelp describes a tool.
type ToolHelp struct {
	Name        string `json:"name"`
	Params      string `json:"params"`
	Description string `json:"description"`
}

var getHelp = tool.New(tool.Spec{
	Name: "get_help", Toolset: "notes", Title: "Help", Effect: tool.Reads,
	About: "Lists every tool with its parameters and what it is for.",
}, (*Ops).GetHelp)

// recipe says which tools do a job, in their order.
type recipe struct {
	job   string
	tools []string
	steps string
}

var recipes = []recipe{
	{"Get to know the vault", []string{"vault_info"}, "vault_info for its folders, properties, tags, templates and today's note"},
	{"Answer a question from the notes", []string{"gather_context", "find_notes", "read_section", "read_note"}, "gather_context with the question; or find_notes with its words, then read_section or read_note of the best hits"},
	{"Change a part of a note", []string{"get_headings", "update_section", "replace_text"}, "get_headings, then update_section or append_section; replace_text for a few words; update_note only for the whole body"},
	{"Write a new note as the vault does", []string{"find_notes", "get_note_metadata", "create_note"}, "find_notes for one of its kind, get_note_metadata for its properties, then create_note with the same"},
	{"Look at a day or week, or note something down", []string{"periodic_note", "append_periodic_note"}, "periodic_note with a date or range; append_periodic_note adds to today's note and makes it if needed"},
	{"See what is to do, and tick it off", []string{"find_tasks", "update_task"}, "find_tasks with a query such as: not done; due before tomorrow. Then update_task with the line and text of the task"},
	{"Make a table, count or sum over many notes", []string{"find_properties", "query_vault"}, "find_properties for the names of properties, then query_vault with a TABLE; base='Dashboard#2' runs a note's second query block"},
	{"Start a note from a template", []string{"vault_info", "create_from_template"}, "vault_info lists the templates, then create_from_template"},
	{"Rename or move a note", []string{"rename_note"}, "rename_note with dry_run=true, then without; links follow"},
	{"Change many notes at once", []string{"find_notes", "edit_notes"}, "find_notes to see which, then one edit_notes with the same where and dry_run=true, then without"},
	{"Rename a tag, property, heading or folder", []string{"rename_in_vault"}, "rename_in_vault with dry_run=true, then without; all notes and links follow"},
	{"Reorganise text between notes", []string{"compose_notes"}, "compose_notes to extract a section, merge two notes or split one; links follow"},
	{"Mend broken links", []string{"find_broken_links", "search_notes", "replace_text"}, "find_broken_links, search_notes for the note that was meant, then replace_text in the source"},
	{"See what links where", []string{"backlinks_search", "graph_neighbors"}, "backlinks_search for the lines, graph_neighbors for the notes around one"},
	{"Look at a picture, PDF or canvas", []string{"list_files", "read_file"}, "list_files with the note that embeds it, then read_file"},
	{"Save a picture for a note", []string{"write_file", "append_section"}, "write_file with the note, then append_section with the embed that it returns"},
	{"Draw a board", []string{"read_file", "edit_canvas"}, "read_file for what is there, then one edit_canvas for all cards and arrows; cards find their own place"},
	{"Work on what the user is looking at", []string{"obsidian_status", "read_note", "obsidian_open"}, "obsidian_status for the active note, then read_note; obsidian_open to show the user another"},
	{"Take something back", []string{"list_changes", "show_change", "undo_change"}, "list_changes, show_change to be sure, then undo_change"},
}

// GetHelp describes the tools on offer, and how to combine them.
func (o *Ops) GetHelp(ctx context.Context, _ GetHelp) (tool.List[ToolHelp], error) {
	var list []ToolHelp
	offered := map[string]bool{}
	for _, t := range o.help.All() {
		offered[t.Name] = true
		list = append(list, ToolHelp{t.Name, t.Signature(), t.FirstSentence()})
	}
	var lines []string
	for _, recipe := range recipes {
		if !slices.ContainsFunc(recipe.tools, func(name string) bool { return !offered[name] }) {
			lines = append(lines, recipe.job+": "+recipe.steps+".")
		}
	}
	if len(lines) > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "%s", strings.Join(lines, "\n"))
	}
	return tool.List[ToolHelp]{Items: list}, nil
}
