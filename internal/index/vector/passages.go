package vector

import (
	"bytes"
	"context"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/meaning"
)

// Note is a text whose passages are wanted.
type Note struct {
	Title string
	Text  []byte
}

// Make makes the blocks of notes. Each passage counts with the note's title and with the headings above it. A note without a
// passage that the model knows words of is represented by its title.
func Make(ctx context.Context, model meaning.Model, notes []Note) ([]Block, error) {
	length := model.Traits().PassageLength
	var texts, titles cuts
	for i, note := range notes {
		texts.cut(i, note, length)
	}
	blocks := make([]Block, len(notes))
	if err := texts.embed(ctx, model, blocks); err != nil {
		return nil, err
	}
	for i, note := range notes {
		if blocks[i].Len() == 0 {
			titles.add(i, md.BodyStart(note.Text), meaning.Passage{Above: note.Title})
		}
	}
	if err := titles.embed(ctx, model, blocks); err != nil {
		return nil, err
	}
	return blocks, nil
}

// cuts are passages of several notes, one note after the other.
type cuts struct {
	notes    []int // the note that each passage is of
	starts   []int // where it begins in the text
	passages []meaning.Passage
}

func (c *cuts) add(note, start int, passage meaning.Passage) {
	c.notes, c.starts, c.passages = append(c.notes, note), append(c.starts, start), append(c.passages, passage)
}

// cut adds the passages of a note.
func (c *cuts) cut(at int, note Note, length int) {
	type heading struct{ level, above int } // with the bytes above it
	var path []heading
	above := note.Title
	body := md.BodyStart(note.Text)
	eachPassage(note.Text[body:], length, func(start, level int, text []byte) {
		if level == 0 {
			c.add(at, body+start, meaning.Passage{Above: above, Text: text})
			return
		}
		for len(path) > 0 && path[len(path)-1].level >= level {
			above = above[:path[len(path)-1].above]
			path = path[:len(path)-1]
		}
		path = append(path, heading{level, len(above)})
		above += "\n" + string(bytes.TrimSpace(text))
	})
}

// embed sets the blocks of the notes that have passages which the model gives a vector.
func (c *cuts) embed(ctx context.Context, model meaning.Model, blocks []Block) error {
	if len(c.passages) == 0 {
		return nil
	}
	vectors, err := model.Passages(ctx, c.passages)
	if err != nil {
		return err
	}
	var starts []int
	var known []meaning.Vector
	for i, v := range vectors {
		if v != nil {
			starts, known = append(starts, c.starts[i]), append(known, v)
		}
		if i+1 == len(vectors) || c.notes[i+1] != c.notes[i] {
			blocks[c.notes[i]] = encode(starts, known)
			starts, known = starts[:0], known[:0]
		}
	}
	return nil
}

// eachPassage yields the headings of a text with their levels and, between them, passages of whole lines, about as long as
// wanted, with level 0. A passage ends early at a blank line if it is long enough; a long line is cut between words.
func eachPassage(text []byte, length int, yield func(at, level int, passage []byte)) {
	start := 0
	inFence := false
	flush := func(end int) {
		if len(bytes.TrimSpace(text[start:end])) > 0 {
			yield(start, 0, text[start:end])
		}
		start = end
	}
	for at := 0; at < len(text); {
		end := md.NextLine(text, at)
		line := bytes.TrimSpace(text[at:end])
		if bytes.HasPrefix(line, []byte("```")) {
			inFence = !inFence
		}
		level := 0
		if !inFence {
			level = headingLevel(line)
		}
		switch {
		case level > 0:
			flush(at)
			yield(at, level, line[level:])
			start = end
		case len(line) == 0 && at-start > length*2/3:
			flush(at)
		case end-start > length:
			if at > start {
				flush(at)
			}
			for end-start > length {
				flush(start + wordsEnd(text[start:end], length))
			}
		}
		at = end
	}
	flush(len(text))
}

// headingLevel is the number of # before a heading, or 0.
func headingLevel(line []byte) int {
	level := 0
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level > 6 || level == len(line) || line[level] != ' ' {
		return 0
	}
	return level
}

// wordsEnd returns where to cut a line that is longer than a limit: after a word or, failing that, a character.
func wordsEnd(line []byte, limit int) int {
	if space := bytes.LastIndexByte(line[:limit], ' '); space > limit/2 {
		return space + 1
	}
	for limit > 1 && !utf8.RuneStart(line[limit]) {
		limit--
	}
	return limit
}
