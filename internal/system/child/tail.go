package child

import (
	"bytes"
	"io"
	"sync"
)

// tail keeps the end of what is written to it.
type tail struct {
	limit int
	kept  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if excess := len(t.kept) - t.limit; excess > t.limit { // now and then, so that each byte moves only once
		t.kept = append(t.kept[:0], t.kept[excess:]...)
	}
	return len(p), nil
}

// String is the end, from the beginning of a line if something was cut off.
func (t *tail) String() string {
	kept := t.kept
	if excess := len(kept) - t.limit; excess > 0 {
		kept = kept[excess:]
		if end := bytes.IndexByte(kept, '\n'); end >= 0 {
			kept = kept[end+1:]
		}
	}
	return string(bytes.ToValidUTF8(kept, []byte("\uFFFD")))
}

// sharedTail is a tail that several goroutines write to.
type sharedTail struct {
	mu   sync.Mutex // guards tail
	tail tail
}

func (t *sharedTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tail.Write(p)
}

func (t *sharedTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tail.String()
}

// writers writes everything to each of several writers, none of which fails.
type writers []io.Writer

func (w writers) Write(p []byte) (int, error) {
	for _, to := range w {
		if n, err := to.Write(p); err != nil {
			return n, err
		}
	}
	return len(p), nil
}
