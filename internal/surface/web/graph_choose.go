package web

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/order"
)

const (
	// mostDrawn is how many notes a readable picture holds; the others are
	// grouped by folder.
	mostDrawn = 110
	// mostGathered is how many folder groups are drawn.
	mostGathered = 10
	// elsewhere groups the notes of all further folders.
	elsewhere = "other folders"
)

// graphNode is a note in a picture, or a folder that represents several.
type graphNode struct {
	Name  string
	Path  string
	Depth int // steps from the centre
	Links int // to and from notes of the neighbourhood
	Kind  string
	Count int // of a folder: how many notes it represents

	Href string // where a click leads; "" if no query can name the folder
	Open string // the note itself; "" for a folder
	Tip  string

	X, Y, R float64
	Label   graphLabel
}

// The kinds of node are CSS classes.
var stepKinds = []string{"centre", "step1", "step2", "step3"}

const folderKind = "folder"

// nodes lists the notes of a neighbourhood: the centre first, then by distance and
// number of links.
func (n neighbourhood) nodes(asked string) []*graphNode {
	links := n.links()
	all := []*graphNode{{Name: n.Center, Path: asked, Links: links[n.Center], Kind: stepKinds[0]}}
	for _, node := range n.Nodes {
		all = append(all, &graphNode{
			Name: node.Name, Path: node.Path, Depth: node.Depth, Links: links[node.Name], Kind: stepKinds[min(node.Depth, 3)],
		})
	}
	order.Stably(all[1:], func(a, b *graphNode) int {
		return cmp.Or(a.Depth-b.Depth, b.Links-a.Links, cmp.Compare(a.Name, b.Name))
	})
	return all
}

// choose decides what is drawn: of each step, the best connected notes with a link
// to a drawn one. Steps that need less room leave it to the others.
func choose(all []*graphNode, edges []graphEdge) (drawn, rest []*graphNode) {
	near := map[string][]string{}
	for _, edge := range edges {
		near[edge.From] = append(near[edge.From], edge.To)
		near[edge.To] = append(near[edge.To], edge.From)
	}
	room := roomBySteps(all)
	depth := map[string]int{} // of the drawn notes
	for _, node := range all {
		hangs := node.Depth == 0 || slices.ContainsFunc(near[node.Name], func(other string) bool {
			at, is := depth[other]
			return is && at == node.Depth-1
		})
		if !hangs || room[node.Depth] == 0 {
			rest = append(rest, node)
			continue
		}
		room[node.Depth]--
		depth[node.Name] = node.Depth
		drawn = append(drawn, node)
	}
	return drawn, rest
}

// roomBySteps divides the picture among the steps: each step gets a third of what is
// left, and the first takes the rest.
func roomBySteps(all []*graphNode) [4]int {
	var wanted, room [4]int
	last := 0
	for _, node := range all {
		wanted[node.Depth]++
		last = max(last, node.Depth)
	}
	left := mostDrawn
	for depth := last; depth > 0; depth-- { // far steps leave their unused room to near ones
		share := left / 3
		if depth == 1 {
			share = left
		}
		room[depth] = min(wanted[depth], share)
		left -= room[depth]
	}
	room[0] = 1
	return room
}

// gather makes one node for all notes of a folder that are not drawn.
func gather(rest []*graphNode, base string) []*graphNode {
	counts := map[string]int{}
	for _, node := range rest {
		counts[topFolder(node.Path)]++
	}
	folders := make([]string, 0, len(counts))
	for folder := range counts {
		folders = append(folders, folder)
	}
	order.By(folders, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	var gathered []*graphNode
	for i, folder := range folders {
		if i >= mostGathered {
			last := gathered[mostGathered-1]
			last.Count += counts[folder]
			last.Path = ""
			continue
		}
		gathered = append(gathered, &graphNode{Path: folder, Depth: 1, Kind: folderKind, Count: counts[folder]})
	}
	for _, node := range gathered {
		node.describeFolder(base)
	}
	return gathered
}

// inQuotes escapes a text for a phrase of a query.
var inQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// describeFolder names a folder and links to its notes.
func (n *graphNode) describeFolder(base string) {
	folder, query := n.Path, `path:"`+inQuotes.Replace(n.Path)+`/"`
	switch n.Path {
	case "":
		folder, query = elsewhere, ""
	case ".":
		folder, query = "top folder", `-path:"/"`
	}
	n.Name = fmt.Sprintf("%s: %s more", folder, amount.Number(n.Count))
	if query != "" {
		n.Href = base + searchURL(query)
	}
	n.Tip = fmt.Sprintf("%s that are not drawn, in %s", amount.Of(n.Count, "note"), folder)
}

// topFolder returns the first folder of a path, or "." for files in the root.
func topFolder(file string) string {
	folder, _, _ := strings.Cut(path.Dir(file), "/")
	return folder
}
