package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// These tests run the real proxies with the shipped configurations in front of a server that sends an event, and the next
// one only after the first was received. A proxy that buffers events would wait for ever.

func TestCaddyPassesStreams(t *testing.T) {
	caddy := program(t, "caddy")
	upstream := newUpstream(t)
	address := freeAddress(t)
	shipped, err := filepath.Abs(filepath.Join(root, "deploy/caddy/Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "Caddyfile")
	if err := os.WriteFile(config, []byte("{\n\tadmin off\n}\nimport "+shipped+"\n"), 0o600); err != nil { // another Caddy may have the port
		t.Fatal(err)
	}
	command := exec.Command(caddy, "run", "--adapter", "caddyfile", "--config", config)
	command.Env = append(os.Environ(),
		"DOMAIN=http://"+address, // no TLS: Caddy would install its own certificate authority
		"UPSTREAM="+upstream.Listener.Addr().String(),
		"XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	start(t, command, address)
	checkProxied(t, upstream, "http://"+address, address)
}

func TestNginxPassesStreams(t *testing.T) {
	nginx := program(t, "nginx")
	upstream := newUpstream(t)
	address := freeAddress(t)
	folder := t.TempDir()
	server := changed(t, "deploy/nginx.conf", "listen 443 ssl;", "listen "+address+" ssl;")
	server = strings.ReplaceAll(server, "/etc/letsencrypt/live/notes.example.com", folder)
	server = strings.ReplaceAll(server, "127.0.0.1:1065", upstream.Listener.Addr().String())
	writeCertificate(t, folder)
	main := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  %[2]s
}
`, folder, server)
	config := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(config, []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(nginx, "-t", "-e", "stderr", "-c", config).CombinedOutput(); err != nil || bytes.Contains(output, []byte("[warn]")) {
		t.Fatalf("nginx -t: %v\n%s", err, output)
	}
	start(t, exec.Command(nginx, "-e", "stderr", "-c", config), address)
	checkProxied(t, upstream, "https://"+address, "notes.example.com")
}

// upstream stands in for the program.
type upstream struct {
	*httptest.Server
	received chan struct{} // the client has the first event
}

func newUpstream(t *testing.T) *upstream {
	u := &upstream{received: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", u.stream)
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d bytes for %s from %s", len(body), r.Host, r.Header.Get("X-Forwarded-For"))
	})
	u.Server = httptest.NewServer(mux)
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "data: first\n\n")
	w.(http.Flusher).Flush()
	select {
	case <-u.received:
		fmt.Fprint(w, "data: second\n\n")
	case <-time.After(5 * time.Second):
		fmt.Fprint(w, "data: the first event did not arrive\n\n")
	case <-r.Context().Done():
	}
}

func checkProxied(t *testing.T, u *upstream, url, host string) {
	t.Helper()
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Run("stream", func(t *testing.T) {
		response, err := client.Do(request(t, http.MethodGet, url+"/sse", host, nil))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		if lines.Scan(); lines.Text() != "data: first" {
			t.Fatalf("got %q first", lines.Text())
		}
		close(u.received)
		lines.Scan()
		if lines.Scan(); lines.Text() != "data: second" {
			t.Errorf("got %q second", lines.Text())
		}
	})
	t.Run("the largest message, with the host's name and the client's address", func(t *testing.T) {
		forged := request(t, http.MethodPost, url+"/mcp", host, bytes.NewReader(make([]byte, 4<<20)))
		forged.Header.Set("X-Forwarded-For", "203.0.113.7")
		response, err := client.Do(forged)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		got, _ := io.ReadAll(response.Body)
		if want := "4194304 bytes for " + host + " from 127.0.0.1"; string(got) != want {
			t.Errorf("got %d %q, want %q", response.StatusCode, got, want)
		}
	})
}

func request(t *testing.T, method, url, host string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	return r
}

// start runs a proxy until the test ends, and waits until it listens.
func start(t *testing.T, command *exec.Cmd, address string) {
	t.Helper()
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	t.Cleanup(func() { _ = command.Process.Kill(); <-ended })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		if connection, err := net.Dial("tcp", address); err == nil {
			_ = connection.Close()
			return
		}
		select {
		case <-ended:
			t.Fatalf("%s exited:\n%s", command.Path, output.String())
		case <-ctx.Done():
			t.Fatalf("%s does not listen on %s", command.Path, address)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// writeCertificate writes a self-signed certificate to fullchain.pem and privkey.pem.
func writeCertificate(t *testing.T, folder string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"notes.example.com"}, NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"fullchain.pem": {Type: "CERTIFICATE", Bytes: certificate},
		"privkey.pem":   {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
