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
	cmd := &cobra.Command{Use: "tools", Short: "the tool table", Args: noArgs}
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
		for _, one := range p.Tools.All() {
			fmt.Fprintf(table, "%s\t%s\t%s\n", one.Toolset, one.Name, one.Title)
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
		Input       *jsonschema.Schema `json:"input_schema"`
		Output      *jsonschema.Schema `json:"output_schema,omitempty"`
	}
	list := []entry{}
	for _, one := range p.Tools.All() {
		list = append(list, entry{one.Name, one.Toolset, one.Title, one.About, one.Effect == tool.Reads, one.Input, one.Output})
	}
	encoder := json.NewEncoder(p.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}

// plainText takes the code marks off a text for the terminal.
func plainText(text string) string { return strings.ReplaceAll(text, "`", "'") }
