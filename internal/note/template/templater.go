package template

import (
	"strings"
)

// templater fills in the tags of Templater that only make text. It returns how many others it left.
func (v Values) templater(text string) (rendered string, left int) {
	var out strings.Builder
	for {
		start := strings.Index(text, "<%")
		size := 0
		if start >= 0 {
			size = strings.Index(text[start:], "%>") + len("%>")
		}
		if start < 0 || size < len("<%%>") {
			out.WriteString(text)
			return out.String(), left
		}
		before, tag, after := text[:start], text[start:start+size], text[start+size:]
		value, ok := v.tag(tag)
		if !ok {
			left++
			value = tag
		} else {
			before, after = trimAround(before, tag, after)
		}
		out.WriteString(before + value)
		text = after
	}
}

// trimAround removes the white space that a tag wants gone: all of it for _, a line break for -.
func trimAround(before, tag, after string) (_, _ string) {
	const blank = " \t\r\n"
	switch tag[2] {
	case '_':
		before = strings.TrimRight(before, blank)
	case '-':
		before = strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r")
	}
	switch tag[len(tag)-3] {
	case '_':
		after = strings.TrimLeft(after, blank)
	case '-':
		after = strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n")
	}
	return before, after
}

// tag returns the text that a tag makes, and whether it is one that this package knows.
func (v Values) tag(tag string) (string, bool) {
	inside := tag[len("<%") : len(tag)-len("%>")]
	if strings.HasPrefix(inside, "*") || strings.HasPrefix(inside, "+") {
		return "", false // code
	}
	inside = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(inside, "_"), "-"), "_")
	inside = strings.TrimSuffix(inside, "-")
	p := &expression{rest: inside, values: v}
	value, ok := p.sum()
	return value, ok && p.atEnd()
}
