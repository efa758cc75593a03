package install

import (
	"net/url"
	"strings"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// checkURL completes the address, and refuses settings that a server at an address does not get from a client.
func (i *Installation) checkURL() (err error) {
	if i.URL, err = completeAddress(i.URL); err != nil || i.Remove {
		return err
	}
	if err := i.checkFlags(); err != nil || i.token() == "" {
		return err
	}
	_, err = auth.HashToken(i.token())
	return i.Settings.Blame("token", err)
}

// completeAddress adds the usual path to the address of a server. A login in an address is not repeated in the error.
func completeAddress(typed string) (string, error) {
	const token = "a token is given by --token or OBSIDIAN_MCP_TOKEN"
	if at := strings.LastIndex(typed, "@"); at >= 0 {
		return "", fault.InvalidArgument.Errorf("--url: the address has a login before '@%s'", visible.Name(typed[at+1:])).
			WithHint("leave out what is before the host; %s", token)
	}
	address, err := url.Parse(typed)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		shown, _, _ := strings.Cut(typed, "?")
		return "", fault.InvalidArgument.Errorf("--url: '%s' is not the address of a server", visible.Name(shown)).
			WithHint("it looks like http://127.0.0.1:1065/mcp; %s", token)
	}
	if address.Path == "" || address.Path == "/" {
		address.Path = "/mcp"
	}
	return address.String(), nil
}

// checkFlags refuses flags that have no effect on a server that somebody else starts: a person who gives a limit
// relies on it. Variables may be meant for that server.
func (i *Installation) checkFlags() error {
	for _, setting := range config.Settings() {
		if _, given := i.Source.Flags[setting.Name]; given && !setting.ForURL {
			return fault.InvalidArgument.
				Errorf("--%s has no effect on the server at the address of --url, which has its own settings", setting.Flag()).
				WithHint("leave it out, and set it where that server is started, or limit the token in `tokens` of its config file")
		}
	}
	return nil
}

// token returns the first of the configured tokens, for clients to use at the address.
func (i *Installation) token() string {
	for _, token := range i.Settings.HTTP.PlainTokens() {
		return token
	}
	return ""
}
