package tasks

import (
	"regexp"
	"strings"
)

// textFields are the texts that filters ask about.
var textFields = map[string]func(*row) []string{
	"description": single(func(item *row) string { return item.Description }),
	"path":        single(func(item *row) string { return item.Path }),
	"folder":      single(func(item *row) string { return folderOf(item.Path) }),
	"root":        single(func(item *row) string { return rootOf(item.Path) }),
	"filename":    single(func(item *row) string { return fileName(item.Path) }),
	"heading":     single(func(item *row) string { return item.Heading }),
	"recurrence":  single(func(item *row) string { return item.recurrence }),
	"status.name": single(func(item *row) string { return item.Status.Name }),
	"id":          single(func(item *row) string { return item.id }),
	"tag":         func(item *row) []string { return item.Tags },
	"tags":        func(item *row) []string { return item.Tags },
}

func single(text func(*row) string) func(*row) []string {
	return func(item *row) []string { return []string{text(item)} }
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
	contains := func(text string) bool { return strings.Contains(strings.ToLower(text), folded) }
	if strings.HasPrefix(relation, "regex") {
		pattern, ok := readRegex(wanted)
		if !ok {
			return nil, &problem{BadRegex, "write a regular expression as /…/, and flags behind it"}
		}
		contains = pattern.MatchString
	}
	texts := textFields[name]
	isWanted := relation == "includes" || relation == "include" || relation == "regex matches"
	return func(item *row) bool {
		for _, text := range texts(item) {
			if contains(text) {
				return isWanted
			}
		}
		return !isWanted
	}, nil
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
