package entry_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/install/entry"
)

// emptyBraces matches braces whose white space Remove does not restore.
var emptyBraces = regexp.MustCompile(`\{[ \t\r\n]*\}`)

// Any text is either refused or edited correctly, and the parser agrees with encoding/json on what is valid.
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
			valid, invalid := json.Valid([]byte(bare)), err != nil && strings.Contains(err.Error(), "not valid JSON")
			if err == nil && !valid || invalid && valid {
				t.Fatalf("error %v, but json.Valid is %v: %q", err, valid, text)
			}
		}
		checkEdit(t, text, format, found, func(restored string) bool {
			parent, had, _ := entry.Get([]byte(text), format, "servers")
			_, isObject := parent.(map[string]any)
			return !had || !isObject || emptyBraces.ReplaceAllString(restored, "{}") == emptyBraces.ReplaceAllString(text, "{}")
		})
	})
}

// Any text is either refused or edited correctly.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"a = 1", "[servers.own]\ncommand = 'x'\n", "servers.own.a = 1\n", "[servers]\nown = {}\n", "[[servers.own.x]]\n", "a = \"\"\"\n\"\"\"\"\n",
		"[servers.own.env]\nA = 1\n[b]\n[servers.own]\n", "\ufeffa = [\n# ]\n]\r\n", "servers = {}\n", "[a]\nb.c = 1\n[servers . \"own\"]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, found, _ := entry.Get([]byte(text), entry.TOML, "servers", "own")
		checkEdit(t, text, entry.TOML, found, func(restored string) bool { return restored == text })
	})
}

// checkEdit checks what must hold for any text that can be edited.
func checkEdit(t *testing.T, text string, format entry.Format, found bool, isRestored func(string) bool) {
	changed, err := entry.Set([]byte(text), format, server, "servers", "own")
	if err != nil {
		return
	}
	value, isSet, err := entry.Get(changed, format, "servers", "own")
	if err != nil || !isSet || len(value.(map[string]any)) != len(server) {
		t.Fatalf("%v, %v after\n%q\n%q", value, err, text, changed)
	}
	again, err := entry.Set(changed, format, server, "servers", "own")
	if err != nil || string(again) != string(changed) {
		t.Fatalf("setting it again changed the text: %v\n%q\n%q", err, changed, again)
	}
	removed, err := removeEntry(changed, format, "servers", "own")
	if err != nil {
		t.Fatalf("remove: %v in %q", err, changed)
	}
	if _, still, err := entry.Get(removed, format, "servers", "own"); still || err != nil {
		t.Fatalf("found after removing: %v, %v in %q", still, err, removed)
	}
	if !found && !isRestored(string(removed)) {
		t.Fatalf("removing did not restore the text\nbefore  %q\nset     %q\nremoved %q", text, changed, removed)
	}
}

// Other entries keep their bytes, whatever white space and comments are around them.
func TestOtherEntriesKeepTheirBytes(t *testing.T) {
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
		if err != nil || emptyBraces.ReplaceAllString(string(restored), "{}") != emptyBraces.ReplaceAllString(text, "{}") {
			r.Fatalf("%v\n%q\n%q\n%q", err, text, after, restored)
		}
	})
}
