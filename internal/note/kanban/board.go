// Package kanban reads and changes the boards of the plugin Kanban. It moves lines and leaves the rest of the file alone,
// whereas the plugin rewrites the whole board.
package kanban

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/moment"
)

// Board is a note that is a board.
type Board struct {
	Lanes   []Lane
	note    *md.Note
	archive *Lane // nil if the board has no archive
	end     int   // where the settings begin, or the note ends
	options options
}

// options are the settings of a board that matter for changes.
type options struct {
	NewCards             string `json:"new-card-insertion-method"`
	ArchiveWithDate      bool   `json:"archive-with-date"`
	AppendArchiveDate    bool   `json:"append-archive-date"`
	ArchiveDateSeparator string `json:"archive-date-separator"`
	ArchiveDateFormat    string `json:"archive-date-format"`
}

// Lane is a list of a board.
type Lane struct {
	Title    string // without the limit
	Complete bool   // cards in it are done
	Cards    []Card
	insertAt int // where a card goes in an empty lane
}

// Card is an item of a lane, with all that is nested in it.
type Card struct {
	md.Span
	Text string // its first line, after the box
	Line int    // from 1
}

var (
	boardKey = regexp.MustCompile(`(?m)^["']?kanban-plugin["']?\s*:`)
	limit    = regexp.MustCompile(`\s*\(\d+\)$`)
	markLine = regexp.MustCompile(`^\*\*[^*\n]+\*\*[ \t]*\r?\n?$`)
	hasBox   = regexp.MustCompile(`^- \[.\] `)
	blockID  = regexp.MustCompile(` \^[a-zA-Z0-9-]+$`)

	// archiveRule is the line before the heading of the archive.
	archiveRule = regexp.MustCompile(`(?:^|\n)\*\*\*[ \t]*\r?\n\s*$`)

	settingsAt = regexp.MustCompile(`(?m)^%% kanban:settings[ \t]*\r?$`)
)

// Open reads a board. It returns false if the note is not a board.
func Open(note *md.Note) (*Board, bool) {
	if !note.Front.Present || !boardKey.Match(note.Front.YAML.Of(note.Source)) {
		return nil, false
	}
	b := &Board{note: note, end: len(note.Source)}
	if found := settingsAt.FindIndex(note.Source[note.Body:]); found != nil {
		b.end = note.Body + found[0]
		b.readOptions()
	}
	for i, heading := range note.Headings {
		if heading.Start >= b.end {
			break
		}
		next := b.end
		if i+1 < len(note.Headings) {
			next = min(next, note.Headings[i+1].Start)
		}
		lane := b.lane(heading, next)
		if b.archive == nil && archiveRule.Match(note.Source[note.Body:heading.Start]) {
			b.archive = &lane
			continue
		}
		b.Lanes = append(b.Lanes, lane)
	}
	return b, true
}

// readOptions reads the settings at the end of a board.
func (b *Board) readOptions() {
	text := b.note.Source[b.end:]
	start, end := bytes.IndexByte(text, '{'), bytes.LastIndexByte(text, '}')
	if start >= 0 && end > start {
		_ = json.Unmarshal(text[start:end+1], &b.options) // damaged settings count as missing
	}
}

// lane reads the part of a board from a heading to the next.
func (b *Board) lane(heading md.Heading, next int) Lane {
	src := b.note.Source
	lane := Lane{Title: LaneOf(string(heading.Text.Of(src)))}
	at := md.NextLine(src, heading.Text.End)
	if line := src[at:md.NextLine(src, at)]; at < next && len(bytes.TrimSpace(line)) == 0 && len(line) > 0 {
		at += len(line)
	}
	if line := src[at:min(next, md.NextLine(src, at))]; markLine.Match(line) {
		lane.Complete = true
		at += len(line)
	}
	lane.insertAt = min(at, next)
	for _, item := range b.note.Items {
		if item.Parent < 0 && heading.Start < item.Start && item.Start < next {
			start := md.LineStart(src, item.Start)
			text, _, _ := strings.Cut(string(src[item.Text:md.NextLine(src, item.Text)]), "\n")
			lane.Cards = append(lane.Cards, Card{md.Span{Start: start, End: item.End}, strings.TrimSpace(text), item.Line})
		}
	}
	return lane
}

// Lane returns the index of the lane with a title, or -1.
func (b *Board) Lane(title string) int {
	wanted := LaneOf(title)
	return slices.IndexFunc(b.Lanes, func(lane Lane) bool { return strings.EqualFold(lane.Title, wanted) })
}

// ArchiveLane is the index of the archive.
const ArchiveLane = -1

// HasArchive reports whether the board has an archive.
func (b *Board) HasArchive() bool { return b.archive != nil }

// at returns a lane, or the archive.
func (b *Board) at(lane int) Lane {
	switch {
	case lane != ArchiveLane:
		return b.Lanes[lane]
	case b.archive != nil:
		return *b.archive
	}
	return Lane{}
}

// Card returns the card that starts on a line, from 1, with its lane and index. It returns false if none does.
func (b *Board) Card(line int) (found Card, lane, index int, ok bool) {
	for lane := ArchiveLane; lane < len(b.Lanes); lane++ {
		cards := b.at(lane).Cards
		if at := slices.IndexFunc(cards, func(card Card) bool { return card.Line == line }); at >= 0 {
			return cards[at], lane, at, true
		}
	}
	return Card{}, 0, 0, false
}

// NewCards is the position of new cards, by the board's settings.
func (b *Board) NewCards() int {
	if strings.HasPrefix(b.options.NewCards, "prepend") {
		return 0
	}
	return Bottom
}

// LaneOf returns the title of the lane that a heading stands for.
func LaneOf(heading string) string { return limit.ReplaceAllString(strings.TrimSpace(heading), "") }

// IsBoard reports whether a frontmatter block is that of a board.
func IsBoard(front string) bool { return boardKey.MatchString(front) }

// Bottom is the position after the last card of a lane.
const Bottom = -1

// Mark gives a card's first line the box of a done or an open task. It may return a line that takes the card's old place.
type Mark func(line string, done bool) (marked, instead string)

// Move moves a card to a position in a lane, as it is afterwards.
func (b *Board) Move(from, card, to, position int, mark Mark) []md.Splice {
	moved := b.at(from).Cards[card]
	text, instead := string(moved.Of(b.note.Source)), ""
	if b.at(from).Complete != b.Lanes[to].Complete {
		first, rest := cutLine(text)
		first, instead = mark(first, b.Lanes[to].Complete)
		text = first + rest
	}
	if instead != "" {
		instead += md.LineEnd(b.note.Source, moved.Start)
	}
	cards := b.Lanes[to].Cards
	if from == to {
		cards = slices.Delete(slices.Clone(cards), card, card+1)
	}
	return []md.Splice{{Span: moved.Span, Text: []byte(instead)}, b.insertion(b.Lanes[to], cards, position, text)}
}

// cutLine splits a text after its first line, whose end goes with the rest.
func cutLine(text string) (first, rest string) {
	at := strings.IndexAny(text, "\r\n")
	if at < 0 {
		return text, ""
	}
	return text[:at], text[at:]
}

// insertion inserts a card at a position among those of a lane.
func (b *Board) insertion(lane Lane, cards []Card, position int, text string) md.Splice {
	eol := md.LineEnd(b.note.Source, lane.insertAt)
	text = strings.TrimRight(text, "\r\n") + eol
	at := lane.insertAt
	switch {
	case len(cards) == 0:
	case position == Bottom || position >= len(cards):
		at = cards[len(cards)-1].End
	default:
		at = cards[position].Start
	}
	if at > 0 && b.note.Source[at-1] != '\n' {
		text = eol + strings.TrimRight(text, "\r\n")
	}
	next := b.note.Source[at:md.NextLine(b.note.Source, at)]
	isCard := slices.ContainsFunc(cards, func(card Card) bool { return card.Start == at })
	if len(bytes.TrimSpace(next)) > 0 && !isCard && strings.HasSuffix(text, "\n") {
		text += eol // so that it stays apart
	}
	return md.Splice{Span: md.Span{Start: at, End: at}, Text: []byte(text)}
}

// Add adds a card to a lane: an item with a box, or text that gets one. Its further lines are indented.
func (b *Board) Add(lane, position int, text, indent string, mark Mark) []md.Splice {
	to := b.Lanes[lane]
	lines := strings.Split(strings.Trim(text, "\r\n"), "\n")
	for i := range lines[1:] {
		lines[i+1] = indent + strings.TrimRight(lines[i+1], "\r")
	}
	if !hasBox.MatchString(lines[0]) {
		lines[0] = "- [ ] " + lines[0]
	}
	if to.Complete {
		lines[0], _ = mark(lines[0], true)
	}
	eol := md.LineEnd(b.note.Source, to.insertAt)
	return []md.Splice{b.insertion(to, to.Cards, position, strings.Join(lines, eol))}
}

// Archive moves a card to the archive, and creates it if necessary.
func (b *Board) Archive(lane, card int, now moment.Time, locale moment.Locale) []md.Splice {
	moved := b.Lanes[lane].Cards[card]
	text := b.dated(string(moved.Of(b.note.Source)), now, locale)
	remove := md.Splice{Span: moved.Span}
	if b.archive != nil {
		return []md.Splice{remove, b.insertion(*b.archive, b.archive.Cards, Bottom, text)}
	}
	eol := md.LineEnd(b.note.Source, b.end)
	start := len(bytes.TrimRight(b.note.Source[:b.end], "\r\n"))
	isLast := moved.End > start
	if isLast { // what is removed and what is added are one place
		start = len(bytes.TrimRight(b.note.Source[:moved.Start], "\r\n"))
	}
	added := eol + eol + eol + "***" + eol + eol + "## Archive" + eol + eol + strings.TrimRight(text, "\r\n") + eol + eol
	add := md.Splice{Span: md.Span{Start: start, End: b.end}, Text: []byte(added)}
	if isLast {
		return []md.Splice{add}
	}
	return []md.Splice{remove, add}
}

// dated adds the time to an archived card, if the board's settings want that.
func (b *Board) dated(text string, now moment.Time, locale moment.Locale) string {
	if !b.options.ArchiveWithDate {
		return text
	}
	format := b.options.ArchiveDateFormat
	if format == "" {
		format = "YYYY-MM-DD HH:mm"
	}
	date, separator := locale.Format(now, format), strings.TrimSpace(b.options.ArchiveDateSeparator)
	if separator != "" {
		separator += " "
	}
	first, rest := cutLine(text)
	at := strings.Index(first, "] ") + len("] ")
	if b.options.AppendArchiveDate {
		id := blockID.FindString(first)
		return strings.TrimRight(strings.TrimSuffix(first, id)+" "+separator+date, " ") + id + rest
	}
	return first[:at] + date + " " + separator + first[at:] + rest
}
