// Package merge joins two versions of a note that were made from the same base: by lines, then by words, properties by their
// names, lists of properties as sets, tasks by their texts.
//
// It promises that
//
//   - a side that has not changed gives the other one, byte for byte;
//   - every line that a side has added is in the result;
//   - which lines are kept does not depend on the order of the sides.
//
// Lines that both sides have changed in ways that cannot be joined are both kept, and reported.
package merge

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// Options say how to merge.
type Options struct {
	// Mark adds a comment above lines that were kept in both versions.
	Mark bool
}

// Result is a merged note.
type Result struct {
	Text []byte
	// KeptBoth are the lines, and the properties, that could not be joined: those of both sides.
	KeptBoth []string
}

// Notes merges two versions of a note.
func Notes(base, ours, theirs []byte, o Options) Result {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(theirs, base):
		return Result{Text: ours}
	case bytes.Equal(ours, base):
		return Result{Text: theirs}
	}
	if head, ok := mergeProperties(base, ours, theirs); ok {
		m := merger{options: o, eol: eolOf(ours, theirs)}
		m.properties(head)
		m.texts(base[md.BodyStart(base):], ours[md.BodyStart(ours):], theirs[md.BodyStart(theirs):])
		return Result{slices.Concat(head.block, m.bytes()), m.keptBoth}
	}
	m := merger{options: o, eol: eolOf(ours, theirs)}
	m.texts(base, ours, theirs)
	return Result{m.bytes(), m.keptBoth}
}

// Unrelated merges two versions of a note whose common base is not known. It keeps every line of both; where they differ in one
// place, both versions are kept and reported.
func Unrelated(ours, theirs []byte, o Options) Result {
	if bytes.Equal(ours, theirs) {
		return Result{Text: ours}
	}
	m := merger{options: o, eol: eolOf(ours, theirs)}
	head, ok := mergeProperties(nil, ours, theirs)
	if ok {
		m.properties(head)
		ours, theirs = ours[md.BodyStart(ours):], theirs[md.BodyStart(theirs):]
	}
	m.union(newVersion(ours), newVersion(theirs))
	return Result{slices.Concat(head.block, m.bytes()), m.keptBoth}
}

// eolOf returns the line end of the first of two texts that has one.
func eolOf(texts ...[]byte) string {
	for _, text := range texts {
		if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
			return "\r\n"
		} else if at >= 0 {
			break
		}
	}
	return "\n"
}

// merger collects the lines of a result.
type merger struct {
	options  Options
	eol      string
	lines    []string
	keptBoth []string

	base, ours, theirs version
}

// version is one of the three texts.
type version struct {
	lines []string       // with their line ends
	keys  []string       // what makes lines the same
	only  map[string]int // index of the only line that has a key; -1 if several have it
}

func newVersion(text []byte) (v version) {
	v.only = map[string]int{}
	for line := range strings.Lines(string(text)) {
		key := keyOf(line)
		if _, isKnown := v.only[key]; isKnown {
			v.only[key] = -1
		} else {
			v.only[key] = len(v.lines)
		}
		v.lines, v.keys = append(v.lines, line), append(v.keys, key)
	}
	return v
}

// single returns the only line that has a key.
func (v version) single(key string) (string, bool) {
	at, ok := v.only[key]
	if !ok || at < 0 {
		return "", false
	}
	return v.lines[at], true
}

// texts merges texts line by line.
func (m *merger) texts(base, ours, theirs []byte) {
	m.base, m.ours, m.theirs = newVersion(base), newVersion(ours), newVersion(theirs)
	for h := range hunks(m.base.keys, m.ours.keys, m.theirs.keys) {
		m.hunk(h)
		if h.baseTo < len(m.base.lines) {
			m.line(m.base.lines[h.baseTo], m.ours.lines[h.oursTo], m.theirs.lines[h.theirsTo])
		}
	}
}

// union keeps all lines of two texts.
func (m *merger) union(ours, theirs version) {
	next := pair{}
	for _, same := range append(alignEither(ours.keys, theirs.keys), pair{len(ours.lines), len(theirs.lines)}) {
		m.both(ours.lines[next.a:same.a], theirs.lines[next.b:same.b], true)
		if same.a < len(ours.lines) {
			m.line("", ours.lines[same.a], theirs.lines[same.b])
		}
		next = pair{same.a + 1, same.b + 1}
	}
}

// hunk merges a part. If one side left it unchanged, the other side counts.
func (m *merger) hunk(h hunk) {
	base, ours, theirs := m.base.lines[h.baseFrom:h.baseTo], m.ours.lines[h.oursFrom:h.oursTo], m.theirs.lines[h.theirsFrom:h.theirsTo]
	baseKeys := m.base.keys[h.baseFrom:h.baseTo]
	oursKeys, theirsKeys := m.ours.keys[h.oursFrom:h.oursTo], m.theirs.keys[h.theirsFrom:h.theirsTo]
	switch {
	case slices.Equal(oursKeys, theirsKeys):
		for i := range ours {
			base, _ := m.base.single(oursKeys[i])
			m.line(base, ours[i], theirs[i])
		}
	case len(base) == len(ours) && len(base) == len(theirs):
		for i := range base {
			m.line(base[i], ours[i], theirs[i])
		}
	case slices.Equal(theirsKeys, baseKeys):
		m.addAll(ours, m.theirs)
	case slices.Equal(oursKeys, baseKeys):
		m.addAll(theirs, m.ours)
	default:
		m.both(added(baseKeys, oursKeys, ours), added(baseKeys, theirsKeys, theirs), len(base) > 0)
	}
}

// added returns the lines of a side that the base does not have.
func added(base, keys, lines []string) (rest []string) {
	next := 0
	for _, same := range append(align(base, keys), pair{len(base), len(keys)}) {
		rest = append(rest, lines[next:same.b]...)
		next = same.b + 1
	}
	return rest
}

// both adds the lines of both sides, ours first, without repeating lines that both sides added. If both sides replaced the same
// lines, it reports them.
func (m *merger) both(ours, theirs []string, replaced bool) {
	start := 0
	for start < min(len(ours), len(theirs)) && keyOf(ours[start]) == keyOf(theirs[start]) {
		start++
	}
	if isWhole := start == min(len(ours), len(theirs)); !isWhole && slices.ContainsFunc(theirs, isFence) {
		start = 0
	}
	for i := range start {
		m.line("", ours[i], theirs[i])
	}
	ours, theirs = ours[start:], theirs[start:]
	all := slices.Concat(ours, without(theirs, ours))
	if replaced && len(ours) > 0 && len(theirs) > 0 {
		m.report(all)
	}
	for _, line := range all {
		m.add(line)
	}
}

// without removes from lines each occurrence that others also has. It keeps blank lines, and it keeps everything if there is fenced
// code, whose lines belong together.
func without(lines, others []string) (rest []string) {
	count := map[string]int{}
	for _, key := range keysOf(others) {
		count[key]++
	}
	if slices.ContainsFunc(lines, isFence) {
		return lines
	}
	for _, line := range lines {
		key := keyOf(line)
		if count[key]--; strings.TrimSpace(line) == "" || count[key] < 0 {
			rest = append(rest, line)
		}
	}
	return rest
}

func isFence(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

func keysOf(lines []string) []string {
	keys := make([]string, len(lines))
	for i, line := range lines {
		keys[i] = keyOf(line)
	}
	return keys
}

// report records lines that were kept in both versions, and marks them if the options say so.
func (m *merger) report(lines []string) {
	for _, line := range lines {
		m.keptBoth = append(m.keptBoth, withoutEnd(line))
	}
	if m.options.Mark {
		m.add("%% Conflict: the next " + strconv.Itoa(len(lines)) + " lines are both versions. %%" + m.eol)
	}
}

// addAll adds the lines of one side. If the other side has changed the status of one of these tasks elsewhere, it keeps that change.
func (m *merger) addAll(lines []string, other version) {
	for _, line := range lines {
		key := keyOf(line)
		base, inBase := m.base.single(key)
		changed, inOther := other.single(key)
		if isTask(line) && inBase && inOther && changed != base {
			if merged := joined(base, line, changed); len(merged) == 1 {
				line = merged[0]
			}
		}
		m.add(line)
	}
}

// line merges three versions of one line.
func (m *merger) line(base, ours, theirs string) {
	merged := joined(base, ours, theirs)
	if len(merged) > 1 {
		m.report(merged)
	}
	for _, line := range merged {
		m.add(line)
	}
}

// add adds a line. Only the last one of the text may have no line end.
func (m *merger) add(line string) {
	if last := len(m.lines) - 1; last >= 0 && !strings.HasSuffix(m.lines[last], "\n") {
		m.lines[last] += m.eol
	}
	m.lines = append(m.lines, line)
}

// bytes returns the merged text.
func (m *merger) bytes() []byte { return []byte(strings.Join(m.lines, "")) }

func withoutEnd(line string) string { return strings.TrimRight(line, "\r\n") }
