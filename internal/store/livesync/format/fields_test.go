package format_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
)

var documentTexts = []string{
	`{}`, ` { } `, `{"a":1}`, "\t{ \"a\" : -1.5e3 ,\n\"b\" : true}\r\n", `{"a":null,"a":[1,{"x":"]}"}],"b":"}"}`, `{"a":"\"","b":"\\","c":"\\\"}"}`,
	`{"_id":"h:1","\u0064ata":"x","e_":true}`, `{"data":"é\u00e9","":"empty"}`, `{"a":{"b":{"c":[[],{}]}},"d":0}`, "{\"data\":\"\xff\"}", "{\"\xff\":1}",
	``, `null`, `[]`, `7`, `{"a":1,}`, `{"a"}`, `{"a":1`, `{"a":"x}`, `{}{}`, `"{}"`,
}

// sameFields compares our parser with encoding/json.
func sameFields(t *testing.T, raw []byte) {
	t.Helper()
	var want map[string]json.RawMessage
	wantErr := json.Unmarshal(raw, &want)
	got, err := format.Fields(raw)
	if (err == nil) != (wantErr == nil && want != nil) {
		t.Fatalf("%q: %v, but encoding/json returns %v", raw, err, wantErr)
	}
	if err != nil {
		return
	}
	if len(got) != len(want) {
		t.Fatalf("%q: %d fields, want %d", raw, len(got), len(want))
	}
	for key, value := range want {
		if !bytes.Equal(got[key], value) {
			t.Errorf("%q: %q is %q, want %q", raw, key, got[key], value)
		}
		var text string
		wantErr := json.Unmarshal(value, &text)
		if read, err := format.ReadText(raw, key); (err == nil) != (wantErr == nil) || read != text {
			t.Errorf("%q: the text %q is %q, %v, want %q", raw, key, read, err, text)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	for _, raw := range documentTexts {
		sameFields(t, []byte(raw))
	}
}

func FuzzFields(f *testing.F) {
	for _, raw := range documentTexts {
		f.Add([]byte(raw))
	}
	f.Fuzz(sameFields)
}
