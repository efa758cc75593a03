package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/order"
)

// graphPage is the neighbourhood of a note.
type graphPage struct {
	Note      string // as the person typed it
	Depth     int
	Direction string
	Guessed   bool // chosen by the page, not by the person
	Newest    []foundNote
	Picture   *picture
	Empty     bool // the vault has no notes
	Problem   *problem
}

// neighbourhood is the answer of graph_neighbors.
type neighbourhood struct {
	Center string `json:"center"`
	Nodes  []struct {
		Name  string `json:"name"`
		Path  string `json:"path"`
		Depth int    `json:"depth"`
	} `json:"nodes"`
	Edges     []graphEdge `json:"edges"`
	Truncated bool        `json:"truncated"`
}

type graphEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

const (
	// mostNear limits how many files are asked for. The picture shows only some of
	// them, so looking at more would be wasted time.
	mostNear = 6_000
	// suggested is how many names the form offers.
	suggested = 12
)

// graph draws the links around a note.
func (v *visit) graph() error {
	if !v.offers("graph_neighbors") {
		return notOffered("the graph", "graph_neighbors")
	}
	query := v.r.URL.Query()
	if query.Has("names") && v.partial() {
		return v.graphNames(query.Get("note"))
	}
	body := graphPage{Note: strings.TrimSpace(query.Get("note")), Depth: stepsOf(query), Direction: query.Get("direction")}
	if !slices.Contains([]string{"in", "out"}, body.Direction) {
		body.Direction = "both"
	}
	if body.Note == "" {
		if err := v.guess(&body); err != nil {
			return err
		}
	}
	if body.Note != "" {
		if err := v.draw(&body); err != nil {
			return err
		}
	}
	title := "Graph"
	if body.Picture != nil {
		title = "Graph of " + body.Picture.Centre.Name
	}
	v.show(title, body.view)
	return nil
}

func stepsOf(query url.Values) int {
	depth, err := strconv.Atoi(query.Get("depth"))
	if err != nil {
		return 1
	}
	return max(1, min(depth, 3))
}

// draw makes the picture. If the name matches no note or several, the page says so beside the form.
func (v *visit) draw(body *graphPage) error {
	near, err := v.neighbours(body.Note, body.Depth, body.Direction, mostNear)
	if err != nil {
		kind := fault.KindOf(err)
		if !slices.Contains([]fault.Kind{fault.NotFound, fault.AmbiguousName, fault.InvalidArgument}, kind) {
			return err
		}
		v.status = statusOf(kind)
		body.Problem = &problem{Message: err.Error(), Hint: fault.HintOf(err)}
		return nil
	}
	body.Picture = draw(near, *body, v.page.options.Base)
	return nil
}

func (v *visit) neighbours(note string, depth int, direction string, limit int) (neighbourhood, error) {
	var near neighbourhood
	args := map[string]any{"name": note, "depth": depth, "direction": direction, "limit": limit}
	err := v.ask("graph_neighbors", args, &near)
	return near, err
}

// guess chooses a note if the person named none: the best connected one around the
// notes written last.
func (v *visit) guess(body *graphPage) error {
	body.Guessed = true
	if !v.offers("find_notes") {
		return nil
	}
	var newest struct {
		Notes []foundNote `json:"notes"`
	}
	err := v.ask("find_notes", map[string]any{"sort_by": "modified", "limit": suggested, "include_content": false}, &newest)
	if err != nil {
		return err
	}
	body.Newest, body.Empty = newest.Notes, len(newest.Notes) == 0
	for _, note := range newest.Notes[:min(3, len(newest.Notes))] {
		near, err := v.neighbours(note.Path, 2, "both", 300)
		if err != nil {
			return err
		}
		if len(near.Nodes) > 0 {
			body.Note = mostLinked(near, note.Path)
			return nil
		}
	}
	if !body.Empty {
		body.Note = newest.Notes[0].Path
	}
	return nil
}

// mostLinked returns the path of the best connected note.
func mostLinked(near neighbourhood, centre string) string {
	links := near.links()
	best, most := centre, links[near.Center]
	for _, node := range near.Nodes {
		if links[node.Name] > most {
			best, most = node.Path, links[node.Name]
		}
	}
	return best
}

// links counts the links of each note within the neighbourhood.
func (n neighbourhood) links() map[string]int {
	links := map[string]int{}
	for _, edge := range n.Edges {
		if edge.From != edge.To {
			links[edge.From]++
			links[edge.To]++
		}
	}
	return links
}

// graphNames offers names that begin with or contain what is typed.
func (v *visit) graphNames(typed string) error {
	var names []string
	if v.offers("search_notes") && strings.TrimSpace(typed) != "" {
		var answer struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"result"`
		}
		if err := v.ask("search_notes", map[string]any{"query": typed, "limit": 200}, &answer); err != nil {
			return err
		}
		for _, item := range answer.Items {
			names = append(names, item.Name)
		}
		order.Stably(names, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		names = names[:min(suggested, len(names))]
	}
	v.part(suggestions(names).part)
	return nil
}
