package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLineEncoding(t *testing.T) {
	line := Line{
		Client: "claude", Token: "laptop", Tool: "rename_note", Paths: []string{"a.md", "b & c.md"}, Kind: OK, DurationMS: 12,
		Changes:  []Change{{Path: "a.md", To: "b & c.md", Before: "11", After: "22"}},
		ChangeID: "c1",
	}
	got, err := line.encode(noon)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"time":"2026-11-15T11:00:00.123456Z","client":"claude","token":"laptop","tool":"rename_note","paths":["a.md","b & c.md"],` +
		`"kind":"ok","duration_ms":12,"changes":[{"path":"a.md","to":"b & c.md","before":"11","after":"22"}],"change_id":"c1"}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the line (-want +got):\n%s", diff)
	}
	got, err = Line{Time: noon(), Tool: "list_notes", Kind: "TIMEOUT"}.encode(time.Now)
	if want := `{"time":"2026-11-15T11:00:00.123456Z","tool":"list_notes","kind":"TIMEOUT","duration_ms":0}` + "\n"; err != nil || string(got) != want {
		t.Errorf("line without optional fields: got %s (%v), want %s", got, err, want)
	}
}

func TestTimeOutOfRangeIsAnError(t *testing.T) {
	l, _ := newLog(t)
	if err := l.Write(t.Context(), Line{Time: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)}, true); err == nil {
		t.Error("a line with the year 12000 was written")
	}
	if l.behind() {
		t.Error("the line is queued, though it can never be written")
	}
}

// forgeries are texts that would forge a line or drive a terminal if they were written unescaped.
var forgeries = []string{
	"a\n{\"kind\":\"ok\",\"tool\":\"delete_note\"}\n", "a\r\nb", "\"},{\"kind\":\"ok", "\\\"}\n", "\x00", "\x1b[2J\x1b]0;owned\x07", "\x7f\b\b\b",
	"\u0085next", "\u009b31m", "a\u2028b\u2029c", "\u202egnp.exe\u202c", "\u2066a\u2069", "\u200e\u200f\u061c", "\u200b\ufeff", "\U000e0041\U000e0042",
	"\xff\xfe", "ab\xc3", "\xed\xa0\x80", "\ufffd", "\v\f", "\u00a0\u3000", "<script>&amp;", "😀 café 日本", "",
}

// checkLine checks that a line encodes to one line of printable text that decodes to the same values.
func checkLine(t *testing.T, line Line) {
	t.Helper()
	text, err := line.encode(noon)
	if err != nil {
		t.Fatal(err)
	}
	body, ended := bytes.CutSuffix(text, []byte("\n"))
	if !ended || !utf8.Valid(body) {
		t.Fatalf("%q lacks its line feed or is not UTF-8", text)
	}
	for _, r := range string(body) {
		if !unicode.IsPrint(r) {
			t.Fatalf("%q contains the character %U", text, r)
		}
	}
	var got Line
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil || decoder.More() {
		t.Fatalf("%q is not a single JSON value: %v", text, err)
	}
	want := Line{
		Time:   noon().UTC().Truncate(time.Microsecond),
		Client: decoded(shorten(line.Client)), Token: decoded(shorten(line.Token)), Tool: decoded(shorten(line.Tool)),
		Kind: decoded(line.Kind), ChangeID: decoded(line.ChangeID),
	}
	for _, path := range line.Paths {
		want.Paths = append(want.Paths, decoded(path))
	}
	for _, file := range line.Changes {
		want.Changes = append(want.Changes, Change{
			Path: decoded(file.Path), To: decoded(file.To), Before: decoded(file.Before), After: decoded(file.After),
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%q decodes to other values (-want +got):\n%s", text, diff)
	}
}

// decoded is a text after encoding and decoding: our own tokens are redacted, and
// bytes that are not UTF-8 become U+FFFD.
func decoded(text string) string {
	return ownToken.ReplaceAllString(string([]rune(text)), "omcp_[redacted]")
}

// everywhere puts a text into every field of a line.
func everywhere(text string) Line {
	return Line{
		Client: text, Token: text, Tool: text, Paths: []string{text, text}, Kind: text, ChangeID: text,
		Changes: []Change{{Path: text, To: text, Before: text, After: text}},
	}
}

func TestNoTextForgesLine(t *testing.T) {
	for _, text := range forgeries {
		checkLine(t, everywhere(text))
	}
}

func TestNamesAreShortened(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Claude", "Claude"},
		{strings.Repeat("a", 200), strings.Repeat("a", 200)},
		{strings.Repeat("a", 201), strings.Repeat("a", 200) + "…"},
		{strings.Repeat("a", 199) + "é", strings.Repeat("a", 199) + "…"},
		{strings.Repeat("\x80", 300), "…"},
	}
	for _, test := range tests {
		if got := shorten(test.name); got != test.want {
			t.Errorf("shorten(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestTokensAreRedacted(t *testing.T) {
	for _, text := range []string{"omcp_S3cr3t", "my omcp_S3cr3t token", strings.Repeat("a", 190) + "omcp_S3cr3tS3cr3tS3cr3t", "omcp_S3cr3t\x1bomcp_S3cr3t"} {
		line, err := everywhere(text).encode(noon)
		if err != nil || bytes.Contains(line, []byte("S3c")) {
			t.Errorf("%s contains a token (%v)", line, err)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, text := range forgeries {
		f.Add(text, "a.md", "ok")
		f.Add("claude", text, text)
	}
	f.Fuzz(func(t *testing.T, client, path, kind string) {
		line := everywhere(client)
		line.Paths, line.Kind = []string{path, client}, kind
		line.Changes = []Change{{Path: path, To: client}, {Path: kind, Before: path}}
		checkLine(t, line)
	})
}
