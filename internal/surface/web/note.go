package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/canvas"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/surface/web/html"
)

const (
	maxLines      = 20_000 // lines of a note that are read
	maxTargets    = 5_000  // links of it that are resolved
	mostBacklinks = 1000   // links to it that are read
	mostSources   = 50     // notes among them that are shown
)

// notePage is a note as it is shown.
type notePage struct {
	Now        time.Time
	Name       string
	Path       string
	Modified   time.Time
	Properties []property
	Problem    string         // why the properties cannot be read
	Raw        string         // the properties as they are, in that case
	Drawing    *canvasDrawing // of a canvas that is not empty
	HTML       html.Raw
	Plain      string // text that is not Markdown
	Cut        bool   // only the beginning is shown
	Failed     string // why a base has no rows
	Backlinks  *backlinks
	Graph      bool
	Obsidian   string // opens it in Obsidian; "" if Obsidian may know the vault by another name
}

// backlinks are the lines that link to a note.
type backlinks struct {
	Backlinks []backlink `json:"backlinks"`
	Total     int        `json:"total"` // links
	Notes     int        `json:"-"`     // that contain the links read
	Hidden    int        `json:"-"`     // notes not shown
	Cut       bool       `json:"-"`     // there are more links than were read
	Late      bool       `json:"-"`     // they could not be read in time
}

// backlink is the first line of a note that links here.
type backlink struct {
	Source string `json:"source"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Text   string `json:"text"`
	More   int    `json:"-"` // further lines of the same note
}

// bySource keeps one line per note. A line may contain several links.
func (b *backlinks) bySource() {
	b.Cut = len(b.Backlinks) < b.Total
	type location struct {
		path string
		line int
	}
	counted, first, sources := map[location]bool{}, map[string]int{}, []backlink{}
	for _, line := range b.Backlinks {
		at := location{line.Path, line.Line}
		if counted[at] {
			continue
		}
		counted[at] = true
		if vpath.Path(line.Path).IsCanvas() {
			line.Text = "" // JSON
		}
		if index, ok := first[line.Path]; ok {
			sources[index].More++
			continue
		}
		first[line.Path] = len(sources)
		sources = append(sources, line)
	}
	b.Notes = len(sources)
	b.Backlinks, b.Hidden = sources[:min(len(sources), mostSources)], max(0, len(sources)-mostSources)
}

// note shows a note, as a page or for the pane beside a search.
func (v *visit) note() error {
	asked := v.r.URL.Query().Get("path")
	if asked == "" {
		return fault.InvalidArgument.Errorf("the path of a note is missing").WithHint("search for it")
	}
	if !isReadable(vpath.WithNoteExt(asked)) {
		return v.notShown(asked, "it is an attachment")
	}
	body, err := v.lookUp(asked)
	if err != nil {
		return err
	}
	if err := v.backlinksOf(&body); err != nil {
		return err
	}
	if v.partial() {
		v.part(body.part)
		return nil
	}
	v.show(body.Name, body.view)
	return nil
}

// lookUp reads a note and renders it.
func (v *visit) lookUp(asked string) (notePage, error) {
	body := notePage{Now: v.page.options.Now(), Graph: v.offers("graph_neighbors")}
	if err := v.describe(asked, &body); err != nil {
		return notePage{}, err
	}
	text, err := v.textOf(asked)
	if err != nil {
		return notePage{}, err
	}
	if vault := v.page.options.Server.Vault; vault != "" {
		query := url.Values{"vault": {vault}, "file": {body.Path}}.Encode()
		body.Obsidian = "obsidian://open?" + strings.ReplaceAll(query, "+", "%20")
	}
	source, more := beginning([]byte(text.Text))
	body.Cut = text.Cut || more
	m := markdown{base: v.page.options.Base, resolve: v.resolver(body.Path), embeds: v.embedsOf(text), queries: text.Queries}
	switch file := vpath.Path(body.Path); {
	case file.IsNote():
		note := md.Scan(source)
		m.properties(note, &body)
		source = source[note.Body:]
	case file.IsCanvas():
		body.Plain = string(source)
		board, err := canvas.Parse([]byte(text.Text))
		if err != nil {
			return body, nil // the source says more than the error would
		}
		body.Drawing = drawCanvas(board, m)
		source, body.Cut = beginning(canvasAsMarkdown(board))
	default:
		body.Plain = string(source)
		if v.offers("query_vault") {
			return body, v.baseOf(&body)
		}
		return body, nil
	}
	v.page.rendering <- struct{}{}
	defer func() { <-v.page.rendering }()
	body.HTML = m.render(source)
	return body, nil
}

// baseOf adds the rows of a base to its source.
func (v *visit) baseOf(body *notePage) error {
	result, err := v.runQuery(map[string]any{"base": body.Path})
	switch {
	case fault.KindOf(err) == fault.InvalidArgument:
		body.Failed = err.Error()
	case err != nil:
		return err
	default:
		body.HTML = v.rendered(result)
	}
	return nil
}

// noteText is the text of a note with the text of its embeds.
type noteText struct {
	Text  string
	Cut   bool   // it is only the beginning
	Label string // the type of the callouts that hold embeds; "" if embeds are links

	Queries string // the type of the callouts that hold results of query blocks; "" if there are none
}

// textOf reads as much of a note as is shown.
func (v *visit) textOf(asked string) (noteText, error) {
	if !v.offers("read_note") {
		return v.textAt(asked)
	}
	for _, most := range []int{maxLines, maxLines / 10, maxLines / 100} { // fewer if they are long
		args, err := json.Marshal(map[string]any{"name": asked, "max_lines": most, "embeds": true})
		if err != nil {
			return noteText{}, err
		}
		answer, err := v.call("read_note", args)
		if err == nil {
			total, _ := answer.Meta["lines"].(int)
			return noteText{Text: answer.Text, Cut: total > most, Label: embedLabel(answer.Hints), Queries: queryLabel(answer.Hints)}, nil
		}
		if !errors.Is(err, fault.InvalidArgument) {
			return noteText{}, err
		}
	}
	return noteText{}, fault.InvalidArgument.Errorf("'%s' is too large to be shown here", asked).
		WithHint("open it in Obsidian")
}

// textAt reads a note by its path, for callers who only have note_read.
func (v *visit) textAt(asked string) (noteText, error) {
	if !v.offers("note_read") {
		return noteText{}, notOffered("the preview of notes", "read_note")
	}
	var answer struct {
		Content string `json:"content"`
		Exists  bool   `json:"exists"`
	}
	if err := v.ask("note_read", map[string]any{"path": asked}, &answer); err != nil {
		return noteText{}, err
	}
	if !answer.Exists {
		return noteText{}, fault.NotFound.Errorf("Note '%s' not found", asked)
	}
	return noteText{Text: answer.Content}, nil
}

// describe fills in where a note is and when it last changed.
func (v *visit) describe(asked string, body *notePage) error {
	body.Path = vpath.WithNoteExt(asked)
	if v.offers("get_note_metadata") {
		args, err := json.Marshal(map[string]string{"name": asked})
		if err != nil {
			return err
		}
		answer, err := v.call("get_note_metadata", args)
		if err != nil {
			return err
		}
		if found, ok := answer.Meta["path"].(string); ok {
			body.Path = found
		}
		body.Modified, _ = answer.Meta["modified"].(time.Time)
	}
	body.Name = vpath.Path(body.Path).Name()
	return nil
}

// resolver returns a function that finds what the links of a note mean. It asks once for the targets that the caller may
// see. Among these, a link means the same as among all files, because any better match would have come first there, too.
func (v *visit) resolver(note string) func(link string) (string, bool) {
	if !v.offers("graph_neighbors") {
		return nil
	}
	near, err := v.neighbours(note, 1, "out", maxTargets)
	if err != nil {
		return nil
	}
	paths := []vpath.Path{vpath.Path(note)}
	for _, node := range near.Nodes {
		paths = append(paths, vpath.Path(node.Path))
	}
	resolver := vpath.NewSet(paths).From(vpath.Path(note))
	return func(link string) (string, bool) {
		found, ok := resolver.Resolve(link)
		return string(found), ok
	}
}

// backlinksOf finds the lines that link to a note, which means reading all those notes. If that takes too long, as on a
// slow drive, the note is shown without them.
func (v *visit) backlinksOf(body *notePage) error {
	if !v.offers("backlinks_search") {
		return nil
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), v.page.options.BacklinksTimeout)
	defer cancel()
	brief := *v
	brief.r = v.r.WithContext(ctx)
	body.Backlinks = &backlinks{}
	err := brief.ask("backlinks_search", map[string]any{"name": body.Path, "limit": mostBacklinks}, body.Backlinks)
	body.Backlinks.bySource()
	if body.Backlinks.Late = errors.Is(err, fault.Timeout); body.Backlinks.Late {
		return nil
	}
	return err
}
