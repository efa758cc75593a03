package cli

import (
	"net/url"
	"strings"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// checkURL makes the address whole, and refuses what does not go with it.
func (i *installer) checkURL() (err error) {
	if i.url, err = wholeAddress(i.url); err != nil || i.removes {
		return err
	}
	if err := i.checkSettings(); err != nil || i.token() == "" {
		return err
	}
	_, err = auth.HashToken(i.token())
	return i.settings.Blame("token", err)
}

// wholeAddress is the address of a server, which may leave out the usual path. A
// login in it is not repeated.
func wholeAddress(given string) (string, error) {
	const token = "a token is given by --token or OBSIDIAN_MCP_TOKEN"
	if at := strings.LastIndex(given, "@"); at >= 0 {
		return "", fault.InvalidArgument.Errorf("--url: the address has a login before '@%s'", visible.Name(given[at+1:])).WithHint("leave out what is before the host; %s", token)
	}
	address, err := url.Parse(given)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		shown, _, _ := strings.Cut(given, "?")
		return "", fault.InvalidArgument.Errorf("--url: '%s' is not the address of a server", visible.Name(shown)).WithHint("it looks like http://127.0.0.1:1065/mcp; %s", token)
	}
	if address.Path == "" || address.Path == "/" {
		address.Path = "/mcp"
	}
	return address.String(), nil
}

// checkSettings refuses flags that say nothing to a server which somebody else
// starts: whoever gives a limit counts on it. Variables may be for that server.
func (i *installer) checkSettings() error {
	flags := i.source(i.cmd).Flags
	for _, setting := range config.Settings() {
		if _, given := flags[setting.Name]; given && !setting.ForURL {
			return fault.InvalidArgument.Errorf("--%s says nothing to the server at the address of --url, which has its own settings", setting.Flag()).
				WithHint("leave it out, and set it where that server is started, or limit the token in `tokens` of its config file")
		}
	}
	return nil
}

// token is what lets a client in at an address: the first of those that are
// given.
func (i *installer) token() string {
	for one := range strings.SplitSeq(i.settings.HTTP.Token.Reveal(), ",") {
		if one = strings.TrimSpace(one); one != "" {
			return one
		}
	}
	return ""
}
