// Package transfer copies the files of one store into another, whatever kinds of store they are.
//
// It promises that
//
//   - nothing is deleted, and a file that differs in the target is replaced only if Overwrite is set;
//   - a file that cannot be read, or that the target refuses, is reported, and the others are still copied;
//   - copying again continues where an earlier copy ended: files that are already there are not written again;
//   - at most one group of files, or one large file, is in memory.
//
// Hidden files are not copied, because stores do not list them.
package transfer

import (
	"context"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Options say how to copy. The functions may be nil; they are called by one goroutine at a time.
type Options struct {
	Overwrite bool                  // replace files that differ in the target
	Progress  func(done, total int) // counts files
	Report    func(Outcome)         // called for each file
}

// Outcome is the result of copying one file.
type Outcome struct {
	Path   vpath.Path
	Result Result
	Err    error // why it was not copied
}

// Result says what happened to a file.
type Result string

// Copied, already the same, and not copied.
const (
	Created    Result = "created"
	Replaced   Result = "replaced"
	Same       Result = "same"
	Different  Result = "different"  // left as it is
	Unreadable Result = "unreadable" // in the source
	Refused    Result = "refused"    // by the target
)

// Summary counts the files by result.
type Summary struct {
	Created, Replaced, Same, Different, Unreadable, Refused int

	Bytes int64 // written
	First error // of the first file that could not be copied
}

// Files is the number of files with any result.
func (s Summary) Files() int {
	return s.Created + s.Replaced + s.Same + s.Different + s.Unreadable + s.Refused
}

// Copy writes every file of a store to another. An error means that it had to stop; the summary counts the files up to
// then, and those that were copied stay.
func Copy(ctx context.Context, from, to store.Store, o Options) (Summary, error) {
	c := &copying{from: from, to: to, options: o}
	if err := c.compare(ctx); err != nil {
		return c.summary, err
	}
	err := c.scan(ctx)
	return c.summary, err
}

// copying is one run of Copy.
type copying struct {
	options  Options
	from, to store.Store
	target   map[vpath.Path]state // the target's version of each file of the source, if it has one

	mu      sync.Mutex // guards the fields below
	summary Summary
	done    int
	total   int
	group   group
	large   []vpath.Path // too large for a scan; copied one by one at the end
	failure error        // why copying has to stop
}

// note counts and reports the result of a file.
func (c *copying) note(outcome Outcome) {
	count := map[Result]*int{
		Created: &c.summary.Created, Replaced: &c.summary.Replaced, Same: &c.summary.Same,
		Different: &c.summary.Different, Unreadable: &c.summary.Unreadable, Refused: &c.summary.Refused,
	}[outcome.Result]
	*count++
	if c.summary.First == nil {
		c.summary.First = outcome.Err
	}
	if c.options.Report != nil {
		c.options.Report(outcome)
	}
	c.done++
	if c.options.Progress != nil {
		c.options.Progress(c.done, max(c.done, c.total))
	}
}
