package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"obsidian-mcp/internal/wire"
)

func TestCheckAcceptsOnlyUnambiguousJSON(t *testing.T) {
	for _, good := range []string{
		`null`, ` true `, `-0`, `0.5e-3`, `"a\u00e9\ud83d\ude00"`, `"é字😀"`,
		`[]`, `{}`, `[1,{"a":[{"a":1}]}]`, `{"a":1,"A":2,"ſ":3}`, "\t{\r\n}\n",
		strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth),
	} {
		if err := wire.Check([]byte(good)); err != nil {
			t.Errorf("Check(%.40s) = %v", good, err)
		}
	}
	for _, bad := range []string{
		``, ` `, `01`, `1.`, `.5`, `+1`, `1e`, `NaN`, `nul`,
		`"`, `"\x"`, `"\u12g4"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00"`, "\"\x01\"", "\"\xff\"", "\"\xc0\xaf\"",
		`[1,]`, `[,1]`, `{"a":1,}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{a:1}`, `{'a':1}`, `{"a" 1}`, `[1 2]`,
		`1 2`, `{}{}`, `/**/1`, "\ufeff{}",
		strings.Repeat("[", wire.MaxDepth+2) + strings.Repeat("]", wire.MaxDepth+2), strings.Repeat("[", 100000),
	} {
		if err := wire.Check([]byte(bad)); err == nil {
			t.Errorf("Check accepts %.40s", bad)
		}
	}
}

// FuzzCheck checks that Check never accepts what encoding/json rejects.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e3,"\u00e9"]}`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, `[[[]]]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if wire.Check(data) == nil && !json.Valid(data) {
			t.Errorf("Check accepts %q, which encoding/json rejects", data)
		}
	})
}
