package door

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
)

// authority is a host and perhaps a port, as in a Host header. A host is an address or a name, never both, so that no name
// passes for an address.
type authority struct {
	name    string // lower case, without the final dot
	address netip.Addr
	port    string // without leading zeros; "" if there is none
}

// parseAuthority reads a Host header. It is strict: it refuses what no browser and no proxy would write.
func parseAuthority(text string) (authority, bool) {
	host, port, ok := splitPort(text)
	if !ok {
		return authority{}, false
	}
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		address, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !address.Is6() || address.Zone() != "" {
			return authority{}, false
		}
		return authority{address: address.Unmap(), port: port}, true
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return authority{address: address, port: port}, address.Is4()
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(name); err == nil {
		return authority{}, false // an address does not end with a dot
	}
	return authority{name: name, port: port}, isName(name)
}

// splitPort separates the port from the host, which keeps its brackets.
func splitPort(text string) (host, port string, ok bool) {
	end := strings.LastIndexByte(text, ']') + 1
	if end > 0 && text[0] != '[' {
		return "", "", false
	}
	host, rest := text[:end], text[end:]
	if end == 0 {
		colon := strings.IndexByte(rest, ':')
		if colon < 0 {
			return rest, "", true
		}
		host, rest = rest[:colon], rest[colon:]
	}
	if rest == "" || rest == ":" {
		return host, "", true
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(rest, ":"), 10, 16)
	return host, strconv.FormatUint(number, 10), err == nil && rest[0] == ':'
}

// isName reports whether a text in lower case is a name in the DNS or a local network.
func isName(text string) bool {
	if len(text) > 253 {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// hostRule is a name by which the server may be called.
type hostRule struct {
	authority
	below bool // matches every name below this one, but not the name itself
}

type hostRules []hostRule

// newHostRules makes rules from the host that is listened on, and from others.
func newHostRules(listened string, others []string) (hostRules, error) {
	rules := hostRules{{authority: authority{name: "localhost"}}}
	if address, err := netip.ParseAddr(strings.Trim(listened, "[]")); listened != "" && (err != nil || !address.IsUnspecified()) {
		others = append([]string{listened}, others...)
	}
	for _, text := range others {
		rule, err := parseHostRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func parseHostRule(text string) (hostRule, error) {
	text = strings.TrimSpace(text)
	if address, err := netip.ParseAddr(text); err == nil {
		return hostRule{authority: authority{address: address.WithZone("").Unmap()}}, nil
	}
	rest, below := strings.CutPrefix(text, "*.")
	parsed, ok := parseAuthority(rest)
	if !ok || below && parsed.name == "" {
		return hostRule{}, fault.InvalidArgument.Errorf("%q is not a valid host", text).
			WithHint("give a name or an address, such as nas.local, 192.168.1.5, nas.local:8443 or *.example.ts.net; international names in their xn-- form")
	}
	return hostRule{authority: parsed, below: below}, nil
}

// allow reports whether a request calls the server by one of its names. A page that rebinds its own name to our address
// does not know any.
func (rules hostRules) allow(r *http.Request) bool {
	host, ok := parseAuthority(r.Host)
	if !ok || r.URL.User != nil {
		return false
	}
	if host.address.IsValid() && (host.address.IsLoopback() || host.address == localAddress(r)) {
		return true
	}
	for _, rule := range rules {
		if rule.matches(host) {
			return true
		}
	}
	return false
}

// localAddress returns our own end of the request's connection. A client that calls us by it has used no name that could
// have been rebound.
func localAddress(r *http.Request) netip.Addr {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	address, _ := addressOf(local)
	return address
}

func (rule hostRule) matches(host authority) bool {
	if rule.port != "" && rule.port != host.port && (host.port != "" || rule.port != "80" && rule.port != "443") {
		return false
	}
	if rule.below {
		return strings.HasSuffix(host.name, "."+rule.name)
	}
	return rule.name == host.name && rule.address == host.address
}
