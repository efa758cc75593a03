package folder

import (
	"sync"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

// echoes remembers the files that commits changed, to distinguish the events that they cause from those of others.
type echoes struct {
	mu    sync.Mutex // guards marks
	marks map[vpath.Path]echo
}

type echo struct {
	mark string // empty: the file was removed
	when time.Time
}

// echoLife is how long after a commit its events may arrive.
const echoLife = 30 * time.Second

func (e *echoes) wrote(path vpath.Path, mark string) { e.put(path, mark) }
func (e *echoes) gone(path vpath.Path)               { e.put(path, "") }

func (e *echoes) put(path vpath.Path, mark string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.marks == nil {
		e.marks = map[vpath.Path]echo{}
	}
	now := time.Now()
	if len(e.marks) > 4096 {
		for old, echo := range e.marks {
			if now.Sub(echo.when) > echoLife {
				delete(e.marks, old)
			}
		}
	}
	e.marks[path] = echo{mark, now}
}

// is reports whether a change of a file to a mark is one that a commit made.
func (e *echoes) is(path vpath.Path, mark string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	own, ok := e.marks[path]
	if !ok {
		return false
	}
	if own.mark != mark || time.Since(own.when) > echoLife {
		delete(e.marks, path) // another program has changed it since
	}
	return own.mark == mark && time.Since(own.when) <= echoLife
}
