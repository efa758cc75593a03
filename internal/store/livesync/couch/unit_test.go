package couch

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
)

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ server, id, want string }{
		{"http://h:5984", "a.md", "http://h:5984/db/a.md"},
		{"http://h:5984/", "h:+a/b=", "http://h:5984/db/h%3A%2Ba%2Fb%3D"},
		{"https://h/couch/", "/_x.md", "https://h/couch/db/%2F_x.md"},
		{"https://h/a%2Fb", "50%.md", "https://h/a%2Fb/db/50%25.md"},
		{"http://h", "ü ?#.md", "http://h/db/%C3%BC%20%3F%23.md"},
		{"http://h", "_local/a/b", "http://h/db/_local/a%2Fb"},
		{"http://h", "_design/x", "http://h/db/_design/x"},
		{"http://h", "a/../b", "http://h/db/a%2F..%2Fb"},
	} {
		client, err := New(Options{URL: test.server, Database: "db"})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := client.documentParts(test.id)
		if got := client.endpoint(nil, parts...).String(); err != nil || got != test.want {
			t.Errorf("%s on %s: %s %v, want %s", test.id, test.server, got, err, test.want)
		}
	}
}

// FuzzEndpoint: every id is one path segment below the database, and unescapes to itself.
func FuzzEndpoint(f *testing.F) {
	for _, id := range []string{"h:+a/b=", "/_x.md", "50%.md", "%2e%2e", "\xff", "a\nb"} {
		f.Add(id)
	}
	client, err := New(Options{URL: "http://h/p%2Fq", Database: "db"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, id string) {
		parts, err := client.documentParts(id)
		if err != nil || strings.HasPrefix(id, "_") {
			return
		}
		read, err := url.Parse(client.endpoint(nil, parts...).String())
		if err != nil || read.Host != "h" {
			t.Fatal(read, err)
		}
		raw, found := strings.CutPrefix(read.EscapedPath(), "/p%2Fq/db/")
		if got, err := url.PathUnescape(raw); !found || err != nil || got != id || strings.ContainsAny(raw, "/+") {
			t.Errorf("%q became %q (%v)", id, raw, err)
		}
	})
}

func TestInvalidAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "h:5984", "ftp://h", "http://", "http://u:hunter2@h", "http://h?x=hunter2", "http://h/#x", "http://h:port", "://hunter2"} {
		if _, err := New(Options{URL: address, Database: "db"}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, name := range []string{"", "_users", ".", ".."} {
		if _, err := New(Options{URL: "http://h", Database: name}); err == nil {
			t.Errorf("the database %q was accepted", name)
		}
	}
}

func TestSecretIsRedacted(t *testing.T) {
	t.Parallel()
	options := Options{Password: "hunter2"}
	encoded, err := json.Marshal(options.Password)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "options", slog.AnyValue(options.Password))
	for _, shown := range []string{
		fmt.Sprintf("%v %+v %#v %s %q %x %d", options, options, options, options.Password, options.Password, options.Password, options.Password),
		fmt.Sprint(options.Password), string(encoded), log.String(),
	} {
		if strings.Contains(shown, "hunter2") || strings.Contains(shown, "68756e") || !strings.Contains(shown, "[redacted]") {
			t.Error(shown, err)
		}
	}
	if Secret("").String() != "" {
		t.Error("an empty secret is not empty")
	}
}

func TestTooDeep(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return []byte(strings.Repeat(`{"a":[`, n/2) + strings.Repeat(`]}`, n/2)) }
	if tooDeep(nested(maxDepth)) || !tooDeep(nested(maxDepth+2)) {
		t.Error("tooDeep does not apply maxDepth")
	}
	if text := []byte(`{"a":"` + strings.Repeat(`[{\"\\`, 100) + `"}`); tooDeep(text) {
		t.Error("brackets in a text count as depth")
	}
	if wide := []byte("[" + strings.Repeat("[],", 1000) + "{}]"); tooDeep(wide) {
		t.Error("width counts as depth")
	}
}

func TestSeq(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Seq{`12`: "12", `"12-abc"`: "12-abc", `0`: "0", `"0"`: "0"} {
		var got Seq
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %q %v", text, got, err)
		}
	}
	var seq Seq
	if json.Unmarshal([]byte(`{}`), &seq) == nil {
		t.Error("an object was accepted")
	}
	for _, test := range []struct {
		a, b Seq
		want bool
	}{{"3", "12", true}, {"12", "3", false}, {"3-zz", "12-aa", true}, {"12-aa", "12-bb", false}, {"abc", "12", false}, {"1", "", false}} {
		if got := test.a.behind(test.b); got != test.want {
			t.Errorf("%s behind %s: %v", test.a, test.b, got)
		}
	}
}

func TestCertificateProblems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{x509.CertificateInvalidError{Reason: x509.Expired}, "it has expired, or is not valid yet"},
		{&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}}, "it is not valid"},
		{errors.New("connection refused"), ""},
	} {
		if got := certificateProblem(fmt.Errorf("get: %w", test.err)); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
}
