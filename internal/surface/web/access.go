package web

import (
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// Access is a token or user with access, and their limits.
type Access struct {
	Name     string
	From     string // where it is set
	ReadOnly bool   // by their own limits or because the server is read-only
	Allow    []string
	Deny     []string
	Toolsets []string
	Expires  time.Time // zero if never
}

// accessPage says what the caller may do and who else has access.
type accessPage struct {
	Now    time.Time
	Open   bool
	Owner  bool
	Writes bool
	Name   string
	Until  time.Time
	Tools  string
	Part   bool         // only a part of the vault is open
	Only   []vpath.Path // the open folders, if the scope is a list of folders
	All    []Access
}

// access shows who has access. Callers with limits only see what they themselves may do.
func (v *visit) access() error {
	body := accessPage{
		Now: v.page.options.Now(), Open: v.page.options.Guard.Open(), Owner: v.owner(), Writes: v.writes(),
		Name: v.who.Name, Until: v.who.Until, Tools: v.toolNames(),
		Part: !v.who.Grant.Scope.All(), Only: v.who.Grant.Scope.Folders(),
	}
	if body.Owner {
		body.All = v.page.options.Server.Access()
	}
	v.show("Access", body.view)
	return nil
}

// writes reports whether the caller has a tool that changes something.
func (v *visit) writes() bool {
	return slices.ContainsFunc(v.tools.All(), func(t tool.Tool) bool { return t.Effect != tool.Reads })
}

func (v *visit) toolNames() string {
	var names []string
	for _, t := range v.tools.All() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}
