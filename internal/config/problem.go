package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlPosition matches where the library says on which line it gave up.
var yamlPosition = regexp.MustCompile(`^yaml: line (\d+): `)

// yamlProblem says, in one line to follow the file's name, why a text is not valid
// YAML. Common mistakes are explained in plain words.
func yamlProblem(content []byte, err error) string {
	message := oneLineOf(err.Error())
	position, problem := ": ", strings.TrimPrefix(message, "yaml: ")
	if found := yamlPosition.FindStringSubmatch(message); found != nil {
		position, problem = ", line "+found[1]+": ", message[len(found[0]):]
	}
	if strings.Contains(problem, "cannot start any token") {
		if line := lineWithTab(content); line > 0 {
			return fmt.Sprintf(", line %d: it is not valid YAML: the line is indented with a tab; use spaces", line)
		}
		problem = "a value begins with a special character; put it in quotes"
	}
	return position + "it is not valid YAML: " + problem
}

// lineWithTab returns the number of the first line that is indented with a tab, or 0.
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

// yamlTypes translates the library's words for the type of a value and the type that is
// expected.
var (
	yamlLine  = regexp.MustCompile(`line \d+: `)
	yamlTypes = strings.NewReplacer("cannot unmarshal ", "cannot take ", "!!", "", " into ", " for ",
		"[]string", "a list of strings", "bool", "true or false")
)

// decodingProblem says why a value does not have the type that its key needs.
func decodingProblem(err error) string {
	mismatch, ok := errors.AsType[*yaml.TypeError](err)
	if !ok || len(mismatch.Errors) == 0 {
		return oneLineOf(err.Error())
	}
	before, _, _ := strings.Cut(err.Error(), "yaml: ")
	return oneLineOf(before + yamlTypes.Replace(yamlLine.ReplaceAllString(mismatch.Errors[0], "")))
}

// oneLineOf joins the lines of a text.
func oneLineOf(text string) string { return strings.Join(strings.Fields(text), " ") }
