package ops

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// GraphNeighbors are the parameters of graph_neighbors.
type GraphNeighbors struct {
	Name      string `json:"name" jsonschema:"name or path"`
	Depth     int    `json:"depth" jsonschema:"steps from the note, 1 to 3" default:"1"`
	Direction string `json:"direction" jsonschema:"in, out or both" default:"both"`
	Limit     int    `json:"limit" default:"100"`
}

// Neighbors is the result of graph_neighbors.
type Neighbors struct {
	Center    string `json:"center"`
	Nodes     []Node `json:"nodes"`
	Edges     []Edge `json:"edges"`
	Truncated bool   `json:"truncated"`
}

// Node is a neighbour.
type Node struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Depth int    `json:"depth"`
}

// Edge is a link between two notes of the answer.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

var graphNeighbors = tool.New(tool.Spec{
	Name: "graph_neighbors", Toolset: "graph", Title: "Neighbourhood of a note", Effect: tool.Reads,
	About: "Walks links up to 3 steps from a note and returns the notes it reaches, nearest first, and the links among them. Use get_links for one step by name.",
}, (*Ops).GraphNeighbors)

// GraphNeighbors walks the links around a note.
func (o *Ops) GraphNeighbors(ctx context.Context, in GraphNeighbors) (Neighbors, error) {
	if in.Direction != "in" && in.Direction != "out" && in.Direction != "both" {
		return Neighbors{}, badDirection(in.Direction)
	}
	if in.Depth < 1 || in.Depth > 3 {
		return Neighbors{}, fault.InvalidArgument.Errorf("depth must be 1, 2 or 3")
	}
	if in.Limit < 0 {
		return Neighbors{}, fault.InvalidArgument.Errorf("limit must not be negative")
	}
	s, path, err := o.find(ctx, in.Name)
	if err != nil {
		return Neighbors{}, err
	}
	w := walk{s: s, in: in, depth: map[vpath.Path]int{path: 0}, order: []vpath.Path{path}}
	if err := w.run(ctx); err != nil {
		return Neighbors{}, err
	}
	result := Neighbors{Center: s.Name(path), Nodes: []Node{}, Edges: w.edges(), Truncated: w.truncated}
	if w.truncated {
		tool.AddHint(ctx, tool.HintCut, "There are more notes than the %d shown; raise limit.", len(w.order)-1)
	}
	for _, node := range w.order[1:] {
		result.Nodes = append(result.Nodes, Node{s.Name(node), string(node), w.depth[node]})
	}
	return result, nil
}

// walk visits a graph breadth first.
type walk struct {
	s         *index.Snapshot
	in        GraphNeighbors
	depth     map[vpath.Path]int
	order     []vpath.Path
	truncated bool
}

func (w *walk) run(ctx context.Context) error {
	for at := 0; at < len(w.order) && !w.truncated; at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := w.order[at]
		if w.depth[path] == w.in.Depth {
			break
		}
		if w.in.Direction != "in" {
			for _, link := range w.s.Outgoing(path) {
				w.visit(link.To, w.depth[path]+1)
			}
		}
		if w.in.Direction != "out" {
			for _, link := range w.s.Backlinks(path) {
				w.visit(link.From, w.depth[path]+1)
			}
		}
	}
	return nil
}

func (w *walk) visit(path vpath.Path, depth int) {
	if path == "" {
		return
	}
	if _, visited := w.depth[path]; visited {
		return
	}
	if len(w.order)-1 >= w.in.Limit {
		w.truncated = true
		return
	}
	w.depth[path] = depth
	w.order = append(w.order, path)
}

// edges returns the links among the visited notes, each once.
func (w *walk) edges() []Edge {
	edges := []Edge{}
	seen := map[Edge]bool{}
	for _, path := range w.order {
		for _, link := range w.s.Outgoing(path) {
			if _, visited := w.depth[link.To]; !visited || link.To == "" {
				continue
			}
			edge := Edge{w.s.Name(path), w.s.Name(link.To)}
			if !seen[edge] {
				seen[edge] = true
				edges = append(edges, edge)
			}
		}
	}
	return edges
}
