package web

import (
	"fmt"
	"html"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGraph(t *testing.T) {
	s := openVault(t, library)
	s.get("/graph?note=Home").expect(t, http.StatusOK, "<h1>Graph of Home</h1>", `class="node centre labelled" href="/note?path=Home"`, `href="/graph?depth=1&amp;direction=both&amp;note=Garden.md"`, `marker-start="url(#graph-arrow)"`, "One step away", `<a href="/note?path=Garden.md">Garden</a>`)
	s.get("/graph?note=Garden/Beds.md&depth=2").expect(t, http.StatusOK, "Two steps away", "two steps</li>", `<option value="2" selected>`)
	s.get("/graph?note=Garden/Beds.md&direction=out").expect(t, http.StatusOK, "no links here")
	s.get("/graph?note=Garden&depth=99&direction=up").expect(t, http.StatusOK, `<option value="3" selected>`, `<option value="both" selected>`)
	s.get("/graph").expect(t, http.StatusOK, "<h1>Graph of ", "Or start from what was written last")
	s.get("/graph?note=Nobody").expect(t, http.StatusNotFound, "not found", `value="Nobody"`)
	s.get("/graph?note=%3Cscript%3E").lacks(t, "<script>")
	names := s.get("/graph?names=1&note=gard", script)
	names.expect(t, http.StatusOK, `<option value="Garden"></option>`)
	names.lacks(t, "<html", "Home")
	openVault(t, map[string]string{}).get("/graph").expect(t, http.StatusOK, "There are no notes here yet.")
}

// TestGuess: without a name it is the best connected note near the newest one.
func TestGuess(t *testing.T) {
	if got := mostLinked(star(40), "Hub.md"); got != "Hub.md" {
		t.Errorf("of a star, %s", got)
	}
	near := star(3)
	near.Edges = []graphEdge{{"note 1", "note 2"}, {"note 0", "note 2"}, {"Hub", "note 2"}, {"Hub", "Hub"}}
	if got := mostLinked(near, "Hub.md"); got != "Folder 2/note 2.md" {
		t.Errorf("of a star with another centre, %s", got)
	}
	s := openVault(t, map[string]string{"A.md": "[[B]]", "B.md": "", "C.md": "[[B]]"})
	s.get("/graph").expect(t, http.StatusOK, "<h1>Graph of B</h1>")
}

// TestNamesInGraph: a name with markup is text, in the picture too.
func TestNamesInGraph(t *testing.T) {
	s := openVault(t, map[string]string{"<b>a\" & b.md": "x", "Home.md": "[[<b>a\" & b]]"})
	s.get("/graph?note=Home").lacks(t, "<b>a")
}

// star is a neighbourhood of one note with many others, in a few folders.
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

// TestPictureOfAHub: what is too much to draw is gathered, nothing is lost,
// nothing lies over something else, and it is quick.
func TestPictureOfAHub(t *testing.T) {
	started := time.Now()
	p := draw(star(5000), graphPage{Note: "Hub.md", Depth: 1, Direction: "both"}, "/at")
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
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
	checkPlaces(t, p)
}

// checkPlaces checks that all is within the picture, and apart.
func checkPlaces(t *testing.T, p *picture) {
	t.Helper()
	labels := 0
	for i, one := range p.Nodes {
		if math.IsNaN(one.X) || one.X < 0 || one.X > pictureWidth || one.Y < 0 || one.Y > pictureTall {
			t.Errorf("%s is at %v, %v", one.Name, one.X, one.Y)
		}
		if one.Label.Shown {
			labels++
		}
		for _, other := range p.Nodes[:i] {
			if math.Hypot(one.X-other.X, one.Y-other.Y) < (one.R+other.R)*0.7 {
				t.Errorf("%s lies over %s", one.Name, other.Name)
			}
			if one.Label.Shown && other.Label.Shown && one.Label.box().overlaps(other.Label.box()) {
				t.Errorf("the labels of %s and %s overlap", one.Name, other.Name)
			}
		}
	}
	if !p.Nodes[0].Label.Shown || labels < min(len(p.Nodes), 10) {
		t.Errorf("%d labels of %d", labels, len(p.Nodes))
	}
}

// TestGathered: what stands for the notes of a folder leads to these, or nowhere.
func TestGathered(t *testing.T) {
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

// TestPictures of every size are readable, and the same each time.
func TestPictures(t *testing.T) {
	for _, notes := range []int{0, 1, 2, 3, 8, 30, 109, 110, 111, 150} {
		asked := graphPage{Note: "Hub.md", Depth: 1, Direction: "both"}
		p := draw(star(notes), asked, "")
		checkPlaces(t, p)
		if diff := cmp.Diff(p, draw(star(notes), asked, "")); diff != "" {
			t.Errorf("%d notes look otherwise the second time:\n%s", notes, diff)
		}
	}
}

// TestSteps: far notes are drawn only with what they hang on.
func TestSteps(t *testing.T) {
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
				t.Errorf("%s hangs on nothing", node.Name)
			}
		}
	}
	if far == 0 || far > mostDrawn/2 {
		t.Errorf("%d far notes", far)
	}
	checkPlaces(t, p)
}
