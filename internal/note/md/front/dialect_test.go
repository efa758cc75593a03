package front_test

import (
	"encoding/json"
	"errors"
	"testing"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

func TestYAMLIsReadAsObsidianReadsIt(t *testing.T) {
	for src, want := range map[string]string{
		"a: [What is this?, ?b, c ? d]":              `{"a":["What is this?","?b","c ? d"]}`,
		"a: {k?: v}":                                 `{"a":{"k?":"v"}}`,
		"?x: 1\ny: why?":                             `{"?x":1,"y":"why?"}`,
		"a: 1\n\t\nb: 2\n\t# c\nl:\n-\tx":            `{"a":1,"b":2,"l":["x"]}`,
		"a: x\u2028y # c\u2029d\nb: \"p\u0085q\"":    `{"a":"x\u2028y","b":"p\u0085q"}`,
		`{"a": "\ud83d\ude00 \/x", "b": "c?"}`:       `{"a":"😀 /x","b":"c?"}`,
		`a: "x\/y \ud83d\ude00"`:                     `{"a":"x/y 😀"}`,
		`a: 'p\/q' # \ud83d\ude00`:                   `{"a":"p\\/q"}`,
		"t: Why?\nl: \"p\\x5eq\"":                    `{"t":"Why?","l":"p^q"}`,
		`{"a": "x\u005ey", "b": "\u003b\/"}`:         `{"a":"x^y","b":";/"}`,
		"l:\n  - \tx\n  -\t\ty":                      `{"l":["x","y"]}`,
		"a: x # c^;$()+=/._\nl: [Why?]":              `{"a":"x","l":["Why?"]}`,
		`a: x\/y`:                                    `{"a":"x\\/y"}`,
		"n: 0xFFFFFFFFFFFFFFFFFF\no: 0o14\nf: 1e400": `{"n":4722366482869645000000,"o":12,"f":null}`,
		"a: ~\nb: 1_000\nc: 12:30\nd: +.5\ne: -0":    `{"a":null,"b":"1_000","c":"12:30","d":0.5,"e":0}`,
		"a: <<\nb: =\nc: y":                          `{"a":"<<","b":"=","c":"y"}`,
	} {
		block, err := front.Parse(md.Scan([]byte("---\n" + src + "\n---\n")))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		got, _ := json.Marshal(front.Value{Kind: front.Map, Fields: block.Fields()})
		var gotValue, wantValue any
		if json.Unmarshal(got, &gotValue) != nil || json.Unmarshal([]byte(want), &wantValue) != nil {
			t.Fatalf("%q: %s", src, got)
		}
		a, _ := json.Marshal(gotValue)
		b, _ := json.Marshal(wantValue)
		if string(a) != string(b) {
			t.Errorf("%q is read as %s, want %s", src, a, b)
		}
	}
}

func TestInvalidYAMLIsReportedWithItsLine(t *testing.T) {
	for src, line := range map[string]int{
		" title: x\ntags: [t]": 3, "{a: 1}\nb: 2": 3, "{a: 1} b": 0, "a: 1\n...\nb: 2": 3, "%YAML 1.2\n": 2,
		"a: 1\na: 2": 3,
		"a: @x":      2, "a:\n\t- x": 0, "a: \"x": 0, "- a": 2, "word": 2, "a: *x": 0, "a: !x y": 2, "a: b: c": 2, "a: [x]] y": 0,
	} {
		_, err := front.Parse(md.Scan([]byte("---\n" + src + "\n---\n")))
		invalid, ok := errors.AsType[*front.Invalid](err)
		if !ok {
			t.Errorf("%q: %v, want an Invalid error", src, err)
			continue
		}
		if line > 0 && invalid.Line != line {
			t.Errorf("%q: the error is on line %d, want %d: %v", src, invalid.Line, line, err)
		}
	}
}
