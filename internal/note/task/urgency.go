package task

import "obsidian-mcp/internal/note/moment"

// Urgency says how pressing a task is on a day: the more, the higher. The order of the operations is the plugin's, so that
// the results are equal to the last bit.
func (t Task) Urgency(today moment.Date) float64 {
	urgency := 0.0
	if due, ok := t.Date(Due); ok {
		overdue := float64(today.Days() - due.Days())
		multiplier := 0.2
		switch {
		case overdue >= 7:
			multiplier = 1
		case overdue >= -14:
			multiplier = (overdue+14)*0.8/21 + 0.2
		}
		urgency += multiplier * 12
	}
	if scheduled, ok := t.Date(Scheduled); ok && today.Days() >= scheduled.Days() {
		urgency += 5
	}
	if start, ok := t.Date(Start); ok && today.Days() < start.Days() {
		urgency -= 3
	}
	factor, ok := map[string]float64{"highest": 1.5, "high": 1, "medium": 0.65, "low": 0, "lowest": -0.3}[t.Get(Priority)]
	if !ok {
		factor = 0.325
	}
	return urgency + factor*6
}
