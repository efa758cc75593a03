package door

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// doorKey is where a request's context has the door that it came by.
type doorKey struct{}

// Address is the client's address, for limits and for the log. What a proxy says
// of it counts only where that proxy is known.
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

// Scheme is http or https, as the client used it, a known proxy included.
func Scheme(r *http.Request) string {
	if d, ok := r.Context().Value(doorKey{}).(*Door); ok {
		if told := d.forwardedScheme(r); told != "" {
			return told
		}
	}
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// client follows a request back from proxy to proxy, up to the first hop that
// is none of ours: what that one says of others is hearsay.
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

// forwardedScheme is the scheme that a known proxy says the client used, or "".
func (d *Door) forwardedScheme(r *http.Request) string {
	told := r.Header.Values("X-Forwarded-Proto")
	peer, ok := parsePeer(r.RemoteAddr)
	if len(told) != 1 || !ok || !d.isProxy(peer) {
		return ""
	}
	switch scheme := strings.ToLower(told[0]); scheme {
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
