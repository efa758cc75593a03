package ops

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/tool"
)

// GraphReport are the parameters of graph_report.
type GraphReport struct {
	Kind   string `json:"kind" jsonschema:"orphans, dead_ends, hubs, path, mentions, clusters, duplicates or similar"`
	Note   string `json:"note" jsonschema:"for path, similar, mentions" default:""`
	To     string `json:"to" jsonschema:"of a path" default:""`
	Folder string `json:"folder" jsonschema:"only its notes" default:""`
	Limit  int    `json:"limit" default:"50"`
	Offset int    `json:"offset" default:"0"`
}

// GraphReported is the result of graph_report.
type GraphReported struct {
	Kind  string       `json:"kind"`
	Items []ReportItem `json:"items"`
	Total int          `json:"total"`
}

// ReportItem is a note, or several, of a report. Which fields it has depends on the kind.
type ReportItem struct {
	Path     string      `json:"path,omitempty"`
	In       *int        `json:"in,omitempty"`   // notes that link to it
	Out      *int        `json:"out,omitempty"`  // notes that it links to
	Rank     float64     `json:"rank,omitempty"` // PageRank
	Notes    []string    `json:"notes,omitempty"`
	Size     int         `json:"size,omitempty"` // number of notes in the group; Notes lists the first few
	Likeness float64     `json:"likeness,omitempty"`
	Links    []PathLink  `json:"links,omitempty"`
	Line     int         `json:"line,omitempty"`
	Text     string      `json:"text,omitempty"`
	Note     string      `json:"note,omitempty"` // the one that is mentioned
	Edit     *ReportEdit `json:"edit,omitempty"`
	Score    float64     `json:"score,omitempty"`
	By       []string    `json:"by,omitempty"` // what makes a note similar

	at md.Span // of a mention
}

// PathLink is a link on a path.
type PathLink struct {
	From string `json:"from"`
	To   string `json:"to"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// ReportEdit is the arguments of replace_text that turn a mention into a link.
type ReportEdit struct {
	OldText string `json:"old_text"`
	NewText string `json:"new_text"`
}

var graphReport = tool.New(tool.Spec{
	Name: "graph_report", Toolset: "graph", Title: "Report on links", Effect: tool.Reads,
	About: "Reports on the graph of all notes; mentions lack a link and come with the edit for replace_text. Use graph_neighbors around one note.",
}, (*Ops).GraphReport)

// reports are the kinds of reports.
var reports = []struct {
	kind string
	make func(*report) (made, error)
}{
	{"orphans", whole((*report).orphans)},
	{"dead_ends", whole((*report).deadEnds)},
	{"hubs", whole((*report).hubs)},
	{"path", whole((*report).paths)},
	{"mentions", (*report).mentions},
	{"clusters", whole((*report).clusters)},
	{"duplicates", whole((*report).duplicates)},
	{"similar", whole((*report).similar)},
}

// made is a report: how many items it has, and a function that makes some of them.
type made struct {
	total int
	part  func(from, to int) ([]ReportItem, error)
}

// whole makes all items of a report at once.
func whole(list func(*report) ([]ReportItem, error)) func(*report) (made, error) {
	return func(r *report) (made, error) {
		items, err := list(r)
		return made{len(items), func(from, to int) ([]ReportItem, error) { return items[from:to], nil }}, err
	}
}

// report is a report while it is made. Templates and files that Obsidian excludes are not in it.
type report struct {
	ops      *Ops
	ctx      context.Context
	s        *index.Snapshot
	in       GraphReport
	note, to vpath.Path            // "" if none is given
	isListed func(vpath.Path) bool // not a template, and not excluded
	wants    func(vpath.Path) bool // it is listed, and in the folder
}

// GraphReport reports on the links and texts of all notes.
func (o *Ops) GraphReport(ctx context.Context, in GraphReport) (GraphReported, error) {
	var kinds []string
	for _, known := range reports {
		kinds = append(kinds, known.kind)
	}
	at := slices.Index(kinds, in.Kind)
	if at < 0 {
		err := fault.InvalidArgument.Errorf("Invalid kind: %s. Valid: %s", in.Kind, strings.Join(kinds, ", "))
		return GraphReported{}, err
	}
	r := &report{ops: o, ctx: ctx, in: in}
	if err := r.prepare(); err != nil {
		return GraphReported{}, err
	}
	found, err := reports[at].make(r)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return GraphReported{}, err
	}
	from, to, err := pageOf(found.total, in.Limit, in.Offset)
	if err != nil {
		return GraphReported{}, err
	}
	part, err := found.part(from, to)
	if err != nil {
		return GraphReported{}, err
	}
	tool.ShownHint(ctx, len(part), in.Offset, found.total)
	return GraphReported{in.Kind, append([]ReportItem{}, part...), found.total}, nil
}

// prepare finds the notes and the folder that the report is about.
func (r *report) prepare() error {
	wantsNote, wantsTo := slices.Contains([]string{"path", "similar"}, r.in.Kind), r.in.Kind == "path"
	switch {
	case wantsNote && r.in.Note == "":
		return fault.InvalidArgument.Errorf("kind %s needs a note", r.in.Kind)
	case wantsTo && r.in.To == "":
		return fault.InvalidArgument.Errorf("kind path needs to, the note where the path ends")
	case !wantsTo && r.in.To != "":
		return fault.InvalidArgument.Errorf("only kind path has to")
	case !wantsNote && r.in.Note != "" && r.in.Kind != "mentions":
		return fault.InvalidArgument.Errorf("kind %s is about all notes: use folder instead of note", r.in.Kind)
	}
	var err error
	if r.s, err = r.ops.vault.Snapshot(r.ctx); err != nil {
		return err
	}
	for _, wanted := range []struct {
		name string
		path *vpath.Path
	}{{r.in.Note, &r.note}, {r.in.To, &r.to}} {
		if wanted.name == "" {
			continue
		}
		if r.s, *wanted.path, err = r.ops.findNote(r.ctx, wanted.name); err != nil {
			return err
		}
	}
	folder, err := findFolder(r.s, r.in.Folder)
	if err != nil {
		return err
	}
	templates := r.ops.vault.TemplateFolders(r.ctx)
	excluded := search.Excluded(r.ops.vault.Settings(r.ctx).Excluded)
	r.isListed = func(path vpath.Path) bool {
		return path.IsNote() && !slices.ContainsFunc(templates, path.In) && !excluded(string(path))
	}
	r.wants = func(path vpath.Path) bool { return path.In(folder) && r.isListed(path) }
	return nil
}

// orphans lists the notes that nothing links to.
func (r *report) orphans() ([]ReportItem, error) {
	g := r.s.LinkGraph()
	return r.nodes(func(node int) (ReportItem, bool) {
		return ReportItem{Out: new(len(g.Out[node]))}, len(g.In[node]) == 0
	}), nil
}

// deadEnds lists the notes that link to nothing.
func (r *report) deadEnds() ([]ReportItem, error) {
	g := r.s.LinkGraph()
	return r.nodes(func(node int) (ReportItem, bool) {
		return ReportItem{In: new(len(g.In[node]))}, len(g.Out[node]) == 0
	}), nil
}

// hubs lists the notes that have links to them, the most important first.
func (r *report) hubs() ([]ReportItem, error) {
	g := r.s.LinkGraph()
	ranks := g.Ranks()
	items := r.nodes(func(node int) (ReportItem, bool) {
		return ReportItem{In: new(len(g.In[node])), Out: new(len(g.Out[node])), Rank: ranks[node]}, len(g.In[node]) > 0
	})
	order.Stably(items, func(a, b ReportItem) int { return cmp.Compare(b.Rank, a.Rank) })
	for i := range items {
		items[i].Rank = rounded(items[i].Rank, 6)
	}
	return items, nil
}

// nodes makes an item of every wanted note for which is returns true, by path.
func (r *report) nodes(is func(node int) (ReportItem, bool)) []ReportItem {
	var items []ReportItem
	for node, path := range r.s.LinkGraph().Paths {
		if !r.wants(path) {
			continue
		}
		if item, ok := is(node); ok {
			item.Path = string(path)
			items = append(items, item)
		}
	}
	return items
}

func rounded(number float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(number*scale) / scale
}

// mostPaths is how many paths between two notes are shown.
const mostPaths = 3

// paths lists the shortest paths between two notes.
func (r *report) paths() ([]ReportItem, error) {
	g := r.s.LinkGraph()
	from, _ := g.Node(r.note)
	to, _ := g.Node(r.to)
	var items []ReportItem
	for _, path := range g.Graph.Paths(from, to, mostPaths) {
		item := ReportItem{Notes: []string{}}
		for i, node := range path {
			item.Notes = append(item.Notes, string(g.Paths[node]))
			if i > 0 {
				item.Links = append(item.Links, r.linkBetween(g.Paths[path[i-1]], g.Paths[node]))
			}
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		tool.AddHint(r.ctx, tool.HintSuggest, "No links connect the two notes, in either direction.")
	}
	return items, nil
}

// linkBetween is the first link of a note to another, or else of that one to the first.
func (r *report) linkBetween(a, b vpath.Path) PathLink {
	for _, ends := range [][2]vpath.Path{{a, b}, {b, a}} {
		for _, link := range r.s.Outgoing(ends[0]) {
			if link.To == ends[1] {
				return PathLink{string(ends[0]), string(ends[1]), link.Line, shortLine(oneLine(r.s.Line(ends[0], link.Line)), longestLine)}
			}
		}
	}
	return PathLink{}
}

const (
	mostShown   = 10  // notes of a group
	longestLine = 300 // characters of a line that holds a link
)

// clusters lists groups of notes that are closely linked, the largest first, each with its most important notes.
func (r *report) clusters() ([]ReportItem, error) {
	g := r.s.LinkGraph()
	ranks := g.Ranks()
	var items []ReportItem
	for _, nodes := range g.Clusters() {
		nodes = slices.DeleteFunc(nodes, func(node int32) bool { return !r.wants(g.Paths[node]) })
		if len(nodes) < 2 {
			continue
		}
		order.Stably(nodes, func(a, b int32) int { return cmp.Compare(ranks[b], ranks[a]) })
		item := ReportItem{Size: len(nodes)}
		for _, node := range nodes[:min(mostShown, len(nodes))] {
			item.Notes = append(item.Notes, string(g.Paths[node]))
		}
		items = append(items, item)
	}
	order.Stably(items, func(a, b ReportItem) int { return cmp.Compare(b.Size, a.Size) })
	return items, nil
}
