package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/media/pdf"
	"obsidian-mcp/internal/tool"
)

// pdfTime is how long reading a PDF may take.
const pdfTime = 10 * time.Second

// showPDF shows the text of a page, or of all pages as far as the limit for reading allows.
func (o *Ops) showPDF(ctx context.Context, in ReadFile, data []byte, shown *FileContent) error {
	ctx, cancel := context.WithTimeoutCause(ctx, pdfTime, errSlowPDF)
	defer cancel()
	document, err := pdf.Open(ctx, data)
	if err != nil {
		return o.unreadablePDF(ctx, in.Name, err)
	}
	shown.Pages = document.Pages
	if in.Page > 0 {
		shown.Page = in.Page
		text, err := document.Text(ctx, in.Page)
		if err != nil {
			return o.unreadablePDF(ctx, in.Name, pagesOf(document, err))
		}
		o.showText(ctx, shown, text)
	} else if err := o.showPages(ctx, document, shown); err != nil {
		return o.unreadablePDF(ctx, in.Name, pagesOf(document, err))
	}
	if shown.Text == "" {
		tool.AddHint(ctx, tool.HintSuggest, "There is no text: the PDF is probably a scan.")
	}
	return nil
}

var errSlowPDF = fault.Timeout.Errorf("reading its text takes longer than %v", pdfTime)

// showPages shows pages from the first on, each behind a line with its number, until the limit for reading is reached.
func (o *Ops) showPages(ctx context.Context, document *pdf.Document, shown *FileContent) error {
	var all strings.Builder
	for number := 1; number <= document.Pages; number++ {
		text, err := document.Text(ctx, number)
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		if document.Pages > 1 {
			text = fmt.Sprintf("--- page %d of %d ---\n%s\n", number, document.Pages, text)
		}
		if o.readLimit > 0 && all.Len() > 0 && all.Len()+len(text) > o.readLimit {
			tool.AddHint(ctx, tool.HintCut, "Pages 1-%d of %d shown; continue with page=%d.", number-1, document.Pages, number)
			break
		}
		all.WriteString(text)
	}
	o.showText(ctx, shown, all.String())
	return nil
}

// pagesOf adds the number of pages to the reason why they cannot be read.
func pagesOf(document *pdf.Document, err error) error {
	if document.Pages == 0 || !errors.Is(err, pdf.ErrLocked) {
		return err
	}
	return fault.KindOf(err).Errorf("%w; it has %d pages", err, document.Pages)
}

func (o *Ops) unreadablePDF(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fault.KindOf(err).Errorf("'%s' cannot be read: %w", name, err)
}
