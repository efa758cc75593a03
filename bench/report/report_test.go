package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/bench/measure"
)

func TestGoalRow(t *testing.T) {
	goal := Goal{"a start", "ours/open", wallBest, []Bound{ofRipgrep(0.02)}}
	anchor := measure.Figure{Wall: measure.Spread{Best: 50}}
	for _, test := range []struct {
		name    string
		figures map[string]measure.Figure
		want    []string
	}{
		{"nothing was measured", nil, []string{"1/50.0 × rg/literal-rare", "", "", "", ""}},
		{"ours is missing", map[string]measure.Figure{rareLiteral: anchor}, []string{"1/50.0 × rg/literal-rare", "1.00 ms", "", "", ""}},
		{"met", map[string]measure.Figure{rareLiteral: anchor, "ours/open": {Wall: measure.Spread{Best: 0.5}}},
			[]string{"1/50.0 × rg/literal-rare", "1.00 ms", "500 µs", "1/100", "yes"}},
		{"missed", map[string]measure.Figure{rareLiteral: anchor, "ours/open": {Wall: measure.Spread{Best: 10}}},
			[]string{"1/50.0 × rg/literal-rare", "1.00 ms", "10.0 ms", "0.20", "**no**"}},
	} {
		if got := goal.row(Size{Figures: test.figures}, goal.Bounds[0]); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestFreeBytesCount(t *testing.T) {
	goal := Goal{"a peak", "program/build-peak", size, []Bound{{Anchor: text, Stat: size, Ratio: 2, Plus: 64e6}}}
	vault := Size{Figures: map[string]measure.Figure{text: {Bytes: 10e6}, "program/build-peak": {Bytes: 80e6}}}
	want := []string{"2.00 × corpus/text + 64.0 MB", "84.0 MB", "80.0 MB", "8.00", "yes"}
	if got := goal.row(vault, goal.Bounds[0]); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChart(t *testing.T) {
	var results Results
	for i, notes := range []int{1000, 10_000, 100_000} {
		figures := map[string]measure.Figure{}
		for _, line := range lines { // equal costs: the worst case for labels
			cost := measure.Spread{Best: float64(i + 1), P50: float64(i + 1), P99: float64(i + 1)}
			figures[line.figure] = measure.Figure{Wall: cost, CPU: cost}
		}
		results.Sizes = append(results.Sizes, Size{Notes: notes, Figures: figures})
	}
	name := filepath.Join(t.TempDir(), "chart.svg")
	if err := results.Chart(name); err != nil {
		t.Fatal(err)
	}
	drawing, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for tokens := xml.NewDecoder(strings.NewReader(string(drawing))); ; {
		if _, err := tokens.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the drawing is not XML: %v", err)
		}
	}
	for _, line := range lines {
		if !strings.Contains(string(drawing), ">"+line.label+"</text>") {
			t.Errorf("no label for %s", line.label)
		}
	}
	placed := results.curves()
	placeLabels(placed, newAxes(placed))
	for i, curve := range placed {
		if curve.label < 0 || curve.label > height || i > 0 && curve.label < placed[i-1].label+labelGap-0.01 {
			t.Errorf("the label of %s is at %.1f", curve.line.label, curve.label)
		}
	}
}

func TestChartOfNothing(t *testing.T) {
	if err := (Results{}).Chart(filepath.Join(t.TempDir(), "chart.svg")); err == nil {
		t.Error("nothing was drawn without a complaint")
	}
}

func TestSaveLoadAdd(t *testing.T) {
	small := Results{Sizes: []Size{{Notes: 1000, Figures: map[string]measure.Figure{"corpus/text": {Bytes: 5}}}}}
	name := filepath.Join(t.TempDir(), "results.json")
	if err := small.Save(name); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	both := Results{Sizes: []Size{{Notes: 10_000}}}
	both.Add(loaded)
	both.Add(loaded)
	if got := fmt.Sprint(len(both.Sizes), both.Sizes[0].Notes, both.Sizes[0].Figures["corpus/text"].Bytes); got != "2 1000 5" {
		t.Errorf("got %s, want 2 1000 5", got)
	}
}

func TestTimeText(t *testing.T) {
	for ms, want := range map[float64]string{0: "", 0.0000421: "42.1 ns", 0.0426: "42.6 µs", 9.5: "9.50 ms", 4382: "4382 ms", 63_700: "63.7 s"} {
		if got := timeText(ms); got != want {
			t.Errorf("%v ms: got %q, want %q", ms, got, want)
		}
	}
}
