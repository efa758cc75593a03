package canvas_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/canvas"
)

const board = `{
	"nodes":[
		{"id":"g","type":"group","x":0,"y":0,"width":340,"height":140,"label":"Ideas"},
		{"id":"a","type":"text","text":"First","x":20,"y":20,"width":260,"height":60},
		{"id":"b","type":"file","file":"Notes/Plan.md","x":0,"y":400,"width":400,"height":400}
	],
	"edges":[]
}`

// TestPlacing shows where cards without coordinates go.
func TestPlacing(t *testing.T) {
	for name, test := range map[string]struct {
		before, ops string
		want        map[string]canvas.Rect // by the id of the node; new ids count from 1
	}{
		"an empty canvas":                {"", `[{"add":"text","text":"x"}]`, map[string]canvas.Rect{"1": {0, 0, 260, 60}}},
		"right of everything":            {board, `[{"add":"link","url":"https://a.b"},{"add":"text","text":"x"}]`, map[string]canvas.Rect{"1": {480, 0, 400, 200}, "2": {960, 0, 260, 60}}},
		"beside a card, by its title":    {board, `[{"add":"text","text":"x","near":"Plan"}]`, map[string]canvas.Rect{"1": {440, 400, 260, 60}}},
		"beside a card of the same call": {"", `[{"add":"text","text":"a"},{"add":"text","text":"b","near":"$1"},{"add":"text","text":"c"},{"add":"text","text":"d","near":"$2","side":"bottom"}]`, map[string]canvas.Rect{"1": {0, 0, 260, 60}, "2": {300, 0, 260, 60}, "3": {640, 0, 260, 60}, "4": {300, 100, 260, 60}}},
		"pushed on until free":           {board, `[{"add":"text","text":"x","near":"Plan","side":"top"}]`, map[string]canvas.Rect{"1": {0, 300, 260, 60}}},
		"pushed past a group":            {board, `[{"add":"text","text":"x","width":100,"height":300,"near":"b","side":"top"}]`, map[string]canvas.Rect{"1": {0, -340, 100, 300}}},
		"a group grows downwards":        {board, `[{"add":"text","text":"x","in":"Ideas"}]`, map[string]canvas.Rect{"1": {20, 120, 260, 60}, "g": {0, 0, 340, 200}}},
		"a group grows to a free side":   {board, `[{"add":"file","file":"A.md","in":"Ideas"}]`, map[string]canvas.Rect{"1": {20, -420, 400, 400}, "g": {0, -440, 440, 580}}},
		"a group around its cards":       {"", `[{"add":"group","label":"G"},{"add":"text","text":"x","in":"$1"},{"add":"text","text":"y","in":"$1"}]`, map[string]canvas.Rect{"1": {0, 0, 600, 100}, "2": {20, 20, 260, 60}, "3": {320, 20, 260, 60}}},
		"connected cards from the left":  {"", `[{"add":"text","text":"a"},{"add":"text","text":"b"},{"add":"text","text":"c"},{"connect":["$1","$2"]},{"connect":["$1","$3"]},{"connect":["$3","$1"]}]`, map[string]canvas.Rect{"1": {0, 0, 260, 60}, "2": {380, 0, 260, 60}, "3": {380, 100, 260, 60}}},
		"height of a long text":          {"", `[{"add":"text","text":"1\n2\n3\n4"}]`, map[string]canvas.Rect{"1": {0, 0, 260, 140}}},
	} {
		t.Run(name, func(t *testing.T) {
			var ops []json.RawMessage
			if err := json.Unmarshal([]byte(test.ops), &ops); err != nil {
				t.Fatal(err)
			}
			edited, err := edit(test.before, ops)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]canvas.Rect{}
			now, err := canvas.Parse(edited.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, node := range now.Nodes {
				id := node.ID
				for id[0] == '0' {
					id = id[1:]
				}
				if _, asked := test.want[id]; asked {
					got[id] = node.Rect
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("%s\n(-want +got)\n%s", edited.Data, d)
			}
		})
	}
}

// TestReferences shows how operations name cards.
func TestReferences(t *testing.T) {
	twins := `{"nodes":[{"id":"a","type":"text","text":"Same"},{"id":"b","type":"text","text":"Same"},{"id":"c","type":"text","text":"- [ ] Buy"}],"edges":[{"id":"e","fromNode":"a","toNode":"c"}]}`
	for name, test := range map[string]struct{ ops, class, names string }{
		"an ambiguous title":         {`[{"remove":"Same"}]`, "ambiguous_node", "Same"},
		"a title without its box":    {`[{"remove":"Buy"}]`, "", ""},
		"a title as the outline has": {`[{"remove":"[ ] Buy"}]`, "", ""},
		"a title in another case":    {`[{"remove":"buy"}]`, "", ""},
		"a title with its id":        {`[{"remove":"Same ^b"}]`, "", ""},
		"an edge by its ends":        {`[{"update":["a","c"],"label":"x"}]`, "", ""},
		"an edge that is missing":    {`[{"remove":["c","a"]}]`, "unknown_node", "from 'c' to 'a'"},
		"a later operation":          {`[{"connect":["a","$2"]},{"add":"text","text":"x"}]`, "unknown_node", "$2"},
		"not a group":                {`[{"add":"text","text":"x","in":"c"}]`, "bad_value", "not a group"},
		"an unknown key":             {`[{"add":"text","txt":"x"}]`, "bad_value", "txt"},
		"an unknown type":            {`[{"add":"sticky"}]`, "bad_type", "sticky"},
		"two verbs":                  {`[{"add":"text","remove":"a"}]`, "bad_value", "remove"},
		"half a place":               {`[{"add":"text","text":"x","x":1}]`, "missing_field", "x and y"},
		"not an object":              {`["add"]`, "bad_value", "object"},
		"a subpath without its mark": {`[{"add":"file","file":"A.md","subpath":"x"}]`, "bad_value", "subpath"},
	} {
		t.Run(name, func(t *testing.T) {
			var ops []json.RawMessage
			if err := json.Unmarshal([]byte(test.ops), &ops); err != nil {
				t.Fatal(err)
			}
			if _, err := edit(twins, ops); test.class != "" {
				checkRefusal(t, err, test.class, test.names)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOutlineWithIDs: every card, heading and end of an edge shows its id.
func TestOutlineWithIDs(t *testing.T) {
	got, err := canvas.Outline([]byte(`{"nodes":[{"id":"g","type":"group","x":0,"y":0,"width":9,"height":9},{"id":"a","type":"text","text":"A\nmore","x":1,"y":1,"width":1,"height":1}],"edges":[{"id":"e","fromNode":"a","toNode":"z"}]}`), true)
	if want := "# (group) ^g\n- A ^a\n  more\n\nEdges:\n- A ^a → ?z\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
