// Package call carries facts about a tool call through a context: downwards,
// who calls which tool, so that the history can record it; upwards, which files
// the call read and changed, so that the answer and the audit log can say so.
//
// Code with nothing to add ignores it.
package call

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Caller identifies who makes a call.
type Caller struct {
	Client string // the program, by the name it gives itself
	Token  string // the name of the token or user it authenticated with; "" without authentication

	// Session tells sessions of the same client apart. It is an id to show, not the secret by which a session is resumed;
	// "" if the surface has no sessions.
	Session string
}

// NewSession returns an id for a session that has none of its own.
func NewSession() string { return SessionOf(rand.Text()) }

// SessionOf returns a short id for whatever identifies a session. It does not reveal the parts.
func SessionOf(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// File is a file that a call changed. The hashes are those of its bytes, "" where it did not exist.
type File struct {
	Path   string
	To     string // the new path of a moved file
	Before string
	After  string
}

// Call is one tool call. It is safe for use by several goroutines.
type Call struct {
	Caller
	Tool string

	memories memories

	mu       sync.Mutex // guards the fields below
	read     map[string]bool
	changed  []File
	changeID string
	undoes   []string
}

type callerKey struct{}
type callKey struct{}

// WithCaller returns a context whose calls are made by caller. Names that callers choose themselves are
// stripped of characters that do not print, and shortened.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	caller.Client, caller.Token = clean(caller.Client), clean(caller.Token)
	return context.WithValue(ctx, callerKey{}, caller)
}

// maxName is the length that a caller's name is cut to, in characters.
const maxName = 80

func clean(name string) string {
	shown := []rune{}
	for _, r := range name {
		if unicode.IsGraphic(r) && r != unicode.ReplacementChar && len(shown) < maxName {
			shown = append(shown, r)
		}
	}
	return strings.TrimSpace(string(shown))
}

// CallerOf returns the caller set by WithCaller.
func CallerOf(ctx context.Context) Caller {
	caller, _ := ctx.Value(callerKey{}).(Caller)
	return caller
}

// Begin starts a call of a tool and returns a context that carries it.
func Begin(ctx context.Context, tool string) (context.Context, *Call) {
	c := &Call{Caller: CallerOf(ctx), Tool: tool, memories: memoriesOf(ctx)}
	return context.WithValue(ctx, callKey{}, c), c
}

// Of returns the call that a context carries. Without one it returns a fresh call, so that callers need no
// nil check; what they note in it is lost.
func Of(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{Caller: CallerOf(ctx)}
}

// NoteRead records that the call read a file.
func (c *Call) NoteRead(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read == nil {
		c.read = map[string]bool{}
	}
	c.read[path] = true
}

// NoteChange records that the call changed files. The id is that of the change in the history, "" if it was
// not recorded there.
func (c *Call) NoteChange(id string, files []File) {
	for _, m := range c.memories {
		m.follow(files, time.Now())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changeID = id
	c.changed = append(c.changed, files...)
}

// NoteUndo records which earlier changes the call is about to undo.
func (c *Call) NoteUndo(changeIDs []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.undoes = slices.Clone(changeIDs)
}

// Undoes returns the ids of the changes that the call undoes.
func (c *Call) Undoes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.undoes)
}

// Paths lists the files that were read or changed, sorted, each once.
func (c *Call) Paths() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	paths := slices.Collect(maps.Keys(c.read))
	for _, file := range c.changed {
		paths = append(paths, file.Path)
		if file.To != "" {
			paths = append(paths, file.To)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// ChangedFiles lists the files that were changed.
func (c *Call) ChangedFiles() []File {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.changed)
}

// ChangeID returns the id of the call's last change, or "".
func (c *Call) ChangeID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changeID
}
