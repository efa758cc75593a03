package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"obsidian-mcp/bench/measure"
)

// Tables prints everything as Markdown: for each vault its goals, then all figures.
func (r Results) Tables(out io.Writer) {
	fmt.Fprintf(out, "%d cores, %s, %s, %s; %s\n", r.Machine.CPUs, r.Machine.System, r.Machine.Go, r.Machine.Ripgrep, r.Settings)
	for _, size := range r.Sizes {
		fmt.Fprintf(out, "\n## %d notes, %s of text\n\n", size.Notes, bytesText(float64(size.Bytes)))
		goalTable(out, size)
		fmt.Fprintln(out)
		figureTable(out, size)
		for _, remark := range size.Remarks {
			fmt.Fprintf(out, "\n%s\n", remark)
		}
	}
}

func goalTable(out io.Writer, vault Size) {
	fmt.Fprint(out, "| goal | at most | which is | ours | ratio | met |\n|---|---|---:|---:|---:|---|\n")
	for _, goal := range Goals() {
		for i, bound := range goal.Bounds {
			about := goal.About
			if i > 0 {
				about = "…"
			}
			fmt.Fprintf(out, "| %s | %s |\n", about, strings.Join(goal.row(vault, bound), " | "))
		}
	}
}

// row returns the bound, the anchor's share, our figure, their ratio and whether the goal is met; blank if
// something was not measured.
func (g Goal) row(vault Size, bound Bound) []string {
	cells := []string{bound.text(), "", "", "", ""}
	anchor, measured := vault.Figures[bound.Anchor]
	base := 0.0
	if measured {
		base = bound.Stat(anchor)
		cells[1] = g.unit(bound.Ratio*base + bound.Plus)
	}
	figure, have := vault.Figures[g.Ours]
	if !have {
		return cells
	}
	ours := g.Stat(figure)
	cells[2] = g.unit(ours)
	if measured && base > 0 {
		cells[3] = ratioText(ours / base)
		cells[4] = map[bool]string{true: "yes", false: "**no**"}[ours <= bound.Ratio*base+bound.Plus]
	}
	return cells
}

func (b Bound) text() string {
	out := ratioText(b.Ratio) + " × " + b.Anchor
	if b.Plus > 0 {
		out += " + " + bytesText(b.Plus)
	}
	return out
}

// unit formats a figure of this goal: bytes or a time.
func (g Goal) unit(value float64) string {
	if g.Stat(measure.Figure{Bytes: 1}) == 1 {
		return bytesText(value)
	}
	return timeText(value)
}

func figureTable(out io.Writer, vault Size) {
	fmt.Fprint(out, "| figure | wall best | p50 | p99 | CPU best | p50 | p99 | hits |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	var names []string
	for name := range vault.Figures {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := vault.Figures[name]
		if f.Bytes > 0 {
			fmt.Fprintf(out, "| %s | %s | | | | | | |\n", name, bytesText(float64(f.Bytes)))
			continue
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name,
			timeText(f.Wall.Best), timeText(f.Wall.P50), timeText(f.Wall.P99), timeText(f.CPU.Best), timeText(f.CPU.P50), timeText(f.CPU.P99), hitsText(name, f))
	}
}

// hitsText formats the mean number of hits of a class of queries; a zero is worth seeing.
func hitsText(name string, figure measure.Figure) string {
	if !strings.Contains(name, "/query/") {
		return ""
	}
	return fmt.Sprintf("%.1f", figure.Hits)
}

// timeText formats milliseconds with three digits and a suitable unit.
func timeText(ms float64) string {
	switch {
	case ms == 0:
		return ""
	case ms < 0.001:
		return digits(ms*1e6) + " ns"
	case ms < 1:
		return digits(ms*1000) + " µs"
	case ms < 10_000:
		return digits(ms) + " ms"
	}
	return digits(ms/1000) + " s"
}

func bytesText(size float64) string { return digits(size/1e6) + " MB" }

// digits formats three significant digits, never as a power of ten.
func digits(value float64) string {
	switch {
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	case value >= 10:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.2f", value)
}

// ratioText formats small ratios as fractions, as the goals are stated.
func ratioText(ratio float64) string {
	if ratio > 0 && ratio < 0.1 {
		return "1/" + digits(1/ratio)
	}
	return digits(ratio)
}
