package task

import (
	"math"

	"obsidian-mcp/internal/note/moment"
)

// Urgency is what makes a task pressing.
type Urgency struct {
	due, scheduled, start int32 // days, or never
	priority              float64
}

const never = math.MinInt32

// Urgency reads what makes a task pressing.
func (t Task) Urgency() Urgency {
	day := func(kind Kind) int32 {
		if date, ok := t.Date(kind); ok {
			return int32(date.Days())
		}
		return never
	}
	factor, ok := map[string]float64{"highest": 1.5, "high": 1, "medium": 0.65, "low": 0, "lowest": -0.3}[t.Get(Priority)]
	if !ok {
		factor = 0.325
	}
	return Urgency{day(Due), day(Scheduled), day(Start), factor * 6}
}

// On says how pressing a task is on a day: the more, the higher. The order of the operations is the plugin's, so that the
// results are equal to the last bit.
func (u Urgency) On(today moment.Date) float64 {
	day, urgency := int32(today.Days()), 0.0
	if u.due != never {
		overdue := float64(day - u.due)
		multiplier := 0.2
		switch {
		case overdue >= 7:
			multiplier = 1
		case overdue >= -14:
			multiplier = (overdue+14)*0.8/21 + 0.2
		}
		urgency += multiplier * 12
	}
	if u.scheduled != never && day >= u.scheduled {
		urgency += 5
	}
	if u.start != never && day < u.start {
		urgency -= 3
	}
	return urgency + u.priority
}
