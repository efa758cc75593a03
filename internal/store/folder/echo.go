package folder

import (
	"sync"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

// echoes remembers what commits left behind, so that the events that they
// cause can be told from those of others.
type echoes struct {
	mu    sync.Mutex // guards marks
	marks map[vpath.Path]echo
}

type echo struct {
	mark string // empty for a file that went away
	when time.Time
}

// echoLife is how long after a commit its events may come.
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
		for other, one := range e.marks {
			if now.Sub(one.when) > echoLife {
				delete(e.marks, other)
			}
		}
	}
	e.marks[path] = echo{mark, now}
}

func (e *echoes) is(path vpath.Path, mark string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	one, ok := e.marks[path]
	if !ok {
		return false
	}
	if one.mark != mark || mark == "" || time.Since(one.when) > echoLife {
		delete(e.marks, path) // others have changed it since, or it counts once
	}
	return one.mark == mark && time.Since(one.when) <= echoLife
}
