package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlPlace is how the library says on which line it gave up.
var yamlPlace = regexp.MustCompile(`^yaml: line (\d+): `)

// yamlProblem is why a text is no YAML, behind the name of its file: in our
// words for places and for what people meet, and in one line.
func yamlProblem(content []byte, err error) string {
	said := oneLineOf(err.Error())
	place, what := ": ", strings.TrimPrefix(said, "yaml: ")
	if found := yamlPlace.FindStringSubmatch(said); found != nil {
		place, what = ", line "+found[1]+": ", said[len(found[0]):]
	}
	if strings.Contains(what, "cannot start any token") {
		if line := lineWithTab(content); line > 0 {
			return fmt.Sprintf(", line %d: it is not valid YAML: there is a tab, and lines are indented with spaces", line)
		}
		what = "a value begins with a character that has a meaning of its own, and must be in quotes"
	}
	return place + "it is not valid YAML: " + what
}

// lineWithTab is the first line that is indented with a tab; 0: none is.
func lineWithTab(content []byte) int {
	number := 0
	for line := range bytes.Lines(content) {
		number++
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.ContainsRune(indent, '\t') {
			return number
		}
	}
	return 0
}

// yamlTypes are the words of the library for what a value is and what it should
// be.
var (
	yamlLine  = regexp.MustCompile(`line \d+: `)
	yamlTypes = strings.NewReplacer("cannot unmarshal ", "cannot take ", "!!", "", " into ", " for ", "[]string", "a list of texts", "bool", "true or false")
)

// decodingProblem is why a value is not of the kind that a key wants.
func decodingProblem(err error) string {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok || len(wrong.Errors) == 0 {
		return oneLineOf(err.Error())
	}
	before, _, _ := strings.Cut(err.Error(), "yaml: ")
	return oneLineOf(before + yamlTypes.Replace(yamlLine.ReplaceAllString(wrong.Errors[0], "")))
}

// oneLineOf joins the lines of a text.
func oneLineOf(text string) string { return strings.Join(strings.Fields(text), " ") }
