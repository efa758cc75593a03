package web

import (
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// Access is somebody who may come in, and what they may do there.
type Access struct {
	Name     string
	From     string // where it is set
	ReadOnly bool   // by their own limits, or as the whole server is
	Allow    []string
	Deny     []string
	Toolsets []string
	Expires  time.Time // zero: never
}

// access shows who may come in; to somebody with limits, only what they
// themselves may do.
func (v *visit) access() error {
	body := struct {
		Now    time.Time
		Open   bool
		Owner  bool
		Writes bool
		Name   string
		Until  time.Time
		Tools  string
		Part   bool         // of the vault is open
		Only   []vpath.Path // folders, if it is known to be these
		All    []Access
	}{Now: v.page.options.Now(), Open: v.page.options.Guard.Open(), Owner: v.owner(), Writes: v.writes(), Name: v.who.Name, Until: v.who.Until, Tools: v.toolNames(), Part: !v.who.Grant.Scope.All(), Only: v.who.Grant.Scope.Folders()}
	if body.Owner {
		body.All = v.page.options.Server.Access()
	}
	v.show("access", "Access", body)
	return nil
}

// writes reports whether the caller has a tool that changes something.
func (v *visit) writes() bool {
	return slices.ContainsFunc(v.tools.All(), func(one tool.Tool) bool { return one.Effect != tool.Reads })
}

func (v *visit) toolNames() string {
	var names []string
	for _, one := range v.tools.All() {
		names = append(names, one.Name)
	}
	return strings.Join(names, ", ")
}
