package tool

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Toolset is a group of tools that is offered or left out as a whole.
type Toolset struct {
	Name  string
	About string // one line: what its tools are for
}

// Toolsets lists the toolsets in the order in which they are shown. A server
// offers all of them by default, except tools that need more than the vault.
func Toolsets() []Toolset {
	return []Toolset{
		{"notes", "Read, create, edit, rename, tag and delete notes and their sections"},
		{"find", "Ranked search by words, meaning and Obsidian's search language; summaries"},
		{"agent", "Read or write by exact path without errors for missing notes; search lines by regular expression"},
		{"graph", "Follow backlinks and neighbours, and add links"},
		{"history", "List, show and undo the changes that tools have made"},
		{"vault", "See how the whole vault is organised; read, edit, rename, merge and split many notes at once"},
		{"daily", "Find, read and add to daily, weekly and other periodic notes; create notes from templates"},
		{"tasks", "Find tasks by date, status and text; tick, change, add and move them"},
		{"query", "Run Dataview queries and Bases over the properties, fields and tasks of all notes"},
		{"files", "See images, PDFs, audio and canvases, save attachments, edit canvases"},
		{"sync", "Find and resolve sync conflicts; run the sync program that the config file names"},
		{"app", "Show notes in the running Obsidian app, and run its commands"},
	}
}

// setNames are the names of all toolsets.
func setNames() []string {
	var names []string
	for _, set := range Toolsets() {
		names = append(names, set.Name)
	}
	return names
}

// Toolsets keeps the tools of a list of toolsets: names, "default", "all", and
// "-name" to leave one out. "small" keeps the same tools as "default"; see Small.
func (r *Registry) Toolsets(list string) (*Registry, error) {
	words := strings.Split(list, ",")
	if strings.HasPrefix(strings.TrimSpace(words[0]), "-") {
		words = append([]string{"default"}, words...)
	}
	chosen := map[string]bool{}
	for _, word := range words {
		name, out := strings.CutPrefix(strings.TrimSpace(word), "-")
		sets, err := namedSets(name)
		if err != nil {
			return nil, err
		}
		for _, set := range sets {
			chosen[set] = !out
		}
	}
	left := r.Only(func(t Tool) bool { return chosen[t.Toolset] })
	if len(left.tools) == 0 {
		return nil, fault.InvalidArgument.Errorf("the toolsets '%s' contain no tools", list)
	}
	return left, nil
}

// Names reports whether a list of toolsets names one, by itself or with all others. "default" does not.
func Names(list []string, set string) bool {
	return slices.ContainsFunc(list, func(word string) bool {
		word = strings.TrimSpace(word)
		return word == set || word == "all"
	})
}

// namedSets are the toolsets that a word of a list names.
func namedSets(name string) ([]string, error) {
	all := setNames()
	switch {
	case name == "":
		return nil, nil
	case name == "default", name == "all", name == SmallSet:
		return all, nil
	case slices.Contains(all, name):
		return []string{name}, nil
	}
	err := fault.InvalidArgument.Errorf("unknown toolset '%s'", name)
	if near := fault.Nearest(name, append(all, "default", "all", SmallSet)); near != "" {
		return nil, err.WithHint("did you mean '%s'?", near)
	}
	return nil, err.WithHint("toolsets are: %s, default, all, small", strings.Join(all, ", "))
}
