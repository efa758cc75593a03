package ops

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/embed"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
)

// withEmbeds returns a part of a note with its embeds replaced, within the limit for reading. The caller was then shown
// parts of the embedded notes too.
func (o *Ops) withEmbeds(ctx context.Context, s *index.Snapshot, part embed.Part) ([]byte, error) {
	result, err := embed.Expand(o.vault.Embeds(ctx, s), part, o.readLimit)
	if err != nil {
		return nil, err
	}
	for _, shown := range result.Shown {
		if shown.Path != part.Path {
			notePart(ctx, shown.Path, shown.Note.Source)
		}
	}
	if result.Left > 0 {
		tool.AddHint(ctx, tool.HintCut, "Embeds that did not fit and stay as links: %d. Read them on their own.", result.Left)
	}
	if result.Label != "embed" {
		tool.AddHint(ctx, tool.HintSuggest, "Embedded text is marked [!%s], because a note has [!embed] callouts of its own.", result.Label)
	}
	hintFiles(ctx, result.Files)
	return o.withQueries(ctx, s, part.Path, result.Text)
}

// The limits of the results of query blocks in a note.
const (
	maxQueryBlocks = 10
	maxQueryRows   = 50
	maxQueryText   = 8000 // bytes of one result
)

// withQueries adds the results of the query blocks at the top level of a text, each in a callout after its block. A block
// that cannot be evaluated has the reason there.
func (o *Ops) withQueries(ctx context.Context, s *index.Snapshot, path vpath.Path, text []byte) ([]byte, error) {
	if !bytes.Contains(text, []byte("```")) && !bytes.Contains(text, []byte("~~~")) {
		return text, nil
	}
	var splices []md.Splice
	label := "query"
	for n := 2; bytes.Contains(bytes.ToLower(text), []byte("[!"+label+"]")); n++ {
		label = fmt.Sprintf("query-%d", n)
	}
	for _, fence := range md.ScanText(text).Fences() {
		isBase := fence.Language == "base"
		if fence.Nested || !fence.Closed || !isBase && fence.Language != "dataview" || len(splices) == maxQueryBlocks {
			continue
		}
		asked := askedQuery{text: strings.TrimSpace(fence.Text), isBase: isBase, this: path, wanted: value.Window{Limit: maxQueryRows}}
		result, err := o.queryCallout(ctx, s, asked, label)
		if err != nil {
			return nil, err
		}
		splices = append(splices, md.Splice{Span: md.Span{Start: fence.End, End: fence.End}, Text: []byte(callout(text, fence.End, result))})
	}
	if len(splices) > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "Callouts [!%s] hold the results of the query blocks before them; they are not in the note.", label)
	}
	return md.Apply(text, splices), nil
}

// callout is a result with blank lines around it where the text has none, and with the line ends of the text.
func callout(text []byte, at int, result string) string {
	before, after := "\n", ""
	if at > 0 && text[at-1] != '\n' {
		before = "\n\n"
	}
	if next := text[at:md.NextLine(text, at)]; len(bytes.TrimSpace(next)) > 0 {
		after = "\n"
	}
	result = before + result + after
	if bytes.Contains(text[:at], []byte("\r\n")) {
		result = strings.ReplaceAll(result, "\n", "\r\n")
	}
	return result
}

// queryCallout runs a query block and returns its result as a quote.
func (o *Ops) queryCallout(ctx context.Context, s *index.Snapshot, asked askedQuery, label string) (string, error) {
	run := o.runDataview
	if asked.isBase {
		run = func(ctx context.Context, s *index.Snapshot, asked askedQuery) (queryAnswer, error) {
			return o.runBase(ctx, s, "", asked)
		}
	}
	answer, err := run(ctx, s, asked)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "> [!" + label + "] " + oneLine(err.Error()) + "\n", nil
	}
	result := strings.TrimRight(answer.markdown(), "\n")
	var out strings.Builder
	fmt.Fprintf(&out, "> [!%s] %s\n", label, strings.Join(append([]string{amount.Of(answer.total, "result")}, answer.warnings...), "; "))
	for line := range strings.Lines(result) {
		if out.Len()+len(line) > maxQueryText {
			out.WriteString("> …\n")
			break
		}
		out.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
	}
	return out.String(), nil
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// hintFiles names the embedded files that are not notes.
func hintFiles(ctx context.Context, files []vpath.Path) {
	if len(files) == 0 {
		return
	}
	var names []string
	for _, file := range files[:min(maxSuggested, len(files))] {
		names = append(names, string(file))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, "…")
	}
	tool.AddHint(ctx, tool.HintSuggest, "Embedded files stay as links; read_file shows them: %s.", strings.Join(names, ", "))
}

// partWithEmbeds returns a section or block of a note with its embeds replaced.
func (o *Ops) partWithEmbeds(ctx context.Context, s *index.Snapshot, path vpath.Path, note *md.Note, name, part string) (string, error) {
	wanted, err := partSpan(ctx, note, name, part)
	if err != nil {
		return "", err
	}
	wanted.Path = path
	text, err := o.withEmbeds(ctx, s, wanted)
	return strings.TrimRight(string(text), " \t\r\n"), err
}

// partSpan returns where a section or block of a note is.
func partSpan(ctx context.Context, note *md.Note, name, part string) (embed.Part, error) {
	found := embed.Part{Note: note}
	if isBlockID(part) {
		block, err := findBlock(ctx, note, name, part)
		found.Span, found.Block = block.Span, &block
		return found, err
	}
	section, err := findSection(ctx, note, name, part)
	if err == nil {
		found.Span = edit.SectionSpan(note, section)
	}
	return found, err
}
