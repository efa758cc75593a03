package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"obsidian-mcp/internal/docgen"
	"obsidian-mcp/internal/tool"
)

// tools prints the tool table.
func (p Program) tools() *cobra.Command {
	cmd := &cobra.Command{Use: "tools", Short: "print the tool table", Args: noArgs}
	asJSON := cmd.Flags().Bool("json", false, "as JSON, with schemas")
	asMarkdown := cmd.Flags().Bool("markdown", false, "as a Markdown table")
	cmd.RunE = func(*cobra.Command, []string) error {
		switch {
		case *asJSON:
			return p.toolsJSON()
		case *asMarkdown:
			_, err := fmt.Fprint(p.Out, docgen.Tools(p.Tools))
			return err
		}
		table := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
		for _, t := range p.Tools.All() {
			fmt.Fprintf(table, "%s\t%s\t%s\n", t.Toolset, t.Name, t.Title)
		}
		return table.Flush()
	}
	return cmd
}

func (p Program) toolsJSON() error {
	type entry struct {
		Name        string             `json:"name"`
		Toolset     string             `json:"toolset"`
		Title       string             `json:"title"`
		Description string             `json:"description"`
		ReadOnly    bool               `json:"read_only"`
		Needs       tool.Need          `json:"needs,omitempty"` // the key of the config file without which it is not offered
		Input       *jsonschema.Schema `json:"input_schema"`
		Output      *jsonschema.Schema `json:"output_schema,omitempty"`
	}
	list := []entry{}
	for _, t := range p.Tools.All() {
		list = append(list, entry{t.Name, t.Toolset, t.Title, t.About, t.Effect == tool.Reads, t.Needs, t.Input, t.Output})
	}
	encoder := json.NewEncoder(p.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}

// plainText replaces Markdown's code marks with quotes, for the terminal.
func plainText(text string) string { return strings.ReplaceAll(text, "`", "'") }
