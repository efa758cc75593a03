package value

import (
	"math"
	"strings"
)

// Unit is a unit of time.
type Unit int

// The units of a duration, from the longest to the shortest.
const (
	Years Unit = iota
	Months
	Weeks
	Days
	Hours
	Minutes
	Seconds
	Milliseconds
	Units // how many there are
)

// unitNames are the names of units, in the plural.
var unitNames = [Units]string{"years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"}

func (u Unit) String() string { return unitNames[u] }

// UnitNamed returns the unit with a name in the plural.
func UnitNamed(name string) (Unit, bool) {
	for unit, known := range unitNames {
		if known == name {
			return Unit(unit), true
		}
	}
	return 0, false
}

// Duration is a length of time in the units in which it was given: a month is not a fixed number of days.
type Duration struct {
	Amount [Units]float64
	has    [Units]bool // which units it is given in
}

// DurationOf returns a duration in one unit.
func DurationOf(amount float64, unit Unit) Duration {
	var d Duration
	d.Amount[unit], d.has[unit] = amount, true
	return d
}

// in is how many of a shorter unit make up one of a longer, where a year has 365 days and 52 weeks, and a month 30 days
// and 4 weeks.
func (u Unit) in(shorter Unit) float64 {
	if u == shorter {
		return 1
	}
	switch {
	case u == Years && shorter == Months:
		return 12
	case u == Years && shorter == Weeks:
		return 52
	case u == Months && shorter == Weeks:
		return 4
	}
	days := map[Unit]float64{Years: 365, Months: 30, Weeks: 7, Days: 1}
	below := map[Unit]float64{Days: 1, Hours: 24, Minutes: 24 * 60, Seconds: 24 * 3600, Milliseconds: 24 * 3600_000}
	if u <= Days {
		return days[u] * below[shorter]
	}
	return below[shorter] / below[u]
}

// ratios holds what Unit.in computes.
var ratios = func() (all [Units][Units]float64) {
	for longer := range Units {
		for shorter := longer; shorter < Units; shorter++ {
			all[longer][shorter] = longer.in(shorter)
		}
	}
	return all
}()

// Millis is the length in milliseconds.
func (d Duration) Millis() float64 {
	total := 0.0
	for unit := Units - 1; unit >= 0; unit-- {
		total += d.Amount[unit] * ratios[unit][Milliseconds]
	}
	return total
}

// Plus adds durations, unit by unit.
func (d Duration) Plus(other Duration) Duration {
	for unit := range Units {
		d.Amount[unit] += other.Amount[unit]
		d.has[unit] = d.has[unit] || other.has[unit]
	}
	return d
}

// Times multiplies every unit.
func (d Duration) Times(factor float64) Duration {
	for unit := range Units {
		if d.has[unit] {
			d.Amount[unit] *= factor
		}
	}
	return d
}

// Equal reports whether the durations are equal unit by unit.
func (d Duration) Equal(other Duration) bool { return d.Amount == other.Amount }

// In returns the whole duration in one unit.
func (d Duration) In(unit Unit) float64 { return d.ShiftTo(unit).Amount[unit] }

// ShiftTo expresses a duration in some units, in whole numbers except for the shortest.
func (d Duration) ShiftTo(units ...Unit) Duration {
	var wanted [Units]bool
	for _, unit := range units {
		wanted[unit] = true
	}
	var built, left Duration // left are the parts that no unit has taken yet
	last := Unit(0)
	for unit := range Units {
		if !wanted[unit] {
			left.Amount[unit] = d.Amount[unit]
			continue
		}
		last = unit
		own := d.Amount[unit]
		for longer := range unit {
			own += ratios[longer][unit] * left.Amount[longer]
			left.Amount[longer] = 0
		}
		whole := math.Trunc(own)
		built.Amount[unit], built.has[unit] = whole, true
		left.Amount[unit] = (own*1000 - whole*1000) / 1000
	}
	for unit, amount := range left.Amount {
		switch {
		case amount == 0:
		case Unit(unit) == last:
			built.Amount[last] += amount
		case Unit(unit) > last:
			built.Amount[last] += amount / ratios[last][unit]
		}
	}
	return built.rolled()
}

// rolled moves what is too much for a unit to the next longer one, and fractions to the next shorter one, among the units
// that the duration has.
func (d Duration) rolled() Duration {
	sign := 1.0
	if d.Millis() < 0 {
		sign = -1
	}
	shorter := Units
	for unit := Units - 1; unit >= 0; unit-- {
		if !d.has[unit] {
			continue
		}
		if shorter < Units {
			size := ratios[unit][shorter]
			up := math.Floor(d.Amount[shorter] * sign / size)
			d.Amount[unit] += up * sign
			d.Amount[shorter] -= up * size * sign
		}
		shorter = unit
	}
	longer := Units
	for unit := range Units {
		if !d.has[unit] {
			continue
		}
		if longer < Units {
			fraction := math.Mod(d.Amount[longer], 1)
			d.Amount[longer] -= fraction
			d.Amount[unit] += fraction * ratios[longer][unit]
		}
		longer = unit
	}
	return d
}

// Normal expresses a duration in all units.
func (d Duration) Normal() Duration {
	return d.ShiftTo(Years, Months, Weeks, Days, Hours, Minutes, Seconds, Milliseconds).rolled()
}

// ISO writes a duration as ISO 8601 does, in its own units.
func (d Duration) ISO() string {
	var out strings.Builder
	part := func(amount float64, letter string) {
		if amount != 0 {
			out.WriteString(Number(amount) + letter)
		}
	}
	out.WriteByte('P')
	part(d.Amount[Years], "Y")
	part(d.Amount[Months], "M")
	part(d.Amount[Weeks], "W")
	part(d.Amount[Days], "D")
	days := out.Len()
	out.WriteByte('T')
	part(d.Amount[Hours], "H")
	part(d.Amount[Minutes], "M")
	part(math.Round(d.Amount[Seconds]*1000+d.Amount[Milliseconds])/1000, "S")
	switch text := out.String(); {
	case len(text) > days+1:
		return text
	case days == 1:
		return "PT0S"
	default:
		return text[:days]
	}
}
