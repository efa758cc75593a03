package clients

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"obsidian-mcp/internal/install/entry"
)

// Block is what a person pastes to make a server known to a client.
type Block struct {
	Where    string // it goes to: a file, for people on any system, or a place in a program
	Language string // json, toml, sh or text
	Text     string // a whole file, a command, or what to do by hand
}

// languages are the formats' names in Markdown.
var languages = map[entry.Format]string{entry.JSON: "json", entry.JSONC: "json", entry.TOML: "toml"}

// Block is what to paste for a server. It is false where the client cannot use
// such a server.
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

// claudeCommand makes Claude Code add a server for all of the user's projects.
// An option follows those that take several values, which would swallow the
// name.
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
	return shell(append(words, s.Args...)) + "\n"
}

// chatGPT says what to do in a browser. ChatGPT calls from its maker's machines,
// and signs in by OAuth; it has no place for a fixed token.
func chatGPT(s Server) string {
	needs := "The URL must be https and reachable from the internet, and the server needs"
	if !isPublic(s.URL) {
		needs = "This URL cannot work: ChatGPT needs one that is https and reachable from the internet; and the server needs"
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

// isPublic reports whether an address may be reached from the internet, as far
// as can be told from its looks.
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

// shell writes a command with quotes where a POSIX shell needs them.
func shell(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellWord(word)
	}
	return strings.Join(quoted, " ")
}

// ShellWord is a text as a POSIX shell takes it for one word.
func ShellWord(text string) string {
	if text == "" || strings.ContainsFunc(text, needsQuotes) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

func needsQuotes(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
}
