package docgen

import (
	"fmt"
	"strings"

	"obsidian-mcp/internal/config"
)

// Manual is the content of the manual page, except for the settings.
type Manual struct {
	Name, Short, Long string
	Flags             []ManualFlag // accepted by every command
	Commands          []ManualCommand
	Tools             []ManualTool
	Statuses          []ManualStatus
}

// ManualCommand is a command.
type ManualCommand struct {
	Use, Short, Long string
	Flags            []ManualFlag
}

// ManualFlag is a flag; Value is "" for one that takes no value.
type ManualFlag struct{ Name, Value, About string }

// ManualTool is a tool that "call" runs.
type ManualTool struct{ Name, Title, Signature string }

// ManualStatus is an exit status.
type ManualStatus struct {
	Status int
	About  string
}

// Man returns the manual page in roff, with macros of man(7) that every reader of manual
// pages supports. It has no date, so that the same program makes the same page.
func Man(m Manual) string {
	page := &roff{}
	page.request(".TH", strings.ToUpper(m.Name), "1", "", m.Name, "User Commands")
	page.section("NAME")
	page.text(m.Name + " - " + m.Short)
	page.section("SYNOPSIS")
	page.line(`.B ` + escapeRoff(m.Name))
	page.line(`[\fIcommand\fR] [\fIflags\fR]`)
	page.section("DESCRIPTION")
	page.paragraphs(m.Long)
	page.commands(m.Commands)
	page.section("OPTIONS")
	page.flags(m.Flags)
	page.settings()
	page.tools(m)
	page.section("EXIT STATUS")
	for _, status := range m.Statuses {
		page.item(fmt.Sprint(status.Status), "", status.About)
	}
	page.ending(m.Name)
	return page.String()
}

func (r *roff) commands(commands []ManualCommand) {
	r.section("COMMANDS")
	for _, command := range commands {
		r.item(command.Use, "", command.Short)
		if command.Long != "" && command.Long != command.Short {
			r.line(".IP")
			r.text(command.Long)
		}
		if len(command.Flags) > 0 {
			r.line(".RS")
			r.flags(command.Flags)
			r.line(".RE")
		}
	}
}

func (r *roff) flags(flags []ManualFlag) {
	for _, flag := range flags {
		r.item(flag.Name, flag.Value, flag.About)
	}
}

// settings describes each setting with its flag, variables and key.
func (r *roff) settings() {
	r.section("SETTINGS")
	r.text("Each setting can be a flag, an environment variable or a key of the config file; " +
		"a flag wins over a variable, and a variable over the file. " +
		"Every variable can also be given as NAME_FILE, the name of a file that holds the value.")
	for _, setting := range config.Settings() {
		about := setting.About
		if setting.Default != "" {
			about += " (default: " + setting.Default + ")"
		}
		if setting.Switch {
			r.item("--"+setting.Flag()+"[=value]", "", about)
		} else {
			r.item("--"+setting.Flag(), "value", about)
		}
		r.line(".br")
		r.text("Environment: " + strings.Join(setting.Variables, ", ") + ". Key: " + setting.Name + ".")
	}
}

func (r *roff) tools(m Manual) {
	r.section("TOOLS")
	r.text("AI clients call these tools, and \"" + m.Name + " call\" runs them from a shell. " +
		"\"" + m.Name + " tools\" describes each.")
	for _, tool := range m.Tools {
		r.item(tool.Name, tool.Signature, tool.Title)
	}
}

// ending writes the sections on files and the environment, and the examples.
func (r *roff) ending(name string) {
	r.section("FILES")
	r.item("~/.config/"+config.FileName, "", "the config file; on macOS and Windows it is in the user's config folder")
	r.item("~/.local/state/"+name, "", "journals and the history of changes; see --state-dir")
	r.item("~/.cache/"+name, "", "the index, kept for the next start; see --cache-dir")
	r.section("ENVIRONMENT")
	r.item("NO_COLOR", "", "if set, output has no colour")
	r.item("TERM", "", "if it is dumb, output has no colour, and progress is printed line by line")
	r.section("EXAMPLES")
	for _, example := range [][2]string{
		{"OBSIDIAN_VAULT_PATH=~/Notes " + name + " doctor", "check the setup"},
		{name + " install", "add the server to an AI client's configuration"},
		{name + " http --vault-path ~/Notes", "serve clients that speak HTTP on this machine"},
		{name + " call search_notes --query tea --mode content", "run a tool from a shell"},
	} {
		r.item(example[0], "", example[1])
	}
}
