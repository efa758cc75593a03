package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/bench/internal/echo"
)

func TestSizedNoteIsAsLargeAsTheEcho(t *testing.T) {
	if got := len(sizedText()); got != echo.Size {
		t.Errorf("the note has %d bytes, the echo's answer %d", got, echo.Size)
	}
}

func TestRatioIsOfTheSameRound(t *testing.T) {
	anchor := row{Turns: []sample{{CPU: 10}, {CPU: 100}, {CPU: 20}}}
	ours := row{Turns: []sample{{CPU: 12}, {CPU: 110}, {CPU: 30}}}
	got := ours.ratio(anchor, cpuOf)
	if want := (spread{1.2, 1.1, 1.5}); math.Abs(got.median-want.median)+math.Abs(got.least-want.least)+math.Abs(got.most-want.most) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTurnsChangeSides(t *testing.T) {
	if got := turns(0, 3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("first round: %v", got)
	}
	if got := turns(1, 3); !slices.Equal(got, []int{2, 1, 0}) {
		t.Errorf("second round: %v", got)
	}
}

// soaked makes a report of a load with the given numbers of goroutines.
func soaked(of func(minute float64) float64, before, after float64) *soakReport {
	report := &soakReport{Clients: 16, Took: 10 * time.Minute, Tally: newTally(), Before: reading{Goroutines: before, Descriptors: 10, Heap: 8}, After: reading{Goroutines: after, Descriptors: 10, Heap: 8}}
	for i := range 120 {
		minute := float64(i+1) / 12
		report.Readings = append(report.Readings, reading{Minute: minute, Goroutines: of(minute), Descriptors: 40 + float64(i%5), Heap: 20 + float64(i%7)})
	}
	return report
}

func TestVerdict(t *testing.T) {
	flat := func(minute float64) float64 { return 100 + 10*math.Sin(7*minute) }
	for _, test := range []struct {
		name          string
		of            func(float64) float64
		before, after float64
		want          string
	}{
		{"flat", flat, 12, 12, ""},
		{"falls", func(minute float64) float64 { return 200 - 10*minute }, 12, 12, ""},
		{"rises while the load sets in", func(minute float64) float64 { return min(100, 45*minute) }, 12, 12, ""},
		{"rises all the time", func(minute float64) float64 { return flat(minute) + 5*minute }, 12, 12, "goroutines grew"},
		{"is left at rest", flat, 12, 40, "goroutines at rest grew"},
	} {
		err := soaked(test.of, test.before, test.after).verdict()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func TestVerdictOfFailures(t *testing.T) {
	report := soaked(func(float64) float64 { return 100 }, 12, 12)
	report.Tally.failed(errors.New("status 500"))
	if err := report.verdict(); err == nil {
		t.Error("a call that failed passed")
	}
}

func TestDrawing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "soak.svg")
	if err := soaked(func(minute float64) float64 { return 100 + minute }, 12, 12).draw(name); err != nil {
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
	for _, want := range []string{">goroutines<", ">descriptors<", ">heap in use, MB<", ">10 min<", "prefers-color-scheme: dark"} {
		if !strings.Contains(string(drawing), want) {
			t.Errorf("no %s in the drawing", want)
		}
	}
	if got := strings.Count(string(drawing), "<polyline"); got != plotCount {
		t.Errorf("%d lines drawn", got)
	}
}

func TestRoundStep(t *testing.T) {
	for least, want := range map[float64]float64{0.7: 1, 1: 1, 1.1: 2, 33: 50, 51: 100, 0.04: 0.05} {
		if got := roundStep(least); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: got %v, want %v", least, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	turn := func(cpu float64) []sample { return []sample{{Calls: 1, CPU: cpu, P50: cpu}} }
	found := &results{
		Groups: []group{{About: "read_note of 2 KB", Era: "2025-11-25", Clients: 64, Rows: []row{
			{"echo, events", turn(100)}, {"echo, JSON", turn(80)}, {ours, turn(120)}}}},
		Memory:    []footprint{{"echo, events", []cost{{Live: 10_000}}, []cost{{Live: 20_000}}}, {ours, []cost{{Live: 11_000}}, []cost{{Live: 30_000}}}},
		Abandoned: &abandoned{Sessions: 30_000, Before: 10e6, After: 25e6},
	}
	var out strings.Builder
	found.tables(&out)
	for _, want := range []string{
		"64 clients: CPU | 1.3 × echo, events | 1.20 [1.20..1.20] | yes |", "64 clients: CPU | 1.3 × echo, JSON | 1.50 [1.50..1.50] | **no** |",
		"live heap and stacks | 1.2 × echo | 1.10 | yes |", "with an open stream | 1.2 × echo | 1.37 | **no** |", "20 MB more | 15.0 MB | yes |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
