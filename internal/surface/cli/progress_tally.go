package cli

import (
	"fmt"
	"strings"
	"time"

	"obsidian-mcp/internal/text/amount"
)

// tally says how far some work is.
type tally struct {
	done  int
	total int // 0 if not known
	what  string
	took  time.Duration
}

// words describes the tally in one line: "200 of 400 files (50%), 40/s, 5s left".
func (t tally) words() string {
	if t.total <= 0 {
		count := fmt.Sprintf("%s %s so far", amount.Number(t.done), t.what)
		return strings.Join(append([]string{count}, t.pace()...), ", ")
	}
	count := fmt.Sprintf("%s of %s %s (%d%%)", amount.Number(t.done), amount.Number(t.total), t.what, t.percent())
	return strings.Join(append([]string{count}, t.pace()...), ", ")
}

// pace returns the rate and the time left, as far as they are known yet.
func (t tally) pace() []string {
	if t.took < time.Second || t.done == 0 {
		return nil
	}
	rate := float64(t.done) / t.took.Seconds()
	parts := []string{amount.Number(int(rate+0.5)) + "/s"}
	if rate < 10 {
		parts[0] = fmt.Sprintf("%.1f/s", rate)
	}
	if left := t.total - t.done; left > 0 {
		parts = append(parts, remaining(time.Duration(float64(left)/rate*float64(time.Second)))+" left")
	}
	return parts
}

// remaining formats a duration for people.
func remaining(left time.Duration) string {
	switch {
	case left >= time.Hour:
		return fmt.Sprintf("%dh %dm", int(left.Hours()), int(left.Minutes())%60)
	case left >= time.Minute:
		return fmt.Sprintf("%dm %ds", int(left.Minutes()), int(left.Seconds())%60)
	}
	return fmt.Sprintf("%ds", (left+time.Second-1)/time.Second)
}

func (t tally) percent() int { return min(t.done, t.total) * 100 / t.total }

// A bar has at most barWidth columns; one with fewer than barLeast is not worth showing.
const (
	barWidth = 30
	barLeast = 10
)

// draw fits the tally into a terminal of that many columns: with a bar if there is room for one, else shortened as
// needed. The last column stays free, since some terminals start a new line after it.
func (t tally) draw(columns int) string {
	room := columns - 1
	words := t.words()
	if t.total > 0 {
		if bar := min(barWidth, room-len(words)-3); bar >= barLeast {
			full := bar * t.percent() / 100
			return "[" + strings.Repeat("#", full) + strings.Repeat(".", bar-full) + "] " + words
		}
	}
	for _, short := range []string{words, t.short(), amount.Number(t.done)} {
		if len(short) <= room {
			return short
		}
	}
	return ""
}

// short describes the tally for a narrow terminal.
func (t tally) short() string {
	if t.total <= 0 {
		return amount.Number(t.done) + " " + t.what
	}
	return fmt.Sprintf("%d%%", t.percent())
}
