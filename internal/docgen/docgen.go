// Package docgen generates the tables of the documents and the manual page from the
// program's own tables: tools, settings, commands and clients. The comparison with other
// servers comes from docs/comparison.json. It returns texts; a test in package app
// compares them with the files, or writes them.
package docgen

import (
	"fmt"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/tool"
)

// Tools returns the table of tools in Markdown.
func Tools(tools *tool.Registry) string {
	var out strings.Builder
	out.WriteString("| toolset | tool | parameters | what it does |\n|---|---|---|---|\n")
	for _, t := range tools.All() {
		fmt.Fprintf(&out, "| %s | `%s` | %s | %s |\n", t.Toolset, t.Name, code(t.Signature()), escape(t.About))
	}
	return out.String()
}

// Toolsets returns the table of toolsets in Markdown: what each is for, and how many tools it has.
func Toolsets(tools *tool.Registry) string {
	var out strings.Builder
	out.WriteString("| toolset | what it is for | tools |\n|---|---|---|\n")
	for _, set := range tool.Toolsets() {
		count := len(tools.Only(func(t tool.Tool) bool { return t.Toolset == set.Name }).All())
		fmt.Fprintf(&out, "| `%s` | %s | %d |\n", set.Name, escape(set.About), count)
	}
	return out.String()
}

// Settings returns the table of settings in Markdown.
func Settings() string {
	var out strings.Builder
	out.WriteString("| variable | flag | default | meaning |\n|---|---|---|---|\n")
	for _, setting := range config.Settings() {
		names := make([]string, len(setting.Variables))
		for i, name := range setting.Variables {
			names[i] = "`" + name + "`"
		}
		value := "–"
		if setting.Default != "" {
			value = setting.Default
		}
		fmt.Fprintf(&out, "| %s | `--%s` | %s | %s |\n",
			strings.Join(names, ", "), setting.Flag(), escape(value), escape(setting.About))
	}
	return out.String()
}

func code(text string) string {
	if text == "" {
		return "–"
	}
	return "`" + escape(text) + "`"
}

func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// Fill replaces the content between the markers of a section of a document. A document
// without these markers is an error.
func Fill(document, section, content string) (string, error) {
	begin, end := "<!-- "+section+" -->\n", "<!-- /"+section+" -->"
	before, rest, ok := strings.Cut(document, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("the document has no section %q", section)
	}
	return before + begin + content + end + after, nil
}
