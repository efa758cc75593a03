package task

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// errRule is any reason why a rule cannot be read.
var errRule = errors.New("the recurrence cannot be read")

// word is a kind of word in a rule.
type word struct {
	name    string
	pattern *regexp.Regexp
}

// words are those that rules consist of. The longest that fits is taken, and the first of equal length.
var words = func() []word {
	var list []word
	for _, w := range [][2]string{
		{"space", `[ \r\n\t]+|\.$`}, {"number", `[1-9][0-9]*`}, {"numberAsText", `one|two|three`}, {"every", `every`},
		{"day", `days?`}, {"weekday", `weekdays?`}, {"week", `weeks?`}, {"hour", `hours?`}, {"minute", `minutes?`}, {"month", `months?`}, {"year", `years?`},
		{"on", `on|in`}, {"at", `at`}, {"the", `the`}, {"first", `first`}, {"second", `second`}, {"third", `third`},
		{"nth", `([1-9][0-9]*)(\.|th|nd|rd|st)`}, {"last", `last`}, {"for", `for`}, {"time", `times?`}, {"until", `(un)?til`},
		{"MO", `mo(n(day)?)?`}, {"TU", `tu(e(s(day)?)?)?`}, {"WE", `we(d(n(esday)?)?)?`}, {"TH", `th(u(r(sday)?)?)?`},
		{"FR", `fr(i(day)?)?`}, {"SA", `sa(t(urday)?)?`}, {"SU", `su(n(day)?)?`},
		{"1", `jan(uary)?`}, {"2", `feb(ruary)?`}, {"3", `mar(ch)?`}, {"4", `apr(il)?`}, {"5", `may`}, {"6", `june?`}, {"7", `july?`},
		{"8", `aug(ust)?`}, {"9", `sep(t(ember)?)?`}, {"10", `oct(ober)?`}, {"11", `nov(ember)?`}, {"12", `dec(ember)?`},
		{"comma", `(,\s*|(and|or)\s*)+`},
	} {
		list = append(list, word{w[0], regexp.MustCompile(`(?i)^(?:` + w[1] + `)`)})
	}
	return list
}()

// ruleReader reads a rule in English, as the library does that the plugin uses: words at the end that do not fit are
// dropped, others make the rule unreadable.
type ruleReader struct {
	text  string
	word  string // the current word; "" at the end
	value string
	done  bool
	rule  rule
}

// readRule reads a rule.
func readRule(text string) (rule, error) {
	r := &ruleReader{text: text, rule: rule{interval: 1}}
	if !r.next() {
		return rule{}, errRule
	}
	err := r.every()
	return r.rule, err
}

// next goes to the next word, and reports whether there may be one.
func (r *ruleReader) next() bool {
	r.word, r.value = "", ""
	for {
		if r.done {
			return false
		}
		best, name := "", ""
		for _, w := range words {
			if found := w.pattern.FindString(r.text); len(found) > len(best) {
				best, name = found, w.name
			}
		}
		if best == "" {
			r.done = true
			return true
		}
		r.text = r.text[len(best):]
		r.done = r.text == ""
		if name != "space" {
			r.word, r.value = name, best
			return true
		}
	}
}

func (r *ruleReader) accept(name string) (string, bool) {
	if r.word != name {
		return "", false
	}
	value := r.value
	r.next()
	return value, true
}

func (r *ruleReader) has(name string) bool {
	_, ok := r.accept(name)
	return ok
}

func (r *ruleReader) number() (int, bool) {
	text, ok := r.accept("number")
	n, err := strconv.Atoi(text)
	return n, ok && err == nil
}

func (r *ruleReader) every() error {
	if !r.has("every") {
		return errRule
	}
	if n, ok := r.number(); ok {
		r.rule.interval = n
	}
	if r.word == "" {
		return errRule
	}
	switch r.word {
	case "day":
		r.rule.frequency = daily
		if !r.next() {
			return nil
		}
		return r.atAndEnd()
	case "weekday":
		r.rule.frequency, r.rule.weekdays = weekly, workdays()
		r.next()
		return r.atAndEnd()
	case "week", "hour", "minute", "month", "year":
		r.rule.frequency = map[string]frequency{"week": weekly, "hour": hourly, "minute": minutely, "month": monthly, "year": yearly}[r.word]
		isWeek := r.word == "week"
		if !r.next() {
			return nil
		}
		if err := r.on(); err != nil {
			return err
		}
		if isWeek {
			return r.atAndEnd()
		}
		return r.end()
	}
	if day, ok := r.weekday(); ok {
		return r.everyWeekday(day)
	}
	if month, ok := r.month(); ok {
		return r.everyMonth(month)
	}
	return errRule
}

func (r *ruleReader) everyWeekday(day int) error {
	r.rule.frequency, r.rule.weekdays = weekly, []weekdayRule{{day: day}}
	if !r.next() {
		return nil
	}
	for r.has("comma") {
		day, ok := r.weekday()
		if !ok {
			return errRule
		}
		r.rule.weekdays = append(r.rule.weekdays, weekdayRule{day: day})
		r.next()
	}
	if err := r.at(); err != nil {
		return err
	}
	r.has("on")
	r.has("the")
	for {
		nth, ok := r.nth()
		if !ok {
			break
		}
		r.rule.monthDays = append(r.rule.monthDays, nth)
		r.next()
		if !r.has("comma") {
			break
		}
	}
	return r.end()
}

func (r *ruleReader) everyMonth(month int) error {
	r.rule.frequency, r.rule.months = yearly, []int{month}
	if !r.next() {
		return nil
	}
	for r.has("comma") {
		month, ok := r.month()
		if !ok {
			return errRule
		}
		r.rule.months = append(r.rule.months, month)
		r.next()
	}
	if err := r.on(); err != nil {
		return err
	}
	return r.end()
}

// on reads on which days, weeks or months.
func (r *ruleReader) on() error {
	on := r.has("on")
	if the := r.has("the"); !on && !the {
		return nil
	}
	for {
		nth, isNth := r.nth()
		day, isDay := r.weekday()
		month, isMonth := r.month()
		switch {
		case isNth && isDay:
			r.next()
			r.rule.weekdays = append(r.rule.weekdays, weekdayRule{day, nth})
		case isNth:
			r.rule.monthDays = append(r.rule.monthDays, nth)
			r.has("day")
		case isDay:
			r.next()
			r.rule.weekdays = append(r.rule.weekdays, weekdayRule{day: day})
		case r.word == "weekday":
			r.next()
			if r.rule.weekdays == nil {
				r.rule.weekdays = workdays()
			}
		case r.word == "week":
			if err := r.weeks(); err != nil {
				return err
			}
		case isMonth:
			r.next()
			r.rule.months = append(r.rule.months, month)
		default:
			return nil
		}
		if !r.has("comma") && !r.has("the") && !r.has("on") {
			return nil
		}
	}
}

func (r *ruleReader) weeks() error {
	r.next()
	r.rule.weeks = nil
	for {
		n, ok := r.number()
		if !ok {
			return errRule
		}
		r.rule.weeks = append(r.rule.weeks, n)
		if !r.has("comma") {
			return nil
		}
	}
}

func (r *ruleReader) atAndEnd() error {
	if err := r.at(); err != nil {
		return err
	}
	return r.end()
}

// at reads hours, which dates do not have.
func (r *ruleReader) at() error {
	if !r.has("at") {
		return nil
	}
	for {
		n, ok := r.number()
		if !ok {
			return errRule
		}
		r.rule.hours = append(r.rule.hours, n)
		if !r.has("comma") && !r.has("at") {
			return nil
		}
	}
}

// end reads how often the rule recurs. An end on a date cannot be read the same in all time zones.
func (r *ruleReader) end() error {
	if r.word == "until" {
		return errRule
	}
	if !r.has("for") {
		return nil
	}
	n, ok := r.number()
	if !ok {
		return errRule
	}
	r.rule.count = n
	return nil
}

func (r *ruleReader) nth() (int, bool) {
	switch r.word {
	case "last":
		r.next()
		return -1, true
	case "first":
		r.next()
		return 1, true
	case "second", "third", "nth":
		n := map[string]int{"second": 2, "third": 3}[r.word]
		if r.word == "nth" {
			n, _ = strconv.Atoi(strings.TrimRight(r.value, ".thndrsTHNDRS"))
		}
		r.next()
		if r.has("last") {
			n = -n
		}
		return n, true
	}
	return 0, false
}

// dayNames are the short names of the weekdays, from Monday.
var dayNames = []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}

func (r *ruleReader) weekday() (int, bool) {
	for i, name := range dayNames {
		if r.word == name {
			return i, true
		}
	}
	return 0, false
}

func (r *ruleReader) month() (int, bool) {
	n, err := strconv.Atoi(r.word)
	return n, err == nil
}

func workdays() []weekdayRule { return []weekdayRule{{day: 0}, {day: 1}, {day: 2}, {day: 3}, {day: 4}} }
