package entry_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/install/entry"
)

// hollow is a pair of braces whose white space is not remembered.
var hollow = regexp.MustCompile(`\{[ \t\r\n]*\}`)

// FuzzJSON: any text is either refused or edited by the laws; what is valid is
// what encoding/json finds valid.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"servers":{"a":{}}}`, "{\n  \"servers\": { /* c */ },\n}", "// x\n{\"servers\":{\"own\":{\"command\":1}}}", `{"servers":{"a":1,}}`,
		"{\"servers\":{// x\r}}", `{"a":[1,{"b":null}],"servers":{ }}`, "\ufeff{}", `{"servers":{"a":"\ud800"}}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, comments bool) {
		format := entry.JSON
		if comments {
			format = entry.JSONC
		}
		_, found, err := entry.Get([]byte(text), format, "servers", "own")
		bare := strings.TrimPrefix(text, "\ufeff")
		if !comments && strings.Trim(bare, " \t\r\n") != "" && strings.Count(text, "[")+strings.Count(text, "{") < 1000 {
			if err == nil && !json.Valid([]byte(bare)) || err != nil && strings.Contains(err.Error(), "not valid JSON") && json.Valid([]byte(bare)) {
				t.Fatalf("%v, but valid is %v: %q", err, json.Valid([]byte(bare)), text)
			}
		}
		edited(t, text, format, found, func(restored string) bool {
			parent, had, _ := entry.Get([]byte(text), format, "servers")
			_, isObject := parent.(map[string]any)
			return !had || !isObject || hollow.ReplaceAllString(restored, "{}") == hollow.ReplaceAllString(text, "{}")
		})
	})
}

// FuzzTOML: any text is either refused or edited by the laws.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"a = 1", "[servers.own]\ncommand = 'x'\n", "servers.own.a = 1\n", "[servers]\nown = {}\n", "[[servers.own.x]]\n", "a = \"\"\"\n\"\"\"\"\n",
		"[servers.own.env]\nA = 1\n[b]\n[servers.own]\n", "\ufeffa = [\n# ]\n]\r\n", "servers = {}\n", "[a]\nb.c = 1\n[servers . \"own\"]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, found, _ := entry.Get([]byte(text), entry.TOML, "servers", "own")
		edited(t, text, entry.TOML, found, func(restored string) bool { return restored == text })
	})
}

// edited checks what holds for any text that can be edited.
func edited(t *testing.T, text string, format entry.Format, found bool, isRestored func(string) bool) {
	changed, err := entry.Set([]byte(text), format, server, "servers", "own")
	if err != nil {
		return
	}
	value, there, err := entry.Get(changed, format, "servers", "own")
	if err != nil || !there || len(value.(map[string]any)) != len(server) {
		t.Fatalf("%v, %v after\n%q\n%q", value, err, text, changed)
	}
	again, err := entry.Set(changed, format, server, "servers", "own")
	if err != nil || string(again) != string(changed) {
		t.Fatalf("set twice: %v\n%q\n%q", err, changed, again)
	}
	removed, err := removeEntry(changed, format, "servers", "own")
	if err != nil {
		t.Fatalf("%v: %q", err, changed)
	}
	if _, still, err := entry.Get(removed, format, "servers", "own"); still || err != nil {
		t.Fatalf("%v, %v after removing: %q", still, err, removed)
	}
	if !found && !isRestored(string(removed)) {
		t.Fatalf("set and removed:\n%q\n%q\n%q", text, changed, removed)
	}
}

// TestRandomConfigurations: others' entries keep their bytes whatever stands
// between them.
func TestRandomConfigurations(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(r, "newline")
		gap := rapid.SampledFrom([]string{"", " ", newline, newline + "  ", newline + "\t", " // note" + newline, "/* a, } */", newline + newline})
		around := func(what string) string { return gap.Draw(r, "gap") + what + gap.Draw(r, "gap") }
		value := rapid.SampledFrom([]string{`{}`, `{ "command": "x", }`, `[1, 2,]`, `"}, \" {"`, `null`, `-1.5e3`})
		object := func(names []string, values func(string) string) string {
			var members []string
			for _, name := range names {
				members = append(members, around(`"`+name+`"`)+":"+around(values(name)))
			}
			text := strings.Join(members, ",")
			if len(members) > 0 && rapid.Bool().Draw(r, "comma") {
				text += ","
			}
			return "{" + text + gap.Draw(r, "gap") + "}"
		}
		plain := func(string) string { return value.Draw(r, "value") }
		servers := object(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(r, "servers"), plain)
		text := around(object([]string{"x", "servers", "y"}, func(name string) string {
			if name == "servers" {
				return servers
			}
			return plain(name)
		}))
		after, err := entry.Set([]byte(text), entry.JSONC, server, "servers", "own")
		if err != nil {
			r.Fatalf("%v in %q", err, text)
		}
		restored, err := removeEntry(after, entry.JSONC, "servers", "own")
		if err != nil || hollow.ReplaceAllString(string(restored), "{}") != hollow.ReplaceAllString(text, "{}") {
			r.Fatalf("%v\n%q\n%q\n%q", err, text, after, restored)
		}
	})
}
