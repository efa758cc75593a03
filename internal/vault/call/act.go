// Package act is what a call does, told from the top down and back: who calls
// which tool, so that below it can be recorded; and which files it touched and
// what it changed, so that above it can be told and logged.
//
// It travels in a context. Code that has nothing to say of it need not know.
package call

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Caller is who calls.
type Caller struct {
	Client string // the program, as it calls itself
	Token  string // the name of the token, or of the user, that it came with; "" where none is needed
}

// Touched is a file that a call has changed. Hashes are those of the bytes, ""
// where there is no file.
type Touched struct {
	Path   string `json:"path"`
	To     string `json:"to,omitempty"` // where it was moved
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Act is one call. It is safe for use by several goroutines.
type Act struct {
	Caller
	Tool string

	mu      sync.Mutex // guards what follows
	read    map[string]bool
	touched []Touched
	change  string
	undoes  string
}

type callerKey struct{}
type actKey struct{}

// WithCaller says who makes the calls in a context. What callers call
// themselves is cut to what can stand in a line.
func WithCaller(ctx context.Context, who Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, Caller{Client: clean(who.Client), Token: clean(who.Token)})
}

// longest is how long a caller's name may be, in characters.
const longest = 80

func clean(name string) string {
	shown := []rune{}
	for _, r := range name {
		if unicode.IsGraphic(r) && r != unicode.ReplacementChar && len(shown) < longest {
			shown = append(shown, r)
		}
	}
	return strings.TrimSpace(string(shown))
}

// CallerOf is who makes the calls in a context.
func CallerOf(ctx context.Context) Caller {
	who, _ := ctx.Value(callerKey{}).(Caller)
	return who
}

// Begin begins the call of a tool.
func Begin(ctx context.Context, tool string) (context.Context, *Act) {
	a := &Act{Caller: CallerOf(ctx), Tool: tool}
	return context.WithValue(ctx, actKey{}, a), a
}

// Of is the call that is made in a context. Outside of any, it is one that
// nobody asks.
func Of(ctx context.Context) *Act {
	if a, ok := ctx.Value(actKey{}).(*Act); ok {
		return a
	}
	return &Act{Caller: CallerOf(ctx)}
}

// Read notes that a file was read.
func (a *Act) Read(path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.read == nil {
		a.read = map[string]bool{}
	}
	a.read[path] = true
}

// Changed notes that files were changed, and the id of the change in the
// history; "" if it has none.
func (a *Act) Changed(id string, files []Touched) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.change = id
	a.touched = append(a.touched, files...)
}

// TakesBack notes which change of the history is about to be taken back.
func (a *Act) TakesBack(change string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.undoes = change
}

// Undoes is the change that is taken back; "" if none is.
func (a *Act) Undoes() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.undoes
}

// Paths are the files that were read and those that were changed, each once.
func (a *Act) Paths() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	paths := slices.Collect(maps.Keys(a.read))
	for _, file := range a.touched {
		paths = append(paths, file.Path)
		if file.To != "" {
			paths = append(paths, file.To)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Touched lists what was changed.
func (a *Act) Touched() []Touched {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.touched)
}

// Change is the id of the change that was made last; "" if there is none.
func (a *Act) Change() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.change
}
