// Package pdf reads the text of PDF documents, page by page.
//
// Files come from anywhere, so nothing in them is believed: offsets, lengths and counts are checked, cycles are cut, and
// whatever does not parse is skipped. If the table of objects is missing or wrong, the file is searched for its objects.
// Every step draws on a budget of memory and work that also watches the context; when it is used up, all loops end. No
// goroutine is involved, so nothing goes on when a call has returned.
//
// What is not read: pictures (so a scan has no text), forms that scripts fill in, and files that need a password.
package pdf

import (
	"bytes"
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Document is an opened PDF document. It keeps no file open, and must not be used by several goroutines at a time.
type Document struct {
	Pages    int  // 0 if the number cannot be determined
	IsLocked bool // whether the text cannot be read without a password

	file  *file
	pages []page
}

// ErrLocked is returned for the text of a document that needs a password.
var ErrLocked = fault.InvalidArgument.Errorf("the PDF is encrypted; its text cannot be read without the password")

// Open reads the structure of a document. A document that needs a password opens, too: its pages can be counted unless
// the structure is encrypted as well.
func Open(ctx context.Context, data []byte) (*Document, error) {
	start := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-"))
	if start < 0 {
		return nil, fault.InvalidArgument.Errorf("the file is not a PDF document")
	}
	spent := newBudget(ctx)
	document := &Document{file: newFile(data[start:], spent)}
	document.file.load()
	document.pages = document.file.findPages()
	document.Pages, document.IsLocked = len(document.pages), document.file.isLocked
	if spent.err != nil {
		return nil, spent.err
	}
	if document.Pages == 0 && !document.IsLocked {
		return nil, fault.InvalidArgument.Errorf("the PDF is damaged: no page can be found in it")
	}
	return document, nil
}

// Text returns the text of a page; the first page is 1. A page without text, such as a scan, gives an empty string.
func (d *Document) Text(ctx context.Context, number int) (string, error) {
	if d.IsLocked {
		return "", ErrLocked
	}
	if number < 1 || number > d.Pages {
		return "", fault.InvalidArgument.Errorf("page %d does not exist; the PDF has %d pages", number, d.Pages)
	}
	spent := newBudget(ctx)
	d.file.renew(spent)
	reader := newInterpreter(d.file)
	reader.runPage(d.pages[number-1])
	text := reader.layout.text()
	if spent.err != nil {
		return "", spent.err
	}
	return strings.TrimSpace(text), nil
}

// What reading a document may cost in one call.
const (
	// maxMemory is in bytes, of everything that is unpacked or kept. Slices that grow are copied, so the process needs up to
	// two and a half times as much.
	maxMemory = 100 << 20
	// maxSteps counts tokens and glyphs, and is a few seconds of work.
	maxSteps = 20_000_000
)

// budget counts what is spent on a call. Once it is used up, every further expense is refused, so that all loops end.
type budget struct {
	ctx    context.Context
	memory int64
	steps  int64
	err    error
}

func newBudget(ctx context.Context) *budget {
	b := &budget{ctx: ctx, memory: maxMemory, steps: maxSteps}
	b.look()
	return b
}

// step pays for a unit of work. It reports whether to go on.
func (b *budget) step() bool {
	if b.steps--; b.steps%1024 == 0 {
		b.look()
	}
	if b.steps < 0 {
		b.exhaust("it is too complex")
	}
	return b.err == nil
}

// keep pays for memory. It reports whether to go on.
func (b *budget) keep(bytes int) bool {
	if b.memory -= int64(bytes); b.memory < 0 {
		b.exhaust("it unpacks to more than 100 MB")
	}
	b.look()
	return b.err == nil
}

func (b *budget) look() {
	if b.err == nil {
		b.err = b.ctx.Err()
	}
}

func (b *budget) exhaust(why string) {
	if b.err == nil {
		b.err = fault.InvalidArgument.Errorf("the PDF cannot be read: %s", why)
	}
}
