package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/wire"
)

// suiteCase is a line of json.jsonl. The first letter of its name says what the text is: y for valid JSON, n for invalid
// JSON, i where parsers may differ.
type suiteCase struct {
	Name, Raw, B64                      string
	Prefix, Fill, Middle, Fill2, Suffix string
	Count, Count2                       int
}

func (s suiteCase) bytes(t *testing.T) []byte {
	t.Helper()
	switch {
	case s.Count > 0:
		return []byte(s.Prefix + strings.Repeat(s.Fill, s.Count) + s.Middle + strings.Repeat(s.Fill2, s.Count2) + s.Suffix)
	case s.B64 != "":
		decoded, err := base64.StdEncoding.DecodeString(s.B64)
		if err != nil {
			t.Fatal(err)
		}
		return decoded
	}
	return []byte(s.Raw)
}

// TestSuite runs Check on every case and compares with the case's class. encoding/json must agree with the class too,
// and Check must never accept what encoding/json rejects.
func TestSuite(t *testing.T) {
	content, err := os.ReadFile(cases.Path(t, "hostile/json.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[byte]int{}
	for lines := json.NewDecoder(bytes.NewReader(content)); lines.More(); {
		var test suiteCase
		if err := lines.Decode(&test); err != nil {
			t.Fatal(err)
		}
		text, class := test.bytes(t), test.Name[0]
		counts[class]++
		err := wire.Check(text)
		switch {
		case class == 'n' && err == nil, class == 'y' && err != nil:
			t.Errorf("%s: Check(%.80q) = %v", test.Name, text, err)
		case class != 'i' && json.Valid(text) != (class == 'y'):
			t.Errorf("%s: %.80q: encoding/json disagrees with the class of this case", test.Name, text)
		case err == nil && !json.Valid(text):
			t.Errorf("%s: Check accepts %.80q, which encoding/json rejects", test.Name, text)
		}
	}
	if counts['n'] < 188 || counts['y'] < 95 || counts['i'] < 35 {
		t.Errorf("json.jsonl has too few cases of each class: %v", counts)
	}
}
