package clients

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"obsidian-mcp/internal/install/entry"
)

// Block is what a person pastes to make a server known to a client.
type Block struct {
	Where    string // where to paste it: a file, as people on any system know it, or a place in a program
	Language string // json, toml, sh or text
	Text     string // a complete file, a command, or instructions
}

// languages maps formats to their names in Markdown.
var languages = map[entry.Format]string{entry.JSON: "json", entry.JSONC: "json", entry.TOML: "toml"}

// Block returns what to paste for a server. It returns false if the client cannot use such a server.
func (c Client) Block(s Server) (Block, bool) {
	switch {
	case c.advice != nil:
		return Block{c.where, "text", c.advice(s)}, s.URL != ""
	case !c.Takes(s):
		return Block{}, false
	case c.command != nil:
		return Block{c.where, "sh", c.command(s)}, true
	}
	text, err := entry.Set(nil, c.format, c.shape(s), c.key, s.Name)
	return Block{c.where, languages[c.format], string(text)}, err == nil
}

// claudeCommand returns the command that adds a server to Claude Code for all of the user's projects. --transport comes
// last, because options that take several values would swallow the name.
func claudeCommand(s Server) string {
	words := []string{"claude", "mcp", "add", "--scope", "user"}
	if s.URL != "" {
		if s.Token != "" {
			words = append(words, "--header", "Authorization: Bearer "+s.Token)
		}
		return shell(append(words, "--transport", "http", s.Name, s.URL)) + "\n"
	}
	for _, variable := range s.Env {
		words = append(words, "--env", variable.Name+"="+variable.Value)
	}
	words = append(words, "--transport", "stdio", s.Name, "--", s.Command)
	return shell(slices.Concat(words, s.Runner, s.Args)) + "\n"
}

// chatGPT returns the steps to take in a browser. ChatGPT calls from the internet and signs in with OAuth; it does not
// accept a fixed token.
func chatGPT(s Server) string {
	needs := "The URL must be https and reachable from the internet, and the server needs"
	if !isPublic(s.URL) {
		needs = "This URL cannot work: ChatGPT needs an https URL that is reachable from the internet. The server also needs"
	}
	return fmt.Sprintf(`1. Settings > Apps & Connectors > Advanced settings: switch developer mode on.
2. Settings > Apps & Connectors > Create:
   Name: %s
   MCP server URL: %s
   Authentication: OAuth
%s OBSIDIAN_MCP_OAUTH_ISSUER,
OBSIDIAN_MCP_PUBLIC_URL and OBSIDIAN_MCP_OAUTH_USERS.
`, s.Name, s.URL, needs)
}

// isPublic reports whether an address looks as if it can be reached from the internet.
func isPublic(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "https" {
		return false
	}
	host := parsed.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".localhost")
}

// shell joins words into a command, quoted for a POSIX shell.
func shell(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellWord(word)
	}
	return strings.Join(quoted, " ")
}

// ShellWord quotes a text, if needed, so that a POSIX shell reads it as one word.
func ShellWord(text string) string {
	if text == "" || strings.ContainsFunc(text, needsQuotes) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

func needsQuotes(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
}
