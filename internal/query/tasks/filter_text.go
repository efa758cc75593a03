package tasks

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// textFields are the texts that filters ask about: whether one of them is as wanted.
var textFields = map[string]func(item *row, isWanted func(string) bool) bool{
	"description": single(func(item *row) string { return item.Description }),
	"path":        single(func(item *row) string { return item.Path }),
	"folder":      single(func(item *row) string { return folderOf(item.Path) }),
	"root":        single(func(item *row) string { return rootOf(item.Path) }),
	"filename":    single(func(item *row) string { return fileName(item.Path) }),
	"heading":     single(func(item *row) string { return item.Heading }),
	"recurrence":  single(func(item *row) string { return item.recurrence }),
	"status.name": single(func(item *row) string { return item.Status.Name }),
	"id":          single(func(item *row) string { return item.id }),
	"tag":         anyTag,
	"tags":        anyTag,
}

func single(text func(*row) string) func(*row, func(string) bool) bool {
	return func(item *row, isWanted func(string) bool) bool { return isWanted(text(item)) }
}

func anyTag(item *row, isWanted func(string) bool) bool {
	return item.isTagged && slices.ContainsFunc(item.Tags, isWanted)
}

var textLine = regexp.MustCompile(`(?i)^(description|path|folder|root|filename|heading|recurrence|status\.name|id|tags?) (includes|does not include|include|do not include|regex matches|regex does not match) (.*)$`)

func (c Context) textFilter(line string) (filter, *problem) {
	found := textLine.FindStringSubmatch(line)
	if found == nil {
		return nil, nil
	}
	name, relation, wanted := strings.ToLower(found[1]), strings.ToLower(found[2]), strings.TrimSpace(found[3])
	if isTag := strings.HasPrefix(name, "tag"); !isTag && (relation == "include" || relation == "do not include") {
		return nil, nil
	}
	folded := strings.ToLower(wanted)
	contains := func(text string) bool { return containsFold(text, folded) }
	if strings.HasPrefix(relation, "regex") {
		pattern, ok := readRegex(wanted)
		if !ok {
			return nil, &problem{BadRegex, "write a regular expression as /…/, and flags behind it"}
		}
		contains = pattern.MatchString
	}
	hasText := textFields[name]
	isWanted := relation == "includes" || relation == "include" || relation == "regex matches"
	return func(item *row) bool { return hasText(item, contains) == isWanted }, nil
}

// containsFold reports whether a text contains another that is in lower case, whatever its own letter case.
func containsFold(text, folded string) bool {
	for i := 0; i+len(folded) <= len(text); i++ {
		matched := 0
		for matched < len(folded) && toLower(text[i+matched]) == folded[matched] {
			matched++
		}
		if matched == len(folded) {
			return true
		}
		if text[i+matched] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text[i:]), folded)
		}
	}
	return folded == ""
}

func toLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

var (
	regexLine  = regexp.MustCompile(`^/(.+)/([a-z]*)$`)
	scriptName = regexp.MustCompile(`\\([pP])\{(?:Script|sc|Script_Extensions|scx|General_Category|gc)=(\w+)\}`)
)

// readRegex reads a regular expression of JavaScript, as far as Go has the same.
func readRegex(text string) (*regexp.Regexp, bool) {
	found := regexLine.FindStringSubmatch(text)
	if found == nil {
		return nil, false
	}
	flags := ""
	for _, flag := range found[2] {
		switch flag {
		case 'i', 'm', 's':
			flags += string(flag)
		case 'u', 'g', 'y', 'v', 'd':
		default:
			return nil, false
		}
	}
	source := scriptName.ReplaceAllString(strings.ReplaceAll(found[1], `\/`, "/"), `\$1{$2}`)
	if flags != "" {
		source = "(?" + flags + ")" + source
	}
	pattern, err := regexp.Compile(source)
	return pattern, err == nil
}
