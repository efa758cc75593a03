// Package transfer copies the files of one store into another, whatever kinds
// of store these are.
//
// It promises that
//
//   - nothing is deleted, and what differs is left alone unless it may be
//     overwritten;
//   - a file that cannot be read, or that the target refuses, is reported, and
//     the others are copied nevertheless;
//   - copying again goes on where an earlier copy ended: what is there already
//     is not written again;
//   - no more than a group of files, and one large file, is in memory.
//
// Hidden files are no part of a store's list, and stay where they are.
package transfer

import (
	"context"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Options say how to copy. The functions may be nil; they are called by one
// goroutine at a time.
type Options struct {
	Overwrite bool                  // what is different in the target gets the content of the source
	Progress  func(done, total int) // files dealt with
	Report    func(Outcome)         // of each file
}

// Outcome is what became of a file.
type Outcome struct {
	Path   vpath.Path
	Result Result
	Err    error // why it was not copied
}

// Result is what became of a file.
type Result string

// The files that are copied, or need not be, and those that are not copied.
const (
	Created    Result = "created"
	Replaced   Result = "replaced"
	Same       Result = "same"
	Different  Result = "different"  // and left alone
	Unreadable Result = "unreadable" // at the source
	Refused    Result = "refused"    // by the target
)

// Summary counts the files by what became of them.
type Summary struct {
	Created, Replaced, Same, Different, Unreadable, Refused int

	Bytes int64 // written
	First error // why the first file that could not be copied was not
}

// Files counts all that were dealt with.
func (s Summary) Files() int {
	return s.Created + s.Replaced + s.Same + s.Different + s.Unreadable + s.Refused
}

// Copy writes every file of a store to another. An error means that it could
// not go on; what was done until then is in the summary, and stays.
func Copy(ctx context.Context, from, to store.Store, o Options) (Summary, error) {
	c := &copying{from: from, to: to, Options: o}
	if err := c.compare(ctx); err != nil {
		return c.summary, err
	}
	err := c.scan(ctx)
	return c.summary, err
}

// copying is one run of Copy.
type copying struct {
	Options
	from, to store.Store
	target   map[vpath.Path]state // what the target has of the source's files

	mu      sync.Mutex // guards what follows
	summary Summary
	done    int
	total   int
	group   group
	large   []vpath.Path // read one by one, at the end
	failure error        // why it cannot go on
}

// note counts what became of a file, and tells of it.
func (c *copying) note(outcome Outcome) {
	count := map[Result]*int{
		Created: &c.summary.Created, Replaced: &c.summary.Replaced, Same: &c.summary.Same,
		Different: &c.summary.Different, Unreadable: &c.summary.Unreadable, Refused: &c.summary.Refused,
	}[outcome.Result]
	*count++
	if c.summary.First == nil {
		c.summary.First = outcome.Err
	}
	if c.Report != nil {
		c.Report(outcome)
	}
	c.done++
	if c.Progress != nil {
		c.Progress(c.done, max(c.done, c.total))
	}
}
