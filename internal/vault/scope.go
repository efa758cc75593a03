package vault

import "obsidian-mcp/internal/note/vpath"

// Scope says which files a caller may see and write. It is a pure function of
// paths: whether a file exists plays no part.
type Scope interface {
	// All reports whether everything is open.
	All() bool
	// Open reports whether the caller may see a file.
	Open(file vpath.Path) bool
	// Writable reports whether the caller may create or change a file: it is open, and no system takes its
	// name for that of a closed one.
	Writable(file vpath.Path) bool
	// Folders lists open folders that the caller may be told to write to.
	Folders() []vpath.Path
	// Key identifies the scope: equal keys mean equal rights, and "" means everything.
	Key() string
}

// everything is the scope of a caller without limits.
type everything struct{}

func (everything) All() bool                { return true }
func (everything) Open(vpath.Path) bool     { return true }
func (everything) Writable(vpath.Path) bool { return true }
func (everything) Folders() []vpath.Path    { return nil }
func (everything) Key() string              { return "" }
