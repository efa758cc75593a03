package resource

import (
	"crypto/rand"
	"regexp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

// maxArguments is how many arguments a prompt can have.
const maxArguments = 50

// blank matches {{name}}, where a prompt wants an argument. {{date:YYYY}} and the like are something else.
var blank = regexp.MustCompile(`\{\{[ \t]*([\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_ .-]{0,62}[\p{L}\p{M}\p{N}_])?)[ \t]*\}\}`)

// isArgumentName matches a name that fits into {{}}.
var isArgumentName = regexp.MustCompile(`^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_ .-]{0,62}[\p{L}\p{M}\p{N}_])?$`)

// bodyOf returns a note's text without its frontmatter.
func bodyOf(data []byte) string {
	note := md.Scan(data)
	body := strings.ToValidUTF8(string(data[note.Body:]), "\ufffd")
	return strings.TrimRight(strings.TrimLeft(body, "\r\n"), " \t\r\n")
}

// promptArguments returns the arguments of a note: those that its property 'arguments' declares, then the other blanks
// in its text.
func (c *Catalog) promptArguments(entry *index.Entry, body string) []Argument {
	arguments := declaredArguments(entry)
	for _, match := range blank.FindAllStringSubmatch(body, -1) {
		arguments = addArgument(arguments, Argument{Name: match[1]})
	}
	for i := range arguments {
		arguments[i].infer(arguments)
	}
	return arguments
}

// addArgument adds an argument, unless there is one with that name.
func addArgument(arguments []Argument, next Argument) []Argument {
	if !isArgumentName.MatchString(next.Name) || len(arguments) == maxArguments {
		return arguments
	}
	for _, argument := range arguments {
		if sameArgument(argument.Name, next.Name) {
			return arguments
		}
	}
	return append(arguments, next)
}

func sameArgument(a, b string) bool { return vpath.FoldKey(a) == vpath.FoldKey(b) }

// declaredArguments reads the property 'arguments': a list of names, or of names with details.
func declaredArguments(entry *index.Entry) (arguments []Argument) {
	block, err := entry.Properties()
	if err != nil {
		return nil
	}
	value, _ := block.Get("arguments")
	switch value.Kind {
	case front.List:
		for _, item := range value.Items {
			arguments = addArgument(arguments, declaredArgument(item))
		}
	case front.Map:
		for _, field := range value.Fields {
			arguments = addArgument(arguments, namedArgument(field))
		}
	default:
		for _, name := range strings.Split(value.Text, ",") {
			arguments = addArgument(arguments, Argument{Name: strings.TrimSpace(name)})
		}
	}
	return arguments
}

// declaredArgument reads one item of the list: a name, {name: …, description: …}, or {NAME: description}.
func declaredArgument(item front.Value) Argument {
	if item.Kind != front.Map {
		return Argument{Name: strings.TrimSpace(item.Text)}
	}
	for _, field := range item.Fields {
		if field.Key == "name" {
			return detailedArgument(strings.TrimSpace(field.Value.Text), item)
		}
	}
	if len(item.Fields) == 1 {
		return namedArgument(item.Fields[0])
	}
	return Argument{}
}

// namedArgument reads NAME: description, or NAME: {description: …}.
func namedArgument(field front.Field) Argument {
	if field.Value.Kind == front.Map {
		return detailedArgument(strings.TrimSpace(field.Key), field.Value)
	}
	return Argument{Name: strings.TrimSpace(field.Key), About: oneLine(field.Value.Text)}
}

func detailedArgument(name string, details front.Value) Argument {
	argument := Argument{Name: name}
	for _, field := range details.Fields {
		switch text := field.Value.Text; field.Key {
		case "description":
			argument.About = oneLine(text)
		case "required":
			argument.Required = strings.EqualFold(text, "true") || strings.EqualFold(text, "yes")
		case "default":
			argument.Default = text
		case "complete":
			argument.Completes, argument.Property = declaredCompletion(text)
		}
	}
	argument.Required = argument.Required && argument.Default == ""
	return argument
}

func oneLine(text string) string {
	return firstCharacters(strings.Join(strings.Fields(text), " "), maxDescription)
}

// maxTarget is how far before a blank an embed may begin.
const maxTarget = 300

// embedTarget matches the beginning of an embed before a blank in it.
var embedTarget = regexp.MustCompile(`!\[\[[^\[\]\n|]*$`)

// fillIn replaces the blanks of a prompt by arguments, and its embeds by what expand makes of them. Neither an argument
// nor embedded text is looked at for further blanks or embeds. Only a blank inside of an embed, as in ![[{{note}}]], is
// filled in before embeds are expanded.
func fillIn(body string, filled map[string]string, expand func(string) (string, error)) (string, error) {
	values := map[string]string{}
	for name, value := range filled {
		values[string(vpath.FoldKey(name))] = value
	}
	secret := rand.Text() // marks blanks while embeds are expanded; no note contains it
	var marked strings.Builder
	var inserted []string // by the number of a mark
	end := 0
	for _, at := range blank.FindAllStringSubmatchIndex(body, -1) {
		value := values[string(vpath.FoldKey(body[at[2]:at[3]]))]
		marked.WriteString(body[end:at[0]])
		end = at[1]
		before := marked.String()
		if embedTarget.MatchString(before[max(0, len(before)-maxTarget):]) && !strings.ContainsAny(value, "[]|{}\r\n") {
			marked.WriteString(value)
			continue
		}
		marked.WriteString("{{" + secret + strconv.Itoa(len(inserted)) + "}}")
		inserted = append(inserted, value)
	}
	marked.WriteString(body[end:])
	text, err := expand(marked.String())
	if err != nil {
		return "", err
	}
	return regexp.MustCompile(`\{\{`+secret+`[0-9]+\}\}`).ReplaceAllStringFunc(text, func(mark string) string {
		number, _ := strconv.Atoi(mark[2+len(secret) : len(mark)-2])
		return inserted[number]
	}), nil
}
