package obsidian

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/fault"
)

var (
	// noise matches lines that may precede the answer: log lines of Electron and of the app's loader, and warnings.
	noise = regexp.MustCompile(`^(\[\d+:[^\]]*\]|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d |Your Obsidian installer|Please download the latest installer|(?i:(\([a-z]+:\d+\):? )?([a-z]+-)?warning( \*\*)?:))`)
	// unreachable matches what the program says if it finds no app to talk to.
	unreachable = regexp.MustCompile(`(?i)^(error: )?((the cli is )?unable to find obsidian|obsidian is not running|could not connect to obsidian)`)
	// switchedOff matches what the app says if its settings do not allow the program.
	switchedOff = regexp.MustCompile(`(?i)^(error: )?command line interface is not enabled`)
	// unknownVault matches the answer for a vault that Obsidian does not have.
	unknownVault = regexp.MustCompile(`(?i)^(error: )?vault( .*)? not found\.?$`)
	// otherProgram matches what a program of the same name says that takes other arguments.
	otherProgram = regexp.MustCompile(`(?i)^error: unknown (sub)?command "?vault=`)
	// saysNone matches the sentence that stands for an empty list, such as "No open tabs."
	saysNone = regexp.MustCompile(`^No [a-z ]+\.?$`)
)

// answerLines returns the lines of an answer, without what precedes it and without empty lines.
func answerLines(output string) []string {
	var lines []string
	for text := range strings.Lines(output) {
		text = strings.TrimRight(text, "\r\n\t ")
		if text == "" || len(lines) == 0 && noise.MatchString(text) {
			continue
		}
		lines = append(lines, text)
	}
	return lines
}

// failureIn returns the error that an answer reports. The exit status is of no use: it is 0 for errors too.
func failureIn(answer []string) error {
	for _, text := range answer {
		switch message, isError := strings.CutPrefix(text, "Error:"); {
		case unreachable.MatchString(text):
			return notRunning("Obsidian is not running")
		case switchedOff.MatchString(text):
			return notRunning("Obsidian's command line interface is turned off").WithHint(howToEnable)
		case unknownVault.MatchString(text):
			return fault.VaultNotFound.Errorf("Obsidian does not know this vault").
				WithHint("open its folder as a vault in Obsidian; for a LiveSync vault, set VAULT_ID to its name in Obsidian")
		case otherProgram.MatchString(text):
			return notRunning("the program is not Obsidian's command line program: %s", text).
				WithHint("set app_program in the config file to Obsidian's own")
		case isError && strings.Contains(message, "not found"):
			return fault.NotFound.Errorf("Obsidian says: %s", shortened(message))
		case isError:
			return fault.InvalidArgument.Errorf("Obsidian says: %s", shortened(message))
		}
	}
	return nil
}

func shortened(message string) string {
	message = strings.TrimSpace(message)
	if len(message) > maxEntry {
		message = strings.ToValidUTF8(message[:maxEntry], "") + "…"
	}
	return message
}
