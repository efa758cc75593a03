package docgen

import (
	"fmt"
	"strings"
)

// Commands is the table of commands in Markdown.
func Commands(m Manual) string {
	var out strings.Builder
	out.WriteString("| command | what it does |\n|---|---|\n")
	for _, one := range m.Commands {
		fmt.Fprintf(&out, "| %s | %s |\n", code(m.Name+" "+one.Use), escape(one.Short))
	}
	return out.String()
}

// Statuses is the table of exit statuses in Markdown.
func Statuses(m Manual) string {
	var out strings.Builder
	out.WriteString("| status | meaning |\n|---|---|\n")
	for _, one := range m.Statuses {
		fmt.Fprintf(&out, "| %d | %s |\n", one.Status, escape(one.About))
	}
	return out.String()
}
