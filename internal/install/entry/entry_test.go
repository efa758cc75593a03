package entry_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/install/entry"
)

// server is a typical entry.
var server = entry.Object{
	{Name: "command", Value: "/opt/x"},
	{Name: "args", Value: []string{"stdio"}},
	{Name: "env", Value: entry.Object{{Name: "A", Value: "b c"}}},
}

// set sets the server into a text.
func set(t *testing.T, text string, format entry.Format, value entry.Object) string {
	t.Helper()
	got, err := entry.Set([]byte(text), format, value, "servers", "own")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return string(got)
}

func remove(t *testing.T, text string, format entry.Format) string {
	t.Helper()
	got, err := removeEntry([]byte(text), format, "servers", "own")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return string(got)
}

// checkLaws checks what must hold for every text: Get finds the value that was set, setting it again changes nothing, and
// removing it restores the text.
func checkLaws(t *testing.T, before string, format entry.Format) {
	t.Helper()
	after := set(t, before, format, server)
	value, found, err := entry.Get([]byte(after), format, "servers", "own")
	if err != nil || !found {
		t.Fatalf("found: %v, %v in\n%s", found, err, after)
	}
	want := map[string]any{"command": "/opt/x", "args": []any{"stdio"}, "env": map[string]any{"A": "b c"}}
	if diff := cmp.Diff(want, value); diff != "" {
		t.Errorf("%s\n%s", after, diff)
	}
	if again := set(t, after, format, server); again != after {
		t.Errorf("setting it again changed the text:\n%s\n%s", after, again)
	}
	if restored := remove(t, after, format); restored != before {
		t.Errorf("removing did not restore the text\nbefore   %q\nset      %q\nrestored %q", before, after, restored)
	}
}

func TestJSON(t *testing.T) {
	for name, c := range map[string]struct {
		format         entry.Format
		before, after  string
		restoresParent bool
	}{
		"empty file":     {entry.JSON, "", "{\n  \"servers\": {\n    \"own\": @\n  }\n}\n", false},
		"empty object":   {entry.JSON, "{}", "{\n  \"servers\": {\n    \"own\": @\n  }\n}", false},
		"mark and CRLF":  {entry.JSON, "\ufeff{\r\n\t\"a\": 1,\r\n\t\"servers\": {}\r\n}\r\n", "\ufeff{\r\n\t\"a\": 1,\r\n\t\"servers\": {\r\n\t\t\"own\": @\r\n\t}\r\n}\r\n", true},
		"neighbours":     {entry.JSON, "{\n    \"servers\": {\n        \"a\": {}\n    }\n}", "{\n    \"servers\": {\n        \"a\": {},\n        \"own\": @\n    }\n}", true},
		"one line":       {entry.JSON, `{"servers":{"a":{}},"b":[1, 2]}`, `{"servers":{"a":{}, "own": @},"b":[1, 2]}`, true},
		"comment last":   {entry.JSONC, "{\n  \"servers\": {\n    \"a\": {} // first\n    // \"b\": {}\n  }\n}", "{\n  \"servers\": {\n    \"a\": {}, // first\n    // \"b\": {}\n    \"own\": @\n  }\n}", true},
		"spare comma":    {entry.JSONC, "{\n  \"servers\": {\n    \"a\": {}, // first\n  },\n}", "{\n  \"servers\": {\n    \"a\": {}, // first\n    \"own\": @,\n  },\n}", true},
		"comment alone":  {entry.JSONC, "{\n  \"servers\": {\n    // none yet\n  }\n}", "{\n  \"servers\": {\n    // none yet\n    \"own\": @\n  }\n}", true},
		"inline comment": {entry.JSONC, `{"servers": {/* none */}}`, `{"servers": {/* none */ "own": @}}`, true},
		"comments only":  {entry.JSONC, "// settings", "// settings\n{\n  \"servers\": {\n    \"own\": @\n  }\n}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := set(t, c.before, c.format, server)
			lead, _, _ := strings.Cut(c.after, "@")
			indent := lead[strings.LastIndexAny(lead, "\n")+1:]
			indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
			unit, newline := "  ", "\n"
			if strings.Contains(c.before, "\r") {
				unit, newline = "\t", "\r\n"
			} else if strings.Contains(c.before, "    \"servers") {
				unit = "    "
			}
			entry := strings.NewReplacer("\n", newline+indent, "~", unit).Replace(
				"{\n~\"command\": \"/opt/x\",\n~\"args\": [\"stdio\"],\n~\"env\": {\n~~\"A\": \"b c\"\n~}\n}")
			if !strings.Contains(c.after, "\n") {
				entry = `{ "command": "/opt/x", "args": ["stdio"], "env": { "A": "b c" } }`
			}
			if diff := cmp.Diff(strings.Replace(c.after, "@", entry, 1), got); diff != "" {
				t.Error(diff)
			}
			if c.restoresParent {
				checkLaws(t, c.before, c.format)
			}
		})
	}
}

// Unchanged parts of the entry keep their bytes, too.
func TestSetRewritesOnlyDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		format        entry.Format
		before, after string
	}{
		"JSON": {entry.JSONC,
			"{ \"servers\": { \"own\": {\n  \"url\": \"http://x\", // by hand\n  \"args\": [ \"stdio\" ], // kept\n  \"env\": {\n    // a note\n    \"A\": \"old\"\n  }\n} } }",
			"{ \"servers\": { \"own\": { // by hand\n  \"args\": [ \"stdio\" ], // kept\n  \"env\": {\n    // a note\n    \"A\": \"b c\"\n  },\n  \"command\": \"/opt/x\"\n} } }"},
		"JSON null": {entry.JSON, `{"servers": {"own": null}}`, `{"servers": {"own": { "command": "/opt/x", "args": ["stdio"], "env": { "A": "b c" } }}}`},
		"TOML": {entry.TOML,
			"[servers.own]\nurl = 1\nargs   =   [ 'stdio' ] # kept\n# a note\n\n[servers.own.env]\nB = 2 # gone\nA = \"old\" # stays\n\n# next\n[servers.b]\n",
			"[servers.own]\nargs   =   [ 'stdio' ] # kept\ncommand = \"/opt/x\"\n# a note\n\n[servers.own.env]\nA = \"b c\" # stays\n\n# next\n[servers.b]\n"},
		"TOML without env":      {entry.TOML, "[servers.own]\ncommand = '/opt/x'\nargs = [\n 'stdio', # one\n]\n\n[b]\nc = 1\n", "[servers.own]\ncommand = '/opt/x'\nargs = [\n 'stdio', # one\n]\n\n[servers.own.env]\nA = \"b c\"\n\n[b]\nc = 1\n"},
		"TOML with inline env":  {entry.TOML, "[servers.own]\ncommand = '/opt/x'\nargs = ['stdio']\nenv = { A = 'x' } # here", "[servers.own]\ncommand = '/opt/x'\nargs = ['stdio']\nenv = { A = \"b c\" } # here"},
		"TOML inline":           {entry.TOML, "[servers]\na.b = 1\nown = { command = 'y' } # here\n", "[servers]\na.b = 1\nown = { command = \"/opt/x\", args = [\"stdio\"], env = { A = \"b c\" } } # here\n"},
		"TOML with dotted keys": {entry.TOML, "servers.own.command = 'y'\nservers.a = 1\n[b]\n", "servers.a = 1\n[b]\n\n[servers.own]\ncommand = \"/opt/x\"\nargs = [\"stdio\"]\n\n[servers.own.env]\nA = \"b c\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := set(t, c.before, c.format, server)
			if diff := cmp.Diff(c.after, got); diff != "" {
				t.Error(diff)
			}
			if again := set(t, got, c.format, server); again != got {
				t.Errorf("setting it again changed the text:\n%s", again)
			}
		})
	}
}

func TestTOML(t *testing.T) {
	for name, before := range map[string]string{
		"empty":               "",
		"no final newline":    "a = 1",
		"blank lines":         "a = 1\n\n\n",
		"a blank line":        "\n",
		"spaces":              "  ",
		"mark and CRLF":       "\ufeffa = 1\r\n[servers.b]\r\nc = 2\r\n",
		"comment at the end":  "[servers.b]\nc = 2\n# d = 3\n",
		"strings":             "a = \"\"\"\n[servers.own]\n\\\"\"\"\"\"\nb = '''\n[servers.own]''''\n\"servers.own\" = 1\n[x.\"a.b\".'c d']\n",
		"lists":               "a = [ # [servers.own]\n  { b = ']' }, \"]\",\n] # done\n[[c]]\nservers = { own = 1 }\n",
		"a parent":            "[servers]\nb = 1\n[servers.c]\n",
		"dotted parent":       "servers.a.b = 1\n",
		"dates, odd numbers":  "a = 1979-05-27T07:32:00Z\nb = 0x1F\nc = -inf\nd = 07:32:00\n",
		"a key like a header": "\"[servers.own]\" = 1\n",
		"not a number":        "a = nan\n[x]\nb = [ -nan, { c = +nan } ]\n",
	} {
		t.Run(name, func(t *testing.T) { checkLaws(t, before, entry.TOML) })
	}
}

func TestRefusesTextsItCannotEdit(t *testing.T) {
	for name, c := range map[string]struct {
		format entry.Format
		text   string
		want   string
	}{
		"UTF-16":             {entry.JSON, "\xff\xfe{\x00}\x00", "the file is in UTF-16: save it as UTF-8"},
		"UTF-16, big end":    {entry.TOML, "\xfe\xff\x00a", "the file is in UTF-16: save it as UTF-8"},
		"not an object":      {entry.JSON, `[]`, "line 1, column 1: the file must contain an object in braces"},
		"parent not object":  {entry.JSON, "{\n \"servers\": []}", "line 2, column 13: 'servers' must contain an object in braces"},
		"parent twice":       {entry.JSON, `{"servers":{},"servers":{}}`, "line 1, column 15: 'servers' appears twice; remove one of them"},
		"twice by an escape": {entry.JSON, `{"servers":{"own":{},"\u006fwn":{}}}`, "line 1, column 22: 'own' appears twice; remove one of them"},
		"twice inside":       {entry.JSON, `{"servers":{"own":{"a":1,"a":2}}}`, "line 1, column 26: 'a' appears twice; remove one of them"},
		"comment in JSON":    {entry.JSON, "{\n  // x\n}", "line 2, column 3: not valid JSON: comments are not allowed in this file"},
		"spare comma":        {entry.JSON, `{"ä":1,}`, "line 1, column 7: not valid JSON: a comma after the last value"},
		"cut off":            {entry.JSON, "{\n\"a\": {\n", "line 3, column 1: not valid JSON: the text ends too early"},
		"cut off string":     {entry.JSON, `{"a`, "line 1, column 4: not valid JSON: the text ends too early"},
		"no colon":           {entry.JSON, `{"a" 1}`, "line 1, column 6: not valid JSON: a colon is missing"},
		"no quotes":          {entry.JSON, `{a: 1}`, "line 1, column 2: not valid JSON: a name in double quotes is missing"},
		"no comma":           {entry.JSON, `{"a": 1 "b": 2}`, "line 1, column 9: not valid JSON: a comma or a closing bracket is missing"},
		"no value":           {entry.JSON, `{"a": }`, "line 1, column 7: not valid JSON: a value is missing"},
		"odd value":          {entry.JSON, `{"a": True}`, "line 1, column 7: not valid JSON: this is not a JSON value"},
		"odd escape":         {entry.JSON, `{"a": "\x"}`, "line 1, column 7: not valid JSON: a string has an unknown escape"},
		"line break":         {entry.JSON, "{\"a\": \"b\nc\"}", "line 1, column 9: not valid JSON: a string contains a line break or another control character"},
		"two values":         {entry.JSON, `{} {}`, "line 1, column 4: not valid JSON: there is text after the end"},
		"open comment":       {entry.JSONC, `{ /* }`, "line 1, column 3: not valid JSON: a comment is not closed"},
		"too deep":           {entry.JSON, strings.Repeat("[", 100_000), "not valid JSON: values nest too deeply"},
		"TOML":               {entry.TOML, "a = 1\nb =\n", "line 2, column"},
		"TOML key twice":     {entry.TOML, "a = 1\na = 2\n", "not valid TOML: "},
		"TOML parent a list": {entry.TOML, "[[servers]]\na = 1\n", "'servers' must be a table"},
		"TOML inline parent": {entry.TOML, "a = 1\nservers = { a = { b = 1 } }\n", "line 2, column 1: 'servers' is an inline table; write it as tables such as [servers.own] and try again"},
		"TOML list":          {entry.TOML, "[[servers.own]]\na = 1\n", "line 1, column 1: 'servers.own' is a list of tables; it must be one table"},
	} {
		t.Run(name, func(t *testing.T) {
			changed, err := entry.Set([]byte(c.text), c.format, server, "servers", "own")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q\n%s", err, c.want, changed)
			}
			_, _, reading := entry.Get([]byte(c.text), c.format, "servers", "own")
			_, removing := removeEntry([]byte(c.text), c.format, "servers", "own")
			bothRefuse := reading != nil && reading.Error() == c.want && removing != nil && removing.Error() == c.want
			if strings.HasPrefix(name, "UTF-16") && !bothRefuse {
				t.Errorf("Get: %v, Remove: %v, want %q", reading, removing, c.want)
			}
		})
	}
	if _, err := entry.Set(nil, entry.JSON, entry.Object{{Name: "command", Value: "\xff"}}, "a"); !isValueError(err) {
		t.Error("a value that is not valid UTF-8 was written")
	}
}

func isValueError(err error) bool {
	_, ok := errors.AsType[*entry.ValueError](err)
	return ok
}

func TestRemoveKeepsComments(t *testing.T) {
	for name, c := range map[string]struct {
		format        entry.Format
		before, after string
	}{
		"first":            {entry.JSONC, "{\"servers\": {\n  // mine\n  \"own\": {}, // here\n  \"b\": 1\n}}", "{\"servers\": {\n  // mine\n   // here\n  \"b\": 1\n}}"},
		"on a shared line": {entry.JSONC, "{\"servers\": {\n  // mine\n  \"own\": {}, \"b\": 1\n}}", "{\"servers\": {\n  // mine\n   \"b\": 1\n}}"},
		"between":          {entry.JSON, `{"servers": {"a": 1, "own": {}, "b": 2}}`, `{"servers": {"a": 1, "b": 2}}`},
		"alone":            {entry.JSON, "{\"servers\": {\n\"own\": {}\n}}", `{"servers": {}}`},
		"absent":           {entry.JSON, `{"servers": {"a": 1}}`, `{"servers": {"a": 1}}`},
		"no parent":        {entry.JSON, ``, ``},
		"TOML":             {entry.TOML, "# mine\n[servers.own]\na = 1\n# inside\nb = 2\n# next\n[servers.c]\n[servers.own.env]\nd = 1\n", "# mine\n# next\n[servers.c]\n"},
		"TOML dotted":      {entry.TOML, "[servers]\nown.a = 1 # x\nb = 2\nown.c = 3\n", "[servers]\nb = 2\n"},
		"TOML same prefix": {entry.TOML, "[servers.owner]\na = 1\n", "[servers.owner]\na = 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.after, remove(t, c.before, c.format)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Names and values with special characters are read back unchanged.
func TestSpecialCharactersRoundTrip(t *testing.T) {
	for _, odd := range []string{"", "a b", `C:\Users\me`, `it's "so"`, "tab\tand\nline", "\x7f\x01", "ключ", "<&>", "a.b", "it's \\"} {
		for _, format := range []entry.Format{entry.JSON, entry.TOML} {
			value := entry.Object{
				{Name: odd, Value: odd}, {Name: "list", Value: []string{odd}},
				{Name: "in", Value: entry.Object{{Name: odd, Value: odd}}},
			}
			text, err := entry.Set(nil, format, value, "servers", odd)
			if err != nil {
				t.Fatalf("%q: %v", odd, err)
			}
			got, _, err := entry.Get(text, format, "servers", odd)
			want := map[string]any{odd: odd, "list": []any{odd}, "in": map[string]any{odd: odd}}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q: %v %s\n%s", odd, err, diff, text)
			}
			if format == entry.JSON && !json.Valid(text) {
				t.Errorf("not valid: %s", text)
			}
		}
	}
}

// removeEntry reads a text and removes the entry at a path of keys.
func removeEntry(text []byte, format entry.Format, path ...string) ([]byte, error) {
	read, err := entry.Read(text, format)
	if err != nil {
		return nil, err
	}
	return read.Remove(path...)
}
