package door

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
)

var routes = []string{"/", "/mcp", "/sse", "/healthz", "/readyz", "/metrics", "/.well-known/oauth-protected-resource", "/unknown/../route"}

func TestEveryHostOriginAndRoute(t *testing.T) {
	bubble(t, testEveryHostOriginAndRoute)
}

func testEveryHostOriginAndRoute(t *testing.T) {
	meter := newCount()
	server := serveInMemory(t, Options{
		Hosts: []string{"nas.local", "Proxy.Example:8443", "*.tail.ts.net", "10.1.2.3", "fd00::5"}, Origins: []string{"https://claude.ai", "http://lan.example:8080/"}, Meter: meter,
	}, ok)
	_, port, _ := net.SplitHostPort(server.address)
	hosts := map[string]bool{
		"localhost": true, "LOCALHOST:" + port: true, "localhost:9": true, "localhost.": true, "127.0.0.1": true, "127.8.9.10:80": true, "[::1]": true, "[::1]:1065": true,
		"[::ffff:127.0.0.1]": true, "nas.local": true, "NAS.local.:1": true, "proxy.example:8443": true, "a.tail.ts.net": true, "a.b.tail.ts.net:443": true, "10.1.2.3:1": true,
		"[fd00::5]": true, "[FD00:0::5]:7": true, "localhost:": true,
		"": false, "evil.example": false, "localhost.evil.example": false, "evil.example.localhost": false, "localhost..": false, ".localhost": false, "127.0.0.1.evil.example": false,
		"127.0.0.1.": false, "127.1": false, "2130706433": false, "0x7f.1": false, "0.0.0.0": false, "[::]": false, "user@localhost": false, "evil.example@localhost": false,
		"localhost@evil.example": false, "localhost:80:80": false, "localhost:x": false, "localhost:99999": false, "localhost:-1": false, "localhost:+1": false, "[::1%25lo]": false, "[::1": false, "::1": false,
		"[127.0.0.1]": false, "[localhost]": false, "x[::1]": false, "[::1]x": false, "proxy.example": false, "proxy.example:8444": false, "tail.ts.net": false, "xtail.ts.net": false, "a.tail.ts.net.evil.example": false,
		"10.1.2.4": false, "nas": false, "local": false, "localhost,evil.example": false, "*.tail.ts.net": false, "192.168.1.1": false,
	}
	origins := map[string]bool{
		"": true, "Origin: https://claude.ai": true, "Origin: HTTPS://Claude.ai:443": true, "Origin: http://lan.example:8080": true,
		"Sec-Fetch-Site: none": true, "Sec-Fetch-Site: same-origin": true, "Origin: https://claude.ai\r\nSec-Fetch-Site: cross-site": true,
		"Origin: null": false, "Origin:": false, "Origin: https://evil.example": false, "Origin: http://claude.ai": false, "Origin: https://claude.ai.evil.example": false,
		"Origin: https://claude.ai:8443": false, "Origin: https://x.claude.ai": false, "Origin: https://claude.ai\r\nOrigin: https://claude.ai": false, "Origin: https://claude.ai, https://claude.ai": false,
		"Origin: https://user@claude.ai": false, "Origin: https://claude.ai/": false, "Origin: claude.ai": false, "Origin: *": false, "Origin: http://lan.example": false,
		"Origin: http://localhost:4444": false, "Sec-Fetch-Site: cross-site": false, "Sec-Fetch-Site: same-site": false, "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site": false,
		"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document": false,
	}
	for host, ours := range hosts {
		for from, allowed := range origins {
			for i, route := range routes {
				// Each pair on one route, some on every one.
				if from != "" && host != "localhost" && host != "evil.example" && i != (len(host)+len(from))%len(routes) {
					continue
				}
				method := []string{"GET", "POST", "DELETE", "OPTIONS", "PUT"}[(i+len(from))%5]
				request := method + " " + route + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
				if from != "" {
					request += from + "\r\n"
				}
				answer, body := server.raw(t, request+"\r\n")
				got := answer.StatusCode
				switch {
				case strings.Contains(host, "@") && got == 400: // net/http may refuse it before us
				case ours && allowed && got != 200, !(ours && allowed) && got != 403:
					t.Errorf("%s %s, Host %q, %q: %d", method, route, host, from, got)
				case got == 403 && !isErrorBody(body, "forbidden"):
					t.Errorf("%s %s, Host %q, %q: body %q", method, route, host, from, body)
				}
			}
		}
	}
	if meter.refused(RefusedHost) == 0 || meter.refused(RefusedOrigin) == 0 {
		t.Errorf("refusals are not counted: %v", meter.refusals)
	}
}

// A link on another site may lead a person to a page, but nothing else may call it, and no link leads elsewhere.
func TestVisits(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{Visits: func(path string) bool { return path == "/page" }}, ok)
	const visit = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
	for request, want := range map[string]int{
		"GET /page HTTP/1.1\r\n" + visit:                                                200,
		"GET /page HTTP/1.1\r\n" + strings.Replace(visit, "cross-site", "same-site", 1): 200,
		"GET /mcp HTTP/1.1\r\n" + visit:                                                 403,
		"POST /page HTTP/1.1\r\n" + visit:                                               403,
		"GET /page HTTP/1.1\r\nOrigin: https://evil.example\r\n" + visit:                403,
		"GET /page HTTP/1.1\r\nOrigin: null\r\n" + visit:                                403,
		"GET /page HTTP/1.1\r\n" + strings.Replace(visit, "document", "iframe", 1):      403,
		"GET /page HTTP/1.1\r\n" + strings.Replace(visit, "navigate", "no-cors", 1):     403,
		"GET /page HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image\r\n": 403,
	} {
		if answer, _ := server.raw(t, request+"Host: localhost\r\nConnection: close\r\n\r\n"); answer.StatusCode != want {
			t.Errorf("%q: %d, want %d", request, answer.StatusCode, want)
		}
	}
}

func isErrorBody(body, code string) bool {
	var got struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	return json.Unmarshal([]byte(body), &got) == nil && got.Error == code && got.Description != ""
}

func TestRawHostAndOrigin(t *testing.T) {
	server := serve(t, Options{}, ok)
	_, port, _ := net.SplitHostPort(server.address)
	for _, test := range []struct {
		name, request string
		want          int
	}{
		{"plain", "GET /mcp HTTP/1.1\r\nHost: %s\r\n\r\n", 200},
		{"no Host in 1.0", "GET /mcp HTTP/1.0\r\n\r\n", 403},
		{"a Host in 1.0", "GET /mcp HTTP/1.0\r\nHost: localhost\r\n\r\n", 200},
		{"no Host in 1.1", "GET /mcp HTTP/1.1\r\n\r\n", 400},
		{"an empty Host", "GET /mcp HTTP/1.1\r\nHost:\r\n\r\n", 403},
		{"two Hosts", "GET /mcp HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\n\r\n", 400},
		{"a target with our host", "GET http://localhost/mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", 200},
		{"a target with a foreign host", "GET http://evil.example/mcp HTTP/1.1\r\nHost: %s\r\n\r\n", 403},
		{"a target with a user", "GET http://evil.example@localhost/mcp HTTP/1.1\r\nHost: %s\r\n\r\n", 403},
		{"a tunnel", "CONNECT evil.example:80 HTTP/1.1\r\nHost: %s\r\n\r\n", 403},
		{"options of the server", "OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403},
		{"an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 403},
		{"our own page", "POST /mcp HTTP/1.1\r\nHost: %[1]s\r\nOrigin: http://%[1]s\r\nContent-Length: 0\r\n\r\n", 200},
		{"our own page, browser agrees", "POST /mcp HTTP/1.1\r\nHost: %[1]s\r\nOrigin: http://%[1]s\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 0\r\n\r\n", 200},
		{"our own page, browser disagrees", "POST /mcp HTTP/1.1\r\nHost: %[1]s\r\nOrigin: http://%[1]s\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 0\r\n\r\n", 403},
		{"our own page behind TLS", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://localhost\r\nContent-Length: 0\r\n\r\n", 200},
		{"a page of another port", "POST /mcp HTTP/1.1\r\nHost: %s\r\nOrigin: http://127.0.0.1:3000\r\nContent-Length: 0\r\n\r\n", 403},
		{"a page of our port under another name", "POST /mcp HTTP/1.1\r\nHost: %s\r\nOrigin: http://localhost:" + port + "\r\nContent-Length: 0\r\n\r\n", 403},
		{"a program's page", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: app://localhost\r\nContent-Length: 0\r\n\r\n", 403},
		{"a preflight", "OPTIONS /mcp HTTP/1.1\r\nHost: %s\r\nOrigin: https://claude.ai\r\nAccess-Control-Request-Method: POST\r\n\r\n", 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := test.request
			if strings.Contains(request, "%") {
				request = fmt.Sprintf(request, server.address)
			}
			if answer, body := server.raw(t, request); answer.StatusCode != test.want {
				t.Errorf("%d %q, want %d", answer.StatusCode, body, test.want)
			}
		})
	}
}

// A server that listens on all addresses may be called by the address that the client connected to.
func TestConnectedAddressIsAllowedHost(t *testing.T) {
	server := serve(t, Options{Host: "0.0.0.0"}, ok)
	_, port, _ := net.SplitHostPort(server.address)
	for _, own := range ownAddresses(t) {
		server.address = net.JoinHostPort(own.String(), port)
		for host, want := range map[string]int{
			server.address: 200, "localhost": 200, "0.0.0.0:" + port: 403, "198.51.100.9:" + port: 403, "my-laptop": 403,
		} {
			if answer, _ := server.raw(t, "GET / HTTP/1.1\r\nHost: "+host+"\r\n\r\n"); answer.StatusCode != want {
				t.Errorf("Host %s at %s: %d, want %d", host, server.address, answer.StatusCode, want)
			}
		}
	}
}

func ownAddresses(t *testing.T) []netip.Addr {
	found, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	var own []netip.Addr
	for _, address := range found {
		if prefix, err := netip.ParsePrefix(address.String()); err == nil && prefix.Addr().Is4() {
			own = append(own, prefix.Addr())
		}
	}
	return own
}

func FuzzHost(f *testing.F) {
	for _, seed := range []string{"localhost:1065", "[::1]:1", "a.tail.ts.net", "user@localhost", "[::ffff:1.2.3.4]", "LOCALHOST.", ":", "[", "]:", "1.2.3.4:05", "1.2.3.2."} {
		f.Add(seed)
	}
	rules, err := newHostRules("", []string{"*.tail.ts.net"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host, valid := parseAuthority(text)
		if !valid {
			return
		}
		if (host.name == "") == !host.address.IsValid() {
			t.Fatalf("%q is both or neither a name and an address: %+v", text, host)
		}
		again := host.name
		if host.address.IsValid() {
			again = host.address.String()
			if host.address.Is6() {
				again = "[" + again + "]"
			}
		}
		if host.port != "" {
			again += ":" + host.port
		}
		if reread, ok := parseAuthority(again); !ok || reread != host {
			t.Fatalf("%q is read as %+v, written as %q and read as %+v", text, host, again, reread)
		}
		for _, rule := range rules {
			if lower := strings.ToLower(text); rule.matches(host) && !strings.HasPrefix(lower, "localhost") && !strings.Contains(lower, ".tail.ts.net") {
				t.Fatalf("%q is allowed by %+v", text, rule)
			}
		}
	})
}
