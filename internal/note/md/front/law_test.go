package front_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/testkit/mode"
)

type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// parts are properties in all styles that people and programs use.
var parts = []string{
	"plain: text", "n: 007", "zip: 1.10", "date: 2026-03-16", "yes: yes", "empty:", "empty2: ", "quoted: \"a: b\"", "single: 'it''s'",
	"spaced:    x   # why", "list:\n  - a\n  - b # second", "zero:\n- a\n- \"b\"", "deep:\n      - a", "flow: [a, b , 'c d']  # f", "none: []",
	"map:\n  k: v\n  l:\n    - 1", "inline: {k: v, n: {m: 1}}", "lit: |\n  x\n   y\n\n  z", "keep: |+\n  x\n\n", "fold: >-\n  p\n  q",
	"multi: one\n  two\n  three", "dq: \"one\n  two\"", "link: \"[[A]]\"", "links:\n  - \"[[A|b]]\"\n  - '[[C#d]]'", "\"key: odd\": 1", "? complex\n: v",
	"anchor: &a x", "ключ: значение", "emoji 🎉: ok", "null1: ~", "t: TRUE", "tags: [one, two]", "aliases: Solo", "# a comment", "", "  ",
	"url: http://a.b/c#d", "seqmap:\n  - k: v\n    l: w\n  - k: z", "long: " + "word word word word word word word word word word word word word word",
}

var values = []string{
	`"text"`, `""`, `"a: b"`, `"[[Note]]"`, `"007"`, `"true"`, `" x "`, `"it's"`, `"l1\nl2"`, `"l1\n\n l2\n"`, `"x\n\n\n"`, `"tab\there"`, `"# no"`, `"- x"`, `"x:"`,
	`"é🎉"`, `"\u0085"`, `1`, `1.50`, `-0`, `1e3`, `true`, `null`, `[]`, `["a","b"]`, `["[[A]]",1,null,""]`, `{}`, `{"k":"v","l":["x"]}`, `[["a"],{"b":1}]`, `["l1\nl2"]`,
	`"\""`, `"\\"`, `"@x"`, `"%x"`, `"{{date}}"`, `"a, b"`, `"~"`, `"..."`, `"---"`, `"2020-08-21"`, `"0x1F"`, `"a\u2028b"`, `"\ufeff"`, `"\r\n"`,
}

// drawNote returns a note with random properties.
func drawNote(t *rapid.T) string {
	lines := rapid.SliceOfNDistinct(rapid.SampledFrom(parts), 0, 8, func(p string) string { return p }).Draw(t, "parts")
	block := "---\n"
	if len(lines) > 0 {
		block += strings.Join(lines, "\n") + "\n"
	}
	src := block + "---\n" + rapid.SampledFrom([]string{"", "body\n", "\n\n# T\n---\na: 1\n---\n", "no end"}).Draw(t, "body")
	if rapid.Bool().Draw(t, "crlf") {
		src = strings.ReplaceAll(src, "\n", "\r\n")
	}
	if rapid.Bool().Draw(t, "bom") {
		src = "\ufeff" + src
	}
	return src
}

// checkSet sets a property and checks everything that must hold afterwards.
func checkSet(t reporter, src, key string, value front.Value) {
	t.Helper()
	note := md.Scan([]byte(src))
	block, err := front.Parse(note)
	if err != nil {
		return
	}
	old, had := block.Get(key)
	splices, err := block.Set(key, value)
	if err != nil {
		return
	}
	changed := string(md.Apply(note.Source, splices))
	after, err := front.Parse(md.Scan([]byte(changed)))
	if err != nil {
		t.Fatalf("set %q in %q: the result %q is invalid: %v", key, src, changed, err)
	}
	if got, ok := after.Get(key); !ok || !got.Equal(value) {
		t.Fatalf("set %q to %+v in %q: the result %q has the value %+v", key, value, src, changed, got)
	}
	if had && old.Equal(value) && changed != src {
		t.Fatalf("setting the current value changed %q to %q", src, changed)
	}
	checkOthers(t, src, key, block, after)
	if body := src[note.Body:]; !strings.HasSuffix(changed, body) {
		t.Fatalf("setting a property changed the body of %q: %q", src, changed)
	}
	if !had && !(note.Front.Present && block.Empty()) {
		back, err := after.Remove(key)
		if err != nil {
			t.Fatalf("remove %q from %q: %v", key, changed, err)
		}
		if restored := string(md.Apply([]byte(changed), back)); restored != src {
			t.Fatalf("setting and removing %q turned\n%q into\n%q via\n%q", key, src, restored, changed)
		}
	}
}

// checkOthers checks that all other properties are unchanged and in the same order.
func checkOthers(t reporter, src, key string, before, after *front.Block) {
	t.Helper()
	rest := func(block *front.Block) (fields []front.Field) {
		for _, field := range block.Fields() {
			if !strings.EqualFold(field.Key, key) {
				fields = append(fields, field)
			}
		}
		return fields
	}
	a, b := rest(before), rest(after)
	if len(a) != len(b) {
		t.Fatalf("%q: %d other properties became %d", src, len(a), len(b))
	}
	for i := range a {
		if a[i].Key != b[i].Key || !a[i].Value.Equal(b[i].Value) {
			t.Fatalf("%q: %+v became %+v", src, a[i], b[i])
		}
	}
}

func mustValue(t reporter, text string) front.Value {
	t.Helper()
	value, err := front.FromJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

var keys = []string{
	"new", "list", "flow", "plain", "lit", "map", "a: b", "123", "- x", "Tags", "ключ", "empty", "empty2", "multi", "dq",
	"keep", "spaced", "zero", "anchor", "seqmap", "links",
}

func TestSetLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawNote(t)
		checkSet(t, src, rapid.SampledFrom(keys).Draw(t, "key"), mustValue(t, rapid.SampledFrom(values).Draw(t, "value")))
	})
}

// TestSetEveryValueEverywhere sets every value for every property in every style. The plain run and -short take every third
// and every tenth value, starting with a different one for each property.
func TestSetEveryValueEverywhere(t *testing.T) {
	t.Parallel()
	step := mode.Pick(3, 1, 1)
	if testing.Short() {
		step = 10
	}
	for i, part := range parts {
		src := "---\nfirst: 1\n" + part + "\nlast: 2 # end\n---\nbody\n"
		block, err := front.Parse(md.Scan([]byte(src)))
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		for _, field := range append(block.Fields(), front.Field{Key: "new"}) {
			for j := i % step; j < len(values); j += step {
				text := values[j]
				value := mustValue(t, text)
				if _, err := block.Set(field.Key, value); err != nil && field.Key != "complex" {
					t.Errorf("set %q to %s in %q: %v", field.Key, text, src, err)
				}
				checkSet(t, src, field.Key, value)
			}
		}
	}
}

// TestAddingAndRemovingAnItemRestoresTheNote also checks that AddItem changes no other property.
func TestAddingAndRemovingAnItemRestoresTheNote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawNote(t)
		note := md.Scan([]byte(src))
		block, err := front.Parse(note)
		if err != nil {
			return
		}
		key := rapid.SampledFrom([]string{"list", "zero", "deep", "flow", "tags", "links", "seqmap"}).Draw(t, "key")
		item := front.TextValue(rapid.SampledFrom([]string{"new", "a: b", "x, y", "[[N]]", "it's", "007"}).Draw(t, "item"))
		before, had := block.Get(key)
		splices, err := block.AddItem(key, item)
		if err != nil {
			t.Fatalf("add to %q in %q: %v", key, src, err)
		}
		changed := md.Apply(note.Source, splices)
		after, err := front.Parse(md.Scan(changed))
		if err != nil {
			t.Fatalf("add to %q in %q: %q: %v", key, src, changed, err)
		}
		if now, _ := after.Get(key); len(now.Items) != len(before.Items)+1 {
			t.Fatalf("add to %q in %q: %q", key, src, changed)
		}
		checkOthers(t, src, key, block, after)
		if !had {
			return
		}
		back, err := after.RemoveItems(key, item.Equal)
		if err != nil {
			t.Fatalf("remove from %q in %q: %v", key, changed, err)
		}
		if restored := string(md.Apply(changed, back)); restored != src {
			t.Fatalf("adding to and removing from %q turned\n%q into\n%q via\n%q", key, src, restored, changed)
		}
	})
}

func FuzzSet(f *testing.F) {
	for i, part := range parts {
		f.Add("---\n"+part+"\n---\nbody\n", keys[i%len(keys)], values[i%len(values)])
	}
	f.Add("---\n{\"a\": 1, \"b\": [1]}\n---\n", "a", "2")
	f.Add("no frontmatter\r\n", "a", "{}")
	f.Fuzz(func(t *testing.T, src, key, value string) {
		parsed, err := front.FromJSON([]byte(value))
		if err != nil || !json.Valid([]byte(value)) {
			parsed = front.TextValue(value)
		}
		checkSet(t, src, key, parsed)
	})
}

func FuzzLinks(f *testing.F) {
	for _, part := range parts {
		f.Add("---\n" + part + "\n---\n")
	}
	f.Add("---\na: \"x [[B \\\"c\\\"]] [d](e%20f)\"\nb: see [[C]]\n---\n")
	f.Fuzz(func(t *testing.T, src string) {
		note := md.Scan([]byte(src))
		block, err := front.Parse(note)
		if err != nil {
			return
		}
		for _, link := range block.Links() {
			inner := link.Dest
			if link.Folded {
				if inner.End > len(link.Value.Text) {
					t.Fatalf("link %+v of %q is outside its text", link, src)
				}
				continue
			}
			if inner.Start < link.Value.Start || inner.End > link.Value.End || link.Value.End > note.Front.YAML.End {
				t.Fatalf("link %+v of %q is outside its value", link, src)
			}
		}
	})
}
