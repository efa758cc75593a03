package door

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// doorKey is the context key of the door that a request came through.
type doorKey struct{}

// Address returns the client's address, for limits and for the log. It believes what a proxy says about it only if the
// proxy is trusted.
func Address(r *http.Request) string {
	peer, ok := parsePeer(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	if d, ok := r.Context().Value(doorKey{}).(*Door); ok {
		peer = d.client(peer, r.Header.Values("X-Forwarded-For"))
	}
	return peer.String()
}

// Scheme returns http or https, as the client used it, even through a trusted proxy.
func Scheme(r *http.Request) string {
	if d, ok := r.Context().Value(doorKey{}).(*Door); ok {
		if forwarded := d.forwardedScheme(r); forwarded != "" {
			return forwarded
		}
	}
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// client follows a request back from proxy to proxy, up to the first hop that is not trusted: what that one says about
// earlier hops proves nothing.
func (d *Door) client(peer netip.Addr, forwarded []string) netip.Addr {
	if len(forwarded) == 0 {
		return peer
	}
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !d.isProxy(peer) {
			break
		}
		next, ok := parsePeer(strings.TrimSpace(hop))
		if !ok {
			break
		}
		peer = next
	}
	return peer
}

// forwardedScheme returns the scheme that, according to a trusted proxy, the client used, or "".
func (d *Door) forwardedScheme(r *http.Request) string {
	forwarded := r.Header.Values("X-Forwarded-Proto")
	peer, ok := parsePeer(r.RemoteAddr)
	if len(forwarded) != 1 || !ok || !d.isProxy(peer) {
		return ""
	}
	switch scheme := strings.ToLower(forwarded[0]); scheme {
	case "http", "https":
		return scheme
	default:
		return ""
	}
}

func (d *Door) isProxy(address netip.Addr) bool { return contains(d.options.Proxies, address) }

func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}

// parsePeer reads an address, with or without a port.
func parsePeer(text string) (netip.Addr, bool) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap().WithZone(""), err == nil
}
