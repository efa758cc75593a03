package tasks

import (
	"bytes"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/task"
)

// Items lists the tasks of a note.
func Items(path string, note *md.Note, settings task.Settings) []*Item {
	var items []*Item
	heading := 0
	for i := range note.Items {
		listed := &note.Items[i]
		if !listed.IsTask() {
			continue
		}
		start := md.LineStart(note.Source, listed.Task.Start)
		line := strings.TrimRight(string(note.Source[start:md.NextLine(note.Source, start)]), "\r\n")
		read, ok := settings.Parse(line)
		if !ok {
			continue
		}
		for heading < len(note.Headings) && note.Headings[heading].Start < start {
			heading++
		}
		item := &Item{Task: settings.Infer(read, path), Path: path, Line: listed.Line - 1, Nested: isNested(line)}
		if heading > 0 {
			item.Heading = string(bytes.TrimSpace(note.Headings[heading-1].Text.Of(note.Source)))
		}
		items = append(items, item)
	}
	return items
}

// isNested reports whether a line is indented. The marks of quotes do not count.
func isNested(line string) bool {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t>"))]
	if at := strings.LastIndexByte(indent, '>'); at >= 0 {
		return len(indent)-at-1 > 1
	}
	return indent != ""
}
