package web

import (
	"fmt"
	"html"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGraph(t *testing.T) {
	s := openVault(t, library)
	s.get("/graph?note=Home").expect(t, http.StatusOK, "<h1>Graph of Home</h1>", `class="node centre labelled" href="/note?path=Home"`, `href="/graph?depth=1&amp;direction=both&amp;note=Garden.md"`, `marker-start="url(#graph-arrow)"`, "One step away", `<a href="/note?path=Garden.md">Garden</a>`)
	s.get("/graph?note=Garden/Beds.md&depth=2").expect(t, http.StatusOK, "Two steps away", "two steps</li>", `<option value="2" selected>`)
	s.get("/graph?note=Garden/Beds.md&direction=out").expect(t, http.StatusOK, "no links here")
	s.get("/graph?note=Garden&depth=99&direction=up").expect(t, http.StatusOK, `<option value="3" selected>`, `<option value="both" selected>`)
	s.get("/graph").expect(t, http.StatusOK, "<h1>Graph of ", "Or start from a recent note")
	s.get("/graph?note=Nobody").expect(t, http.StatusNotFound, "not found", `value="Nobody"`)
	s.get("/graph?note=%3Cscript%3E").lacks(t, "<script>")
	names := s.get("/graph?names=1&note=gard", script)
	names.expect(t, http.StatusOK, `<option value="Garden"></option>`)
	names.lacks(t, "<html", "Home")
	openVault(t, map[string]string{}).get("/graph").expect(t, http.StatusOK, "There are no notes here yet.")
}

// Without a name the graph shows the best connected note near the newest one.
func TestGraphGuessesNote(t *testing.T) {
	if got := mostLinked(star(40), "Hub.md"); got != "Hub.md" {
		t.Errorf("star: got %s", got)
	}
	near := star(3)
	near.Edges = []graphEdge{{"note 1", "note 2"}, {"note 0", "note 2"}, {"Hub", "note 2"}, {"Hub", "Hub"}}
	if got := mostLinked(near, "Hub.md"); got != "Folder 2/note 2.md" {
		t.Errorf("star with another centre: got %s", got)
	}
	s := openVault(t, map[string]string{"A.md": "[[B]]", "B.md": "", "C.md": "[[B]]"})
	s.get("/graph").expect(t, http.StatusOK, "<h1>Graph of B</h1>")
}

// A name with markup is shown as text, in the picture as well.
func TestGraphEscapesNames(t *testing.T) {
	s := openVault(t, map[string]string{"<b>a\" & b.md": "x", "Home.md": "[[<b>a\" & b]]"})
	s.get("/graph?note=Home").lacks(t, "<b>a")
}

// star returns a neighbourhood of one note with many others, in a few folders.
func star(notes int) neighbourhood {
	near := neighbourhood{Center: "Hub"}
	for i := range notes {
		name := fmt.Sprintf("note %d", i)
		near.Nodes = append(near.Nodes, struct {
			Name  string `json:"name"`
			Path  string `json:"path"`
			Depth int    `json:"depth"`
		}{name, fmt.Sprintf("Folder %d/%s.md", i%17, name), 1})
		near.Edges = append(near.Edges, graphEdge{name, "Hub"})
		if i%10 == 0 {
			near.Edges = append(near.Edges, graphEdge{name, "note 1"}, graphEdge{name, "note 2"})
		}
	}
	return near
}

// Notes that do not fit are grouped by folder, no note is lost, and nothing overlaps.
func TestPictureOfHub(t *testing.T) {
	p := draw(star(5000), graphPage{Note: "Hub.md", Depth: 1, Direction: "both"}, "/at")
	gathered, drawn := 0, 0
	for _, node := range p.Nodes[1:] {
		if node.Kind == folderKind {
			gathered += node.Count
		} else {
			drawn++
		}
	}
	if gathered+drawn != 5000 || len(p.Nodes) > 150 || drawn != mostDrawn || gathered != p.Gathered {
		t.Errorf("%d drawn, %d gathered, %d nodes", drawn, gathered, len(p.Nodes))
	}
	if p.Nodes[1].Name != "note 1" || p.Nodes[2].Name != "note 2" {
		t.Errorf("the best connected are %s and %s", p.Nodes[1].Name, p.Nodes[2].Name)
	}
	last := p.Nodes[len(p.Nodes)-1]
	if !strings.HasPrefix(last.Name, elsewhere) || !strings.HasPrefix(p.Nodes[drawn+1].Href, "/at/search?q=path%3A%22Folder+") {
		t.Errorf("%s, %s", last.Name, p.Nodes[drawn+1].Href)
	}
	if len(p.Steps) != 1 || len(p.Steps[0].Nodes)+p.Steps[0].More != 5000 {
		t.Errorf("the list has %v", p.Steps)
	}
	checkPositions(t, p)
}

func BenchmarkPictureOfHub(b *testing.B) {
	near := star(5000)
	for b.Loop() {
		draw(near, graphPage{Note: "Hub.md", Depth: 1, Direction: "both"}, "/at")
	}
}

// checkPositions checks that all nodes are within the picture and do not overlap.
func checkPositions(t *testing.T, p *picture) {
	t.Helper()
	labels := 0
	for i, node := range p.Nodes {
		if math.IsNaN(node.X) || node.X < 0 || node.X > pictureWidth || node.Y < 0 || node.Y > pictureTall {
			t.Errorf("%s is at %v, %v", node.Name, node.X, node.Y)
		}
		if node.Label.Shown {
			labels++
		}
		for _, other := range p.Nodes[:i] {
			if math.Hypot(node.X-other.X, node.Y-other.Y) < (node.R+other.R)*0.7 {
				t.Errorf("%s overlaps %s", node.Name, other.Name)
			}
			if node.Label.Shown && other.Label.Shown && node.Label.box().overlaps(other.Label.box()) {
				t.Errorf("the labels of %s and %s overlap", node.Name, other.Name)
			}
		}
	}
	if !p.Nodes[0].Label.Shown || labels < min(len(p.Nodes), 10) {
		t.Errorf("%d labels of %d", labels, len(p.Nodes))
	}
}

// A folder node links to the notes it represents, or to nothing.
func TestFolderNodeLinks(t *testing.T) {
	files := map[string]string{"Top.md": "x", `dir "q"/In.md`: "x", `back\"/In.md`: "x", "other/In.md": "x"}
	s := openVault(t, files)
	rest := []*graphNode{}
	for path := range files {
		rest = append(rest, &graphNode{Path: path})
	}
	for _, node := range gather(rest, "") {
		got := s.get(node.Href)
		got.expect(t, http.StatusOK, "1 note<")
		want := node.Path + "/In.md"
		if node.Path == "." {
			want = "Top.md"
		}
		got.expect(t, http.StatusOK, `data-note="`+html.EscapeString(want)+`"`)
	}
	for i := range mostGathered {
		rest = append(rest, &graphNode{Path: fmt.Sprintf("%d/In.md", i)})
	}
	all := gather(rest, "")
	if last := all[len(all)-1]; !strings.HasPrefix(last.Name, elsewhere) || last.Href != "" {
		t.Errorf("%s leads to %s", last.Name, last.Href)
	}
	links := map[string]string{"Hub.md": ""}
	for i := range 2 * mostDrawn {
		links[fmt.Sprintf("%d/Note %d.md", i%20, i)] = "[[Hub]]"
	}
	picture := openVault(t, links).get("/graph?note=Hub")
	picture.expect(t, http.StatusOK, "not drawn, in other folders")
	picture.lacks(t, `href=""`, `href="/search?q="`)
}

// Pictures of every size are readable and the same each time.
func TestPicturesAreStable(t *testing.T) {
	for _, notes := range []int{0, 1, 2, 3, 8, 30, 109, 110, 111, 150} {
		asked := graphPage{Note: "Hub.md", Depth: 1, Direction: "both"}
		p := draw(star(notes), asked, "")
		checkPositions(t, p)
		if diff := cmp.Diff(p, draw(star(notes), asked, "")); diff != "" {
			t.Errorf("%d notes look different the second time:\n%s", notes, diff)
		}
	}
}

// A far note is drawn only together with the note it is reached through.
func TestFarNotesAreConnected(t *testing.T) {
	near := star(400)
	for i := range 300 {
		node := near.Nodes[0]
		node.Name, node.Path, node.Depth = fmt.Sprintf("far %d", i), fmt.Sprintf("far %d.md", i), 2
		near.Nodes = append(near.Nodes, node)
		near.Edges = append(near.Edges, graphEdge{node.Name, fmt.Sprintf("note %d", i)})
	}
	p := draw(near, graphPage{Note: "Hub.md", Depth: 2, Direction: "both"}, "")
	drawn, far := map[string]bool{}, 0
	for _, node := range p.Nodes {
		drawn[node.Name] = true
	}
	for _, node := range p.Nodes {
		if node.Depth == 2 {
			far++
			if !drawn[strings.Replace(node.Name, "far", "note", 1)] {
				t.Errorf("%s is not connected", node.Name)
			}
		}
	}
	if far == 0 || far > mostDrawn/2 {
		t.Errorf("%d far notes", far)
	}
	checkPositions(t, p)
}
