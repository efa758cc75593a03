package cli

import (
	"fmt"
	"strings"
	"time"

	"obsidian-mcp/internal/text/amount"
)

// tally is how far something is.
type tally struct {
	done  int
	total int // 0: not known
	what  string
	took  time.Duration
}

// words say it in a line: "200 of 400 files (50%), 40/s, 5s left".
func (t tally) words() string {
	if t.total <= 0 {
		return strings.Join(append([]string{fmt.Sprintf("%s %s so far", amount.Number(t.done), t.what)}, t.pace()...), ", ")
	}
	return strings.Join(append([]string{fmt.Sprintf("%s of %s %s (%d%%)", amount.Number(t.done), amount.Number(t.total), t.what, t.percent())}, t.pace()...), ", ")
}

// pace is how fast it goes and how long it will take, as far as that can be
// known by now.
func (t tally) pace() []string {
	if t.took < time.Second || t.done == 0 {
		return nil
	}
	rate := float64(t.done) / t.took.Seconds()
	said := []string{amount.Number(int(rate+0.5)) + "/s"}
	if rate < 10 {
		said[0] = fmt.Sprintf("%.1f/s", rate)
	}
	if left := t.total - t.done; left > 0 {
		said = append(said, remaining(time.Duration(float64(left)/rate*float64(time.Second)))+" left")
	}
	return said
}

// remaining is a time for people.
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

// barWidth is that of the longest bar; longer than barLeast it is worth having.
const (
	barWidth = 30
	barLeast = 10
)

// draw fits it into a terminal of so many columns: the words, with a bar where
// there is room, or no more than there is room for. The last column stays free,
// since some terminals begin a new line behind it.
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

// short is for a narrow terminal.
func (t tally) short() string {
	if t.total <= 0 {
		return amount.Number(t.done) + " " + t.what
	}
	return fmt.Sprintf("%d%%", t.percent())
}
