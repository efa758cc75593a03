package periodic

import (
	"regexp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
)

// Match says that a note is the one of a period.
type Match struct {
	Period Period
	Date   moment.Date // the first day
	Exact  bool        // false if the name has a date, but not in the format of the period
}

// Matcher finds out which notes are periodic notes.
type Matcher struct {
	settings Settings
	now      moment.Time
	periods  []periodMatcher
}

// periodMatcher reads the names of the notes of a period.
type periodMatcher struct {
	period Period
	folder vpath.Path
	whole  moment.Format
	depth  int            // how many names the whole format has
	last   *moment.Format // what the last of them says, if that is enough
}

// Matcher returns a matcher for the periods that are kept. What a name does not say is taken from now.
func (s Settings) Matcher(now moment.Time) *Matcher {
	m := &Matcher{settings: s, now: now}
	for _, period := range Periods() {
		if notes := s.notes[period]; notes.Enabled {
			m.periods = append(m.periods, s.matcherOf(period, notes))
		}
	}
	return m
}

func (s Settings) matcherOf(period Period, notes Notes) periodMatcher {
	m := periodMatcher{
		period: period, folder: vpath.Path(Tidy(notes.Folder)), whole: s.compiled(period, notes.Format), depth: strings.Count(notes.Format, "/") + 1,
	}
	if m.depth > 1 {
		last := s.compiled(period, notes.Format[strings.LastIndex(notes.Format, "/")+1:])
		if s.isComplete(period, notes.Format[strings.LastIndex(notes.Format, "/")+1:], last) {
			m.last = &last
		}
	}
	return m
}

// compiled prepares a format. In the names of weekly notes, months and days mean nothing beside a week.
func (s Settings) compiled(period Period, format string) moment.Format {
	compiled := s.Locale.Compile(format)
	if period == Weekly {
		return compiled.ByWeek()
	}
	return compiled
}

// isComplete reports whether a format tells a period from all others.
func (s Settings) isComplete(period Period, format string, compiled moment.Format) bool {
	day := period.Start(moment.Date{Year: 2019, Month: 5, Day: 23}, s.Locale.Weeks)
	read, ok := compiled.Parse(s.Locale.Format(moment.Time{Date: day}, format), moment.Time{Date: moment.Date{Year: 2026, Month: 11, Day: 16}})
	return ok && period.Start(read.Date, s.Locale.Weeks) == day
}

// Match returns the periods that a note is of, by its path. Properties are asked for values of the note's frontmatter: a
// version of Periodic Notes lets them decide.
func (m *Matcher) Match(path vpath.Path, properties func(name string) string) []Match {
	if !m.settings.sets {
		return m.byPath(path)
	}
	for _, period := range Periods() {
		if text := properties(period.property()); text != "" {
			if read, ok := m.settings.Locale.Parse(text, period.defaultFormat(), m.now); ok {
				return []Match{m.match(period, read.Date, true)}
			}
		}
	}
	if matches := m.byPath(path); len(matches) > 0 {
		return matches[:1]
	}
	for _, p := range m.periods {
		if path.In(p.folder) {
			return m.loosely(path.Name())
		}
	}
	return nil
}

func (m *Matcher) match(period Period, date moment.Date, exact bool) Match {
	return Match{period, period.Start(date, m.settings.Locale.Weeks), exact}
}

func (m *Matcher) byPath(path vpath.Path) []Match {
	var matches []Match
	for _, p := range m.periods {
		if date, ok := p.date(path, m.now); ok {
			matches = append(matches, m.match(p.period, date, true))
		}
	}
	return matches
}

// Dates returns a function that tells the first day of the period of a note, and whether it is a note of that period. It
// does not matter whether the period is kept.
func (s Settings) Dates(period Period, now moment.Time, properties func(path vpath.Path, name string) string) func(vpath.Path) (moment.Date, bool) {
	m := s.matcherOf(period, s.notes[period])
	return func(path vpath.Path) (moment.Date, bool) {
		date, ok := m.date(path, now)
		if s.sets {
			if read, given := s.Locale.Parse(properties(path, period.property()), period.defaultFormat(), now); given {
				date, ok = read.Date, true
			}
		}
		return period.Start(date, s.Locale.Weeks), ok
	}
}

// date reads the date of a note from its path.
func (p periodMatcher) date(path vpath.Path, now moment.Time) (moment.Date, bool) {
	if p.folder != "" && !path.In(p.folder) || !path.IsNote() {
		return moment.Date{}, false
	}
	text := string(path.WithoutExt())
	if p.last != nil {
		read, ok := p.last.Parse(text[strings.LastIndex(text, "/")+1:], now)
		return read.Date, ok
	}
	names := strings.Split(text, "/")
	if len(names) < p.depth {
		return moment.Date{}, false
	}
	read, ok := p.whole.Parse(strings.Join(names[len(names)-p.depth:], "/"), now)
	return read.Date, ok
}

// looseDates find dates in names, the longest first.
var looseDates = []struct {
	period  Period
	pattern *regexp.Regexp
}{
	{Daily, regexp.MustCompile(`(\d{4})[-.]?(0[1-9]|1[0-2])[-.]?(0[1-9]|[12][0-9]|3[01])`)},
	{Monthly, regexp.MustCompile(`(\d{4})[-.]?(0[1-9]|1[0-2])()`)},
	{Yearly, regexp.MustCompile(`(\d{4})()()`)},
}

// loosely finds a date in a name.
func (m *Matcher) loosely(name string) []Match {
	for _, loose := range looseDates {
		if found := loose.pattern.FindStringSubmatch(name); found != nil {
			date := moment.Date{Year: atoi(found[1]), Month: max(1, atoi(found[2])), Day: max(1, atoi(found[3]))}
			return []Match{m.match(loose.period, date, false)}
		}
	}
	return nil
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // "" is 0
	return n
}
