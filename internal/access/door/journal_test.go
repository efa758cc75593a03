package door

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
)

// Whatever a client sends, one event is one line, in which every character is printable.
func TestLogLinesCannotBeForged(t *testing.T) {
	hostile := []string{
		"GET /%0alevel=ERROR%20msg=forged HTTP/1.1\r\nHost: localhost\r\n",
		"GET /%0d%0a{%22level%22:%22ERROR%22} HTTP/1.1\r\nHost: evil.example\r\n",
		"GET /%1b%5b2J%1b%5d0;owned%07 HTTP/1.1\r\nHost: localhost\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: \x1b[31mred\r\n",
		"GET /%e2%80%a8level=ERROR%e2%80%ae%c2%85%c2%9b31m%00%7f HTTP/1.1\r\nHost: localhost\r\n",
		"GET /%ff%fe%20level=ERROR HTTP/1.1\r\nHost: localhost\r\n",
		"GET / HTTP/1.1\r\nHost: a\"\\level=ERROR\r\n",
		"GET / HTTP/1.1\r\nHost: a'(level=ERROR)*\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: x\" level=ERROR msg=\"forged\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: \xe2\x80\xa9level=ERROR\xc2\x9b\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a\tlevel=ERROR\r\n",
		"level=ERROR / HTTP/1.1\r\nHost: localhost\r\n",
		"GET /" + strings.Repeat("long", 3000) + " HTTP/1.1\r\nHost: localhost\r\n",
	}
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			log := &logged{}
			options := &slog.HandlerOptions{Level: slog.LevelDebug}
			var handler slog.Handler = slog.NewTextHandler(log, options)
			if format == "json" {
				handler = slog.NewJSONHandler(log, options)
			}
			server := serve(t, Options{Log: slog.New(handler)}, ok)
			requests := 0
			for _, head := range hostile {
				answer, _ := server.raw(t, head+"Connection: close\r\n\r\n")
				if answer.StatusCode == 400 {
					continue // net/http has refused it without a log line
				}
				if requests++; answer.StatusCode == 403 {
					requests++ // the refusal has its own line
				}
			}
			if requests < 11 {
				t.Fatalf("only %d lines for so many requests", requests)
			}
			server.stop()
			server.wait(t)
			lines := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
			if len(lines) != requests {
				t.Errorf("%d lines, want %d:\n%s", len(lines), requests, log)
			}
			for _, line := range lines {
				checkLine(t, format, line)
			}
		})
	}
}

func checkLine(t *testing.T, format, line string) {
	t.Helper()
	if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }); i >= 0 {
		t.Errorf("a line has the character %q:\n%q", line[i:i+1], line)
	}
	if len(line) > 2000 {
		t.Errorf("a line of %d bytes", len(line))
	}
	if format == "json" {
		var fields struct{ Level string }
		if err := json.Unmarshal([]byte(line), &fields); err != nil || fields.Level == "ERROR" {
			t.Errorf("%v, level %s: %s", err, fields.Level, line)
		}
	} else if !strings.HasPrefix(line, "time=") || strings.Contains(unquoted(line), "level=ERROR") {
		t.Errorf("forged: %s", line)
	}
}

// unquoted returns a line of the text handler without its quoted values.
func unquoted(line string) string {
	var out strings.Builder
	inside := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '"':
			inside = !inside
		case !inside:
			out.WriteByte(line[i])
		}
	}
	return out.String()
}

func TestSecretsAreNotLogged(t *testing.T) {
	log := &logged{}
	server := serve(t, Options{Log: log.logger()}, ok)
	for _, host := range []string{"localhost", "evil.example", "canary1:canary2@localhost"} {
		server.raw(t, "POST /mcp?token=canary3&canary4 HTTP/1.1\r\nHost: "+host+"\r\nAuthorization: Bearer canary5\r\nCookie: a=canary6\r\nReferer: http://x/?canary7\r\nContent-Length: 7\r\n\r\ncanary8")
	}
	server.raw(t, "POST http://canary9:x@localhost/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
	server.stop()
	server.wait(t)
	if strings.Contains(log.String(), "canary") || strings.Count(log.String(), "path=/mcp") < 4 {
		t.Errorf("log:\n%s", log)
	}
}

func TestFloodOfRefusalsIsSuppressed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &logged{}
		journal := &journal{log: log.logger()}
		for i := range 1000 {
			journal.refused("request", "reason", "host", "number", i)
		}
		if got := strings.Count(log.String(), "\n"); got != linesPerSecond {
			t.Errorf("%d lines in a second, want %d", got, linesPerSecond)
		}
		time.Sleep(time.Second)
		journal.refused("request", "reason", "host")
		if want := fmt.Sprintf("suppressed=%d", 1000-linesPerSecond); !strings.Contains(log.String(), want) {
			t.Errorf("no line says %s", want)
		}
		for range linesPerSecond + 4 {
			journal.refused("request")
		}
		journal.close()
		journal.close()
		if strings.Count(log.String(), "suppressed=5") != 1 {
			t.Errorf("the last suppressed lines are not counted:\n%s", log)
		}
	})
}

func TestRequestIsOneLine(t *testing.T) {
	log := &logged{}
	server := serve(t, Options{Log: log.logger()}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "four")
	}))
	c := server.dial(t)
	io.WriteString(c, "GET /mcp?x=y HTTP/1.1\r\nHost: localhost\r\nUser-Agent: agent/1.0\r\n\r\n")
	if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
		t.Fatal(err)
	}
	server.stop()
	server.wait(t)
	for _, fact := range []string{"level=DEBUG", "method=GET", "path=/mcp ", "status=202", "bytes=4", "took=", "address=127.0.0.1", "agent=agent/1.0"} {
		if !strings.Contains(log.String(), fact) {
			t.Errorf("no %s in %s", fact, log)
		}
	}
	if strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the log is not one line: %s", log)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "plain", "a\nb", "\x1b[0m", "\u2028", "\xff", "\uFFFD", strings.Repeat("ü", 150)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cleaned := clean(text)
		for i, r := range cleaned {
			if !unicode.IsPrint(r) || r == unicode.ReplacementChar && !strings.HasPrefix(cleaned[i:], "\uFFFD") {
				t.Fatalf("clean(%q) = %q", text, cleaned)
			}
		}
		if len(cleaned) > 10*(longestValue+3) {
			t.Fatalf("clean makes %d bytes of %d", len(cleaned), len(text))
		}
	})
}
