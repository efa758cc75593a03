package canvas_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/canvas"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed
)

// drawBoard draws a canvas in one of the layouts that programs write, with groups, overlaps and flaws.
func drawBoard(t *rapid.T) string {
	object := func(id string) map[string]any {
		step := func(name string, most int) int { return 20 * rapid.IntRange(0, most).Draw(t, name) }
		node := map[string]any{
			"id": id, "type": "text", "text": rapid.SampledFrom([]string{"Plan", "# Do\n- [ ] it", "", "é \\ \"x\""}).Draw(t, "text"),
			"x": step("x", 60) - 400, "y": step("y", 60) - 400, "width": step("width", 20) + 20, "height": step("height", 20) + 20,
		}
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			node["type"], node["label"] = "group", rapid.SampledFrom([]string{"Box", "Other box", ""}).Draw(t, "label")
			node["width"], node["height"] = step("group width", 60)+20, step("group height", 60)+20
			delete(node, "text")
		}
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			node["styleAttributes"] = map[string]any{"shape": "diamond"}
		}
		return node
	}
	var nodes, edges []any
	for i := range rapid.IntRange(0, 12).Draw(t, "nodes") {
		nodes = append(nodes, object(fmt.Sprintf("n%d", i)))
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "edges") {
		end := func() string { return fmt.Sprintf("n%d", rapid.IntRange(0, 13).Draw(t, "end")) }
		edges = append(edges, map[string]any{"id": fmt.Sprintf("e%d", i), "fromNode": end(), "toNode": end()})
	}
	return write(t, nodes, edges)
}

func write(t *rapid.T, nodes, edges []any) string {
	encode := func(value any) string {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	whole := map[string]any{"nodes": append([]any{}, nodes...), "edges": append([]any{}, edges...), "metadata": map[string]any{"version": "1.0"}}
	switch rapid.IntRange(0, 3).Draw(t, "layout") {
	case 0:
		return encode(whole)
	case 1:
		text, _ := json.MarshalIndent(whole, "", "  ")
		return string(text) + "\n"
	case 2:
		if len(nodes)+len(edges) == 0 {
			return rapid.SampledFrom([]string{"", "{}", " \n", "{\n\t\"nodes\":[],\n\t\"edges\":[]\n}"}).Draw(t, "empty")
		}
	}
	list := func(items []any) string {
		var lines []string
		for _, item := range items {
			lines = append(lines, "\n\t\t"+encode(item))
		}
		if len(lines) == 0 {
			return "[]"
		}
		return "[" + strings.Join(lines, ",") + "\n\t]"
	}
	text := "{\n\t\"nodes\":" + list(nodes) + ",\n\t\"edges\":" + list(edges) + "\n}"
	if rapid.Bool().Draw(t, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// drawOps draws random operations. Most of them can be applied to the canvas.
func drawOps(t *rapid.T, board canvas.Board) []json.RawMessage {
	var ops []json.RawMessage
	var added []string
	ref := func(groups bool) string {
		refs := slices.Clone(added)
		if groups {
			refs = slices.DeleteFunc(refs, func(ref string) bool { return !strings.Contains(string(ops[number(ref)-1]), `"group"`) })
		}
		for _, node := range board.Nodes {
			if !groups || node.IsGroup() {
				refs = append(refs, node.ID)
			}
		}
		if len(refs) == 0 {
			return ""
		}
		return rapid.SampledFrom(refs).Draw(t, "ref")
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "ops") {
		op := map[string]any{}
		switch rapid.IntRange(0, 9).Draw(t, "op") {
		case 0:
			op["remove"] = ref(false)
		case 1:
			op["update"], op["color"] = ref(false), rapid.SampledFrom([]any{"1", "#aabbcc", nil}).Draw(t, "color")
		case 2, 3, 4:
			op["connect"] = []string{ref(false), ref(false)}
		default:
			op["add"] = rapid.SampledFrom([]string{"text", "text", "link", "file", "group"}).Draw(t, "add")
			switch op["add"] {
			case "text":
				op["text"] = strings.Repeat("word ", rapid.IntRange(0, 40).Draw(t, "words"))
			case "link":
				op["url"] = "https://example.org"
			case "file":
				op["file"] = "A.md"
			}
			switch rapid.IntRange(0, 3).Draw(t, "hint") {
			case 0:
				if near := ref(false); near != "" {
					op["near"], op["side"] = near, rapid.SampledFrom([]string{"top", "right", "bottom", "left"}).Draw(t, "side")
				}
			case 1:
				if in := ref(true); in != "" {
					op["in"] = in
				}
			}
		}
		raw, err := json.Marshal(op)
		if err != nil {
			t.Fatal(err)
		}
		if ops = append(ops, raw); op["add"] != nil {
			added = append(added, fmt.Sprintf("$%d", i+1))
		}
	}
	return ops
}

// number is the number of the operation that "$n" names.
func number(ref string) (n int) {
	fmt.Sscanf(ref, "$%d", &n)
	return n
}

func parse(t *rapid.T, data []byte) canvas.Board {
	board, err := canvas.Parse(data)
	if err != nil {
		t.Fatalf("%s\n%v", data, err)
	}
	return board
}

// TestEditLaws: an edit keeps the lines of everything that it does not touch, its result can be read, ids stay unique,
// edges do not lose their ends, and placed cards overlap nothing.
func TestEditLaws(t *testing.T) {
	edited, refused := 0, map[canvas.Class]int{}
	rapid.Check(t, func(t *rapid.T) {
		before := drawBoard(t)
		old := parse(t, []byte(before))
		ops := drawOps(t, old)
		result, err := edit(before, ops)
		if err != nil {
			refusal, ok := err.(*canvas.Refusal)
			if !ok {
				t.Fatalf("%s\n%s\n%v", before, ops, err)
			}
			refused[refusal.Class]++
			return
		}
		edited++
		now := parse(t, result.Data)
		defer func() {
			if t.Failed() {
				t.Logf("before\n%s\nops %s\nafter\n%s", before, ops, result.Data)
			}
		}()
		checkLines(t, before, string(result.Data), old, ops)
		checkIDs(t, old, now)
		checkPlaces(t, old, now, ops, result.IDs)
	})
	others := 0
	for _, count := range refused {
		others += count
	}
	if edited < others {
		t.Errorf("only %d edits were accepted; refused: %v", edited, refused)
	}
	t.Logf("%d edits were accepted; refused: %v", edited, refused)
}

// checkLines checks that lines survive which hold only items that no operation touches. Groups may grow.
func checkLines(t *rapid.T, before, after string, old canvas.Board, ops []json.RawMessage) {
	left := map[string]int{}
	for line := range strings.Lines(after) {
		left[strings.TrimRight(strings.TrimSpace(line), ",")]++
	}
	for line := range strings.Lines(before) {
		line = strings.TrimRight(strings.TrimSpace(line), ",")
		touched := strings.Contains(line, `"type":"group"`) || strings.Count(line, `"id"`) != 1 || strings.Contains(line, `"nodes"`) || !strings.HasPrefix(line, "{")
		for _, node := range old.Nodes {
			if strings.Contains(line, `"`+node.ID+`"`) && strings.Contains(fmt.Sprintf("%s", ops), `"`+node.ID+`"`) {
				touched = true
			}
		}
		if left[line]--; left[line] < 0 && !touched {
			t.Errorf("the line %s is gone", line)
		}
	}
}

func checkIDs(t *rapid.T, old, now canvas.Board) {
	seen, dangling := map[string]bool{}, map[string]bool{}
	for _, node := range now.Nodes {
		if seen[node.ID] {
			t.Errorf("the id %s is there twice", node.ID)
		}
		seen[node.ID] = true
	}
	for _, edge := range old.Edges {
		for _, end := range []string{edge.From, edge.To} {
			if !slices.ContainsFunc(old.Nodes, func(node canvas.Node) bool { return node.ID == end }) {
				dangling[end] = true
			}
		}
	}
	for _, edge := range now.Edges {
		for _, end := range []string{edge.From, edge.To} {
			if !seen[end] && !dangling[end] {
				t.Errorf("the edge %s has lost its end %s", edge.ID, end)
			}
		}
	}
}

func overlap(a, b canvas.Rect) bool {
	return a.X < b.Right() && b.X < a.Right() && a.Y < b.Bottom() && b.Y < a.Bottom()
}

func holds(a, b canvas.Rect) bool {
	return a.X <= b.X && a.Y <= b.Y && a.Right() >= b.Right() && a.Bottom() >= b.Bottom()
}

// checkPlaces checks where new cards are: they overlap no card, lie in groups wholly or not at all, lie in the group that
// they were added to, and no group has grown over a card that was outside of it.
func checkPlaces(t *rapid.T, old, now canvas.Board, ops []json.RawMessage, ids map[int]string) {
	byID := map[string]canvas.Node{}
	for _, node := range now.Nodes {
		byID[node.ID] = node
	}
	isNew := map[string]bool{}
	for _, id := range ids {
		isNew[id] = true
	}
	for _, a := range now.Nodes {
		for _, b := range now.Nodes {
			switch {
			case a.ID == b.ID || !isNew[a.ID] || !overlap(a.Rect, b.Rect):
			case b.IsGroup() && holds(b.Rect, a.Rect), a.IsGroup() && holds(a.Rect, b.Rect):
			default:
				t.Errorf("the new card %s overlaps %s: %v and %v", a.ID, b.ID, a.Rect, b.Rect)
			}
		}
	}
	for i, raw := range ops {
		var op struct{ In string }
		_ = json.Unmarshal(raw, &op)
		if strings.HasPrefix(op.In, "$") {
			op.In = ids[number(op.In)]
		}
		group, there := byID[op.In]
		if card, ok := byID[ids[i+1]]; ok && op.In != "" && there && !holds(group.Rect, card.Rect) {
			t.Errorf("op %d: the card %v is not in its group %v", i+1, card.Rect, group.Rect)
		}
	}
	for _, group := range old.Nodes {
		for _, card := range old.Nodes {
			grown, there := byID[group.ID]
			still, alsoThere := byID[card.ID]
			if group.IsGroup() && there && alsoThere && group.ID != card.ID && holds(grown.Rect, still.Rect) && !holds(group.Rect, card.Rect) && !card.IsGroup() {
				t.Errorf("the group %s has grown over the card %s", group.ID, card.ID)
			}
			if group.IsGroup() && there && alsoThere && holds(group.Rect, card.Rect) && !holds(grown.Rect, still.Rect) {
				t.Errorf("%s has dropped out of the group %s", card.ID, group.ID)
			}
		}
	}
}

// FuzzEdit: whatever the file and the operations are, nothing panics; an accepted edit can be read, and an edit without
// operations keeps every byte.
func FuzzEdit(f *testing.F) {
	for _, c := range load[editCase](f, "edit") {
		ops, err := json.Marshal(c.Ops)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(c.Before), ops)
	}
	for _, c := range load[outlineCase](f, "outline") {
		f.Add([]byte(c.Canvas), []byte(`[{"add":"text","text":"x"},{"add":"group","near":"$1"},{"add":"text","text":"","in":"$2"},{"connect":["$1","$3"]}]`))
	}
	f.Add([]byte(`{"nodes":[{},1,{"id":"a","id":"b","x":1e999,"y":-0.5,"width":-3,"type":"group"}],"nodes":[{"id":"a","type":"group","x":0.5,"width":1e17}]}`),
		[]byte(`[{"add":"text","text":"x","in":"a"},{"update":"a","color":"1"},{"remove":"a"}]`))
	f.Fuzz(func(t *testing.T, before, rawOps []byte) {
		_, _ = canvas.Outline(before, true)
		if same, err := canvas.Edit(before, nil, counter()); err == nil && !bytes.Equal(same.Data, before) {
			t.Fatalf("an edit without operations turned %q into %q", before, same.Data)
		}
		var ops []json.RawMessage
		if json.Unmarshal(rawOps, &ops) != nil || len(ops) > 50 {
			return
		}
		edited, err := edit(string(before), ops)
		if err != nil {
			if _, ok := err.(*canvas.Refusal); !ok {
				t.Fatalf("%q %s: %v", before, rawOps, err)
			}
			return
		}
		old, _ := canvas.Parse(before)
		now, err := canvas.Parse(edited.Data)
		if err != nil {
			t.Fatalf("%q %s gives %q: %v", before, rawOps, edited.Data, err)
		}
		checkUntouched(t, old, now, string(rawOps))
	})
}

// checkUntouched checks that cards stay as they are which the operations cannot name.
func checkUntouched(t *testing.T, old, now canvas.Board, ops string) {
	for _, kept := range []string{"update", "remove", "in"} {
		if strings.Contains(ops, kept) {
			return
		}
	}
	for i, node := range old.Nodes {
		if i >= len(now.Nodes) || now.Nodes[i] != node {
			t.Fatalf("the card %+v is gone", node)
		}
	}
}
