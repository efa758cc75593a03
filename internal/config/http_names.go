package config

import (
	"net/netip"
	"slices"
	"strings"
)

// Hosts returns the names that clients may use for the server, including that of its public URL.
func (h HTTP) Hosts() []string {
	names := slices.Clone(h.AllowedHosts)
	if _, rest, ok := strings.Cut(h.PublicURL, "://"); ok {
		name, _, _ := strings.Cut(rest, "/")
		names = append(names, name)
	}
	return names
}

// BareHost returns the host to listen on, without the brackets that an IPv6 address has in URLs.
func (h HTTP) BareHost() string { return strings.TrimSuffix(strings.TrimPrefix(h.Host, "["), "]") }

// Nameless reports whether the server listens for other machines, but no name for it is set.
func (h HTTP) Nameless() bool {
	address, err := netip.ParseAddr(h.BareHost())
	return err == nil && address.IsUnspecified() && len(h.Hosts()) == 0
}

// PlainTokens returns the tokens of the setting token, which are not hashed.
func (h HTTP) PlainTokens() []string {
	var tokens []string
	for token := range strings.SplitSeq(h.Token.Reveal(), ",") {
		if token = strings.TrimSpace(token); token != "" {
			tokens = append(tokens, token)
		}
	}
	return tokens
}
