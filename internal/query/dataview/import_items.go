package dataview

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/query/value"
)

var itemPattern = regexp.MustCompile(`^[\s>]*(\d+\.|\d+\)|\*|-|\+)\s*(\[.?\])?\s*(.*)$`)

func (i *importer) findItems() {
	byLine := map[int]*Item{}
	for n, found := range i.note.Items {
		first := found.Line - 1
		end := i.itemEnd(n)
		match := itemPattern.FindStringSubmatch(strings.TrimSuffix(i.lines[first], "\r"))
		if match == nil {
			continue
		}
		parts := []string{strings.TrimSpace(match[3])}
		for line := first + 1; line <= end; line++ {
			parts = append(parts, strings.TrimSpace(i.lines[line]))
		}
		item := &Item{
			Symbol: strings.Clone(match[1]), Text: strings.Clone(strings.Join(parts, "\n")), Line: first, LineCount: end - first + 1,
			List: i.listOf(first), Parent: -1, IsTask: found.IsTask(),
		}
		if item.IsTask {
			item.Status = string(found.Task.Of(i.note.Source))
			item.isFullyCompleted = item.isCompleted()
		}
		if found.Parent >= 0 {
			item.Parent = i.note.Items[found.Parent].Line - 1
		}
		item.section = i.sectionAt(first)
		item.link = item.section
		if item.blockID = i.blockIDOf(first, end); item.blockID != "" {
			item.link = value.Link{Path: i.Path, Kind: value.ToBlock, Subpath: item.blockID}
		}
		for line := first; line <= end; line++ {
			item.links = append(item.links, i.byLine[line]...)
		}
		oneLine := strings.Join(parts, " ")
		item.tags = tagsIn(oneLine)
		own := i.itemFields(item, oneLine)
		item.isAnnotated = len(own.keys) > 0
		item.fields, _ = joinedFields(own)
		i.addDates(item, own)
		if !item.IsTask {
			i.gathered.merge(own)
		}
		byLine[first] = item
		i.items = append(i.items, item)
	}
	for _, item := range i.items {
		if parent := byLine[item.Parent]; parent != nil {
			parent.children = append(parent.children, item.Line)
		}
		for above := item; item.IsTask && above != nil; above = byLine[above.Parent] {
			above.isFullyCompleted = above.isFullyCompleted && item.isCompleted()
		}
	}
}

// itemEnd returns the last line of an item's own text: up to the first item nested in it, without blank lines.
func (i *importer) itemEnd(n int) int {
	found := i.note.Items[n]
	end := found.End
	if n+1 < len(i.note.Items) && i.note.Items[n+1].Parent == n {
		end = md.LineStart(i.note.Source, i.note.Items[n+1].Start)
	}
	last := max(found.Line, i.note.LineOf(max(found.Start, end-1))) - 1
	for last > found.Line-1 && strings.Trim(i.lines[last], " \t\r>") == "" {
		last--
	}
	return last
}

// listOf returns the line where the list at the top level begins that a line is in, or -1.
func (i *importer) listOf(line int) int {
	for _, block := range i.note.Blocks {
		if block.Kind == md.List && block.Line-1 <= line && line < block.Line-1+strings.Count(i.text[block.Start:block.End], "\n")+1 {
			return i.startOfList(line, block.Line-1)
		}
	}
	return -1
}

// startOfList returns where the list of a line begins. Lists with different markers follow each other in a block.
func (i *importer) startOfList(line, block int) int {
	for _, item := range i.note.Items {
		if item.Line-1 > line {
			break
		}
		if item.Parent < 0 {
			block = max(block, i.note.Items[item.First].Line-1)
		}
	}
	return block
}

func (i *importer) sectionAt(line int) value.Link {
	link := value.FileLink(i.Path)
	for _, heading := range i.note.Headings {
		if heading.Line-1 > line {
			break
		}
		link = value.Link{Path: i.Path, Kind: value.ToHeader, Subpath: linkableHeading(string(heading.Text.Of(i.note.Source)))}
	}
	return link
}

func (i *importer) blockIDOf(first, end int) string {
	for _, id := range i.note.IDs {
		if id.Target == md.IDListItem && id.Line-1 >= first && id.Line-1 <= end {
			return string(id.Name.Of(i.note.Source))
		}
	}
	return ""
}

var possibleTag = regexp.MustCompile("#[^\\s,;.:!?'\"`()\\[\\]{}]+")

func tagsIn(text string) []string {
	tags := []string{}
	for _, found := range possibleTag.FindAllString(text, -1) {
		if tag, ok := whole(found, Clock{}, (*parser).tag); ok {
			tags = append(tags, strings.Clone(tag))
		}
	}
	return distinct(tags)
}

func (i *importer) itemFields(item *Item, text string) gathered {
	var own gathered
	for _, field := range inlineFields(text, true) {
		own.add(field.key, i.inlineValue(field.value))
	}
	if !item.IsTask && len(own.keys) == 0 {
		if field, ok := fullLineField(text); ok {
			own.add(field.key, i.inlineValue(field.value))
		}
	}
	return own
}

// addDates gives a task the dates that it has under other names.
func (i *importer) addDates(item *Item, own gathered) {
	if !item.IsTask {
		return
	}
	for _, date := range []struct {
		name   string
		fields []string
	}{
		{"created", []string{"created", "ctime", "cday"}},
		{"due", []string{"due", "duetime", "dueday"}},
		{"completion", []string{"completed", "completion", "comptime", "compday"}},
		{"start", []string{"start"}},
		{"scheduled", []string{"scheduled"}},
	} {
		for _, name := range date.fields {
			if values := own.values[name]; len(values) > 0 {
				if values[0] != nil {
					item.fields.Set(date.name, values[0])
				}
				break
			}
		}
	}
}
