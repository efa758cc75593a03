package md

import "strings"

// Fence is the content of a fenced code block.
type Fence struct {
	Language string // the info string, trimmed and in small letters
	Text     string // without the marks of quotes and the closing fence
	Span            // from the line of the opening fence to the end of the closing one
	Nested   bool   // it is in a quote or a list
	Closed   bool   // it has a closing fence
}

// minFence is how many characters a fence has at least.
const minFence = 3

// Fences returns the fenced code blocks of a note.
func (n *Note) Fences() []Fence {
	var fences []Fence
	for _, region := range n.Regions {
		if region.Kind != CodeBlock {
			continue
		}
		span := Span{LineStart(n.Source, region.Start), region.End}
		lines := strings.SplitAfter(string(span.Of(n.Source)), "\n")
		fence := strings.TrimLeft(lines[0], " \t>")
		info := strings.TrimLeft(fence, "`~")
		if len(fence)-len(info) < minFence {
			continue
		}
		before := lines[0][:len(lines[0])-len(fence)]
		last := strings.TrimRight(strings.Join(lines[1:], ""), "\r\n")
		last = last[strings.LastIndexByte(last, '\n')+1:]
		fences = append(fences, Fence{
			Language: strings.ToLower(strings.TrimSpace(info)),
			Text:     fencedText(lines[1:], before, fence[:len(fence)-len(info)]),
			Span:     span, Nested: strings.TrimLeft(before, " ") != "" || len(before) > 3,
			Closed: isClosing(last, fence[:len(fence)-len(info)]),
		})
	}
	return fences
}

// isClosing reports whether a line is the closing fence of a block.
func isClosing(line, fence string) bool {
	closing := strings.Trim(line, " \t>\r\n")
	return len(closing) >= len(fence) && strings.Trim(closing, fence[:1]) == ""
}

// fencedText returns the lines of a code block, without the marks of quotes and the indentation that the opening fence has,
// and without the closing fence.
func fencedText(lines []string, before, fence string) string {
	quotes := strings.Count(before, ">")
	indent := len(before) - strings.LastIndexByte(before, '>') - 1
	var text strings.Builder
	for _, line := range lines {
		if isClosing(line, fence) {
			break
		}
		for range quotes {
			line = strings.TrimPrefix(strings.TrimLeft(line, " \t"), ">")
		}
		for n := 0; n < indent && line != "" && (line[0] == ' ' || line[0] == '\t'); n++ {
			line = line[1:]
		}
		text.WriteString(line)
	}
	return strings.TrimRight(text.String(), "\r\n")
}
