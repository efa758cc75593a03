package edit_test

import (
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
)

// TestPlaces adds text at the start and the end of notes and sections.
func TestPlaces(t *testing.T) {
	const section = "Log"
	for _, test := range []struct{ place, note, text, want string }{
		{"end", "", "- a", "- a"},
		{"end", "- a\n", "- b", "- a\n- b\n"},
		{"end", "- a\r\n\r\n", "- b", "- a\r\n- b\r\n\r\n"},
		{"end", "text\n", "- b", "text\n\n- b\n"},
		{"end", "1. a", "2. b", "1. a\n2. b"},
		{"end", "---\na: 1\n---\n", "- b", "---\na: 1\n---\n- b"},
		{"end", "| a |\n| - |\n", "| b |", "| a |\n| - |\n| b |\n"},
		{"start", "", "- a", "- a"},
		{"start", "- b\n", "- a", "- a\n- b\n"},
		{"start", "# H\n", "text", "text\n\n# H\n"},
		{"start", "---\na: 1\n---\n\n# H\n", "text\n", "---\na: 1\n---\n\ntext\n\n# H\n"},
		{"start", "text\r\n", "more", "more\r\n\r\ntext\r\n"},
		{"start", "text\nagain\n", "---\nx: 1\n---", ""},
		{"section start", "# Log\n- b\n# Next\n", "- a", "# Log\n- a\n- b\n# Next\n"},
		{"section start", "# Log\n\ntext\n", "- a", "# Log\n\n- a\n\ntext\n"},
		{"section start", "# Log\n# Next\n", "- a", "# Log\n- a\n# Next\n"},
		{"section start", "# Log\n", "- a", "# Log\n- a\n"},
		{"section start", "# Log\ntext\n", "## Sub\n", "# Log\n## Sub\n\ntext\n"},
	} {
		note := md.Scan([]byte(test.note))
		var splices []md.Splice
		var err error
		switch test.place {
		case "end":
			splices = edit.Continue(note, test.text)
		case "start":
			splices, err = edit.Prepend(note, test.text)
		default:
			found, _ := edit.FindSection(note, section)
			splices, err = edit.PrependSection(note, found, test.text)
		}
		got := string(md.Apply(note.Source, splices))
		if err != nil {
			got = ""
		}
		if got != test.want {
			t.Errorf("%q at the %s of %q gives %q, want %q (%v)", test.text, test.place, test.note, got, test.want, err)
		}
	}
}
