package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	limit    = 32_000_000 // of the stripped program for linux/amd64
	large    = 500_000    // a module that adds more has to be worth it
	rounding = 100_000    // figures are rounded to this, so that not every change of the sources changes the document
)

// purposes says what each module that is part of the program is for.
var purposes = map[string]string{
	"github.com/cespare/xxhash/v2":           "hashes: names of LiveSync chunks, keys of cached vectors",
	"github.com/fsnotify/fsnotify":           "reports changes in the vault's folder",
	"github.com/go-jose/go-jose/v4":          "signatures of OAuth access tokens",
	"github.com/google/jsonschema-go":        "the tools' schemas, and checking arguments against them",
	"github.com/modelcontextprotocol/go-sdk": "the MCP protocol",
	"github.com/pelletier/go-toml/v2":        "checks Codex's configuration, which `install` edits",
	"github.com/rogpeppe/go-internal":        "diffs, in `install` and `show_change`",
	"github.com/segmentio/asm":               "part of segmentio/encoding",
	"github.com/segmentio/encoding":          "the MCP library's JSON",
	"github.com/spf13/cobra":                 "the command line",
	"github.com/spf13/pflag":                 "its flags",
	"github.com/yosida95/uritemplate/v3":     "templates of resource URIs, in the MCP library",
	"github.com/yuin/goldmark":               "shows notes as HTML on the page",
	"go.yaml.in/yaml/v3":                     "frontmatter and the config file",
	"golang.org/x/image":                     "reads WebP and BMP, and scales pictures",
	"golang.org/x/oauth2":                    "types of the MCP library",
	"golang.org/x/sync":                      "bounds on how much runs at once",
	"golang.org/x/sys":                       "locks, extended attributes and other system calls",
	"golang.org/x/term":                      "whether a person is at the terminal, and answers that it does not show",
	"golang.org/x/text":                      "Unicode normal forms",
	"golang.org/x/time":                      "limits of requests",
}

// problems returns what is wrong whatever the document says.
func (s sizes) problems() (problems []string) {
	if s.stripped > limit {
		problems = append(problems, fmt.Sprintf("the program has %d bytes, %d more than allowed: look for what has grown with "+
			"go tool nm -size -sort size, or for a package that needs no inlining in tools/compile", s.stripped, s.stripped-limit))
	}
	for _, module := range slices.Sorted(maps.Keys(s.modules)) {
		if purposes[module] == "" {
			problems = append(problems, module+" is new: say in tools/size/report.go what it is for")
		}
	}
	for _, module := range slices.Sorted(maps.Keys(purposes)) {
		if _, ok := s.modules[module]; !ok {
			problems = append(problems, module+" is no longer part of the program: remove it from tools/size/report.go")
		}
	}
	return problems
}

func megabytes(size int64) string {
	if size < rounding/2 {
		return "< 0.1 MB"
	}
	return strconv.FormatFloat(float64(size)/1e6, 'f', 1, 64) + " MB"
}

const head = "# What the program consists of\n\n" +
	"`make dependencies` writes this page, and `make verify` checks it. The program for Linux on amd64, without the names of its functions, may have at most\n" +
	"32 MB. A module's share is the code, data and types whose names say that they belong to it, with the part of the table of functions that goes\n" +
	"with the code. The parts of the standard library that only one module needs are not counted as its own.\n\n"

func (s sizes) document() string {
	var out strings.Builder
	out.WriteString(head)
	fmt.Fprintf(&out, "| part | size |\n|---|---|\n")
	table := s.tableOfWords()
	for _, row := range []struct {
		name string
		size int64
	}{
		{"the whole program", s.stripped}, {"the table of words", table}, {"our own packages", s.own}, {"Go's standard library and runtime", s.standard},
		{"modules", s.ofModules()}, {"texts, tables and padding, whoever they belong to", s.stripped - table - s.own - s.standard - s.ofModules()},
	} {
		fmt.Fprintf(&out, "| %s | %s |\n", row.name, megabytes(row.size))
	}
	var big []string
	for _, module := range sortedBySize(s.modules) {
		if s.modules[module] > large {
			big = append(big, "`"+module+"`")
		}
	}
	if len(big) == 0 {
		out.WriteString("\nNo module adds more than 0.5 MB.\n")
	} else {
		fmt.Fprintf(&out, "\nThese modules add more than 0.5 MB: %s.\n", strings.Join(big, ", "))
	}
	out.WriteString("\n| module | size | what it is for |\n|---|---|---|\n")
	for _, module := range sortedBySize(s.modules) {
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", module, megabytes(s.modules[module]), purposes[module])
	}
	return out.String()
}

// tableOfWords is the size of the table of words.
func (s sizes) tableOfWords() int64 {
	info, err := os.Stat(wordTable)
	if err != nil {
		return 0
	}
	return info.Size()
}

var row = regexp.MustCompile("(?m)^\\| `?([^|`]+)`? \\| (?:< )?([0-9.]+) MB \\|(.*)$")

// compare returns how the document differs. A figure may be off by what another version of the compiler or a small change
// makes of it; a module must not grow beyond what needs a reason without anybody looking.
func (s sizes) compare(document string) (problems []string) {
	const tolerance = 1.5 * rounding
	want := row.FindAllStringSubmatch(s.document(), -1)
	got := map[string][]string{}
	for _, fields := range row.FindAllStringSubmatch(document, -1) {
		got[fields[1]] = fields
	}
	for _, fields := range want {
		have, ok := got[fields[1]]
		delete(got, fields[1])
		if !ok {
			problems = append(problems, fields[1]+" is missing")
			continue
		}
		now, _ := strconv.ParseFloat(fields[2], 64)
		then, _ := strconv.ParseFloat(have[2], 64)
		difference := (now - then) * 1e6
		isModule := strings.Contains(fields[1], "/")
		if isModule && (difference > tolerance || difference < -tolerance || (now*1e6 > large) != (then*1e6 > large)) {
			problems = append(problems, fmt.Sprintf("%s has %s MB, not %s", fields[1], fields[2], have[2]))
		}
		if have[3] != fields[3] {
			problems = append(problems, fields[1]+" is described differently")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		problems = append(problems, name+" is no longer there")
	}
	return problems
}
