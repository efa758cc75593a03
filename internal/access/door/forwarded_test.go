package door

import (
	"io"
	"net/http"
	"net/netip"
	"testing"
)

func TestForwardedAddress(t *testing.T) {
	near := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	chain := append(near, netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"))
	const xff, proto = "X-Forwarded-For: ", "X-Forwarded-Proto: "
	for _, test := range []struct {
		name    string
		proxies []netip.Prefix
		headers string
		want    string
	}{
		{"no trusted proxy", nil, xff + "192.0.2.1\r\n" + proto + "https\r\n", "127.0.0.1 http"},
		{"nothing is forwarded", near, "", "127.0.0.1 http"},
		{"one proxy", near, xff + "192.0.2.1\r\n" + proto + "https\r\n", "192.0.2.1 https"},
		{"a hop that the client made up", near, xff + "1.1.1.1, 192.0.2.1\r\n", "192.0.2.1 http"},
		{"two headers are one list", near, xff + "192.0.2.1\r\n" + xff + "192.0.2.2\r\n", "192.0.2.2 http"},
		{"a chain of trusted proxies", chain, xff + "1.1.1.1, 192.0.2.1, 10.0.0.7, fd00::9\r\n", "192.0.2.1 http"},
		{"all hops are trusted", chain, xff + "10.0.0.9, 10.0.0.7\r\n", "10.0.0.9 http"},
		{"with ports", near, xff + "[2001:db8::1]:4711\r\n", "2001:db8::1 http"},
		{"with a port", near, xff + "192.0.2.1:99\r\n", "192.0.2.1 http"},
		{"IPv4 mapped to IPv6", near, xff + "::ffff:192.0.2.1\r\n", "192.0.2.1 http"},
		{"garbage", near, xff + "192.0.2.1, unknown\r\n", "127.0.0.1 http"},
		{"garbage behind a hop", chain, xff + "x\x7f, 10.0.0.7\r\n", ""},
		{"an unknown behind a hop", chain, xff + "unknown, 10.0.0.7\r\n", "10.0.0.7 http"},
		{"empty", near, xff + "\r\n" + proto + "\r\n", "127.0.0.1 http"},
		{"no scheme", near, proto + "javascript\r\n", "127.0.0.1 http"},
		{"two schemes", near, proto + "https\r\n" + proto + "http\r\n", "127.0.0.1 http"},
		{"upper case", near, proto + "HTTPS\r\n", "127.0.0.1 https"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, Options{Proxies: test.proxies}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, Address(r)+" "+Scheme(r))
			}))
			answer, body := server.raw(t, "GET / HTTP/1.1\r\nHost: localhost\r\n"+test.headers+"\r\n")
			if test.want == "" {
				if answer.StatusCode != 400 {
					t.Errorf("%d %q, want 400", answer.StatusCode, body)
				}
			} else if body != test.want {
				t.Errorf("%q, want %q", body, test.want)
			}
		})
	}
}

func TestAddressWithoutDoor(t *testing.T) {
	for remote, want := range map[string]string{"192.0.2.1:5": "192.0.2.1", "[2001:db8::1]:5": "2001:db8::1", "@": "@"} {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}}
		if got := Address(r); got != want || Scheme(r) != "http" {
			t.Errorf("Address of %q is %q, want %q", remote, got, want)
		}
	}
}

// A page with another scheme than the proxy's is not our own.
func TestOwnPageHasSchemeOfProxy(t *testing.T) {
	server := serve(t, Options{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Hosts: []string{"notes.example"}}, ok)
	for scheme, want := range map[string]int{"https": 200, "http": 403} {
		answer, _ := server.raw(t, "GET / HTTP/1.1\r\nHost: notes.example\r\nX-Forwarded-Proto: https\r\nOrigin: "+scheme+"://notes.example\r\n\r\n")
		if answer.StatusCode != want {
			t.Errorf("a page by %s: %d, want %d", scheme, answer.StatusCode, want)
		}
	}
}
