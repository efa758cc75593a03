package docgen

import (
	"fmt"
	"strings"
)

// Commands returns the table of commands in Markdown.
func Commands(m Manual) string {
	var out strings.Builder
	out.WriteString("| command | what it does |\n|---|---|\n")
	for _, command := range m.Commands {
		fmt.Fprintf(&out, "| %s | %s |\n", code(m.Name+" "+command.Use), escape(command.Short))
	}
	return out.String()
}

// Statuses returns the table of exit statuses in Markdown.
func Statuses(m Manual) string {
	var out strings.Builder
	out.WriteString("| status | meaning |\n|---|---|\n")
	for _, status := range m.Statuses {
		fmt.Fprintf(&out, "| %d | %s |\n", status.Status, escape(status.About))
	}
	return out.String()
}
