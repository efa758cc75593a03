package format_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

func TestRemoteRefusals(t *testing.T) {
	t.Parallel()
	version := func(number string) string { return `{"type":"versioninfo","version":` + number + `}` }
	for name, c := range map[string]struct {
		version, milestone, parameters, node string
		want                                 string // "" if it may be written
	}{
		"no documents":               {},
		"the current version":        {version: version("12")},
		"an older version":           {version: version("10")},
		"a version that is too old":  {version: version("9"), want: "version 9, which is too old"},
		"a newer version":            {version: version("13"), want: "version 13, and this release supports at most 12"},
		"a wrong type":               {version: `{"type":"x","version":12}`, want: "the wrong type"},
		"locked":                     {milestone: `{"locked":true,"accepted_nodes":["a"]}`, want: "locked: a device has rebuilt"},
		"locked, and no node name":   {milestone: `{"locked":true,"accepted_nodes":[""]}`, want: "locked"},
		"locked, and accepted":       {milestone: `{"locked":true,"accepted_nodes":["a"]}`, node: "a"},
		"locked, and not accepted":   {milestone: `{"locked":true,"accepted_nodes":["a"]}`, node: "b", want: "locked"},
		"cleaned":                    {milestone: `{"locked":true,"cleaned":true,"accepted_nodes":[]}`, want: "chunks were cleaned"},
		"chunks that agree":          {milestone: `{"accepted_nodes":["a"],"node_chunk_info":{"a":{"min":0,"max":2400,"current":2}}}`},
		"chunks from the future":     {milestone: `{"accepted_nodes":["a"],"node_chunk_info":{"a":{"min":2401,"max":9999}}}`, want: "another version"},
		"chunks of an unused device": {milestone: `{"accepted_nodes":["b"],"node_chunk_info":{"a":{"min":2401,"max":9999}}}`},
		"a newer protocol":           {parameters: `{"protocolVersion":3,"pbkdf2salt":""}`, want: "protocol 3"},
	} {
		remote, err := format.ParseRemote(bytesOf(c.version), bytesOf(c.milestone), bytesOf(c.parameters))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err = remote.Writable(c.node)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (!errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), c.want) || fault.HintOf(err) == ""):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func bytesOf(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

func TestDamagedRemote(t *testing.T) {
	t.Parallel()
	for _, documents := range [][3]string{
		{"[]"}, {`{"type":"versioninfo","version":"12"}`}, {"", `{"locked":1}`}, {"", `{"tweak_values":{"PREFERRED":{"encrypt":"yes"}}}`},
		{"", "", `{"pbkdf2salt":"*"}`}, {"", "", `{"pbkdf2salt":5}`}, {"", "", "null"},
	} {
		if _, err := format.ParseRemote(bytesOf(documents[0]), bytesOf(documents[1]), bytesOf(documents[2])); !errors.Is(err, fault.StoreUnavailable) {
			t.Errorf("%q: %v", documents, err)
		}
	}
}

func TestNewDocuments(t *testing.T) {
	t.Parallel()
	salt := make([]byte, 32)
	first, err := format.NewParameters(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := format.NewParameters([]byte(`{"_rev":"0-1","more":1,`+string(first[1:])), salt)
	if err != nil || !strings.Contains(string(second), `"_rev":"0-1"`) || !strings.Contains(string(second), `"more":1`) {
		t.Fatalf("%s, %v", second, err)
	}
	if _, err := format.NewParameters(second, salt); !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("a salt was replaced: %v", err)
	}
	remote, err := format.ParseRemote(format.NewVersion(), nil, second)
	if err != nil || remote.Version != 12 || len(remote.Salt) != 32 || remote.Writable("") != nil {
		t.Errorf("%+v, %v", remote, err)
	}
}

// TestNewMilestone checks that the milestone of a new database states the settings we write with, and all settings that
// a device compares with its own.
func TestNewMilestone(t *testing.T) {
	t.Parallel()
	settings := everySetting()
	settings["large chunks"] = format.Settings{Algorithm: format.EncryptV2, Split: format.SplitRule{CustomChunkSize: 60, MinimumChunkSize: 40}}
	for name, settings := range settings {
		remote, err := format.ParseRemote(format.NewVersion(), format.NewMilestone(settings, now), nil)
		if err != nil || !remote.Stated || remote.Created != now || remote.Writable("") != nil {
			t.Fatalf("%s: %+v, %v", name, remote, err)
		}
		if got := format.Configure(remote, newSurvey(), pass); got != settings {
			t.Errorf("%s: %+v, want %+v", name, got, settings)
		}
	}
	type milestone struct {
		Tweaks map[string]map[string]any `json:"tweak_values"`
	}
	var written milestone
	defaults := format.Configure(format.Remote{}, newSurvey(), "")
	if err := json.Unmarshal(format.NewMilestone(defaults, now), &written); err != nil {
		t.Fatal(err)
	}
	devices := load[map[string]milestone](t, "fixtures/plain/local_docs.json")[format.MilestoneID].Tweaks["PREFERRED"]
	for key, value := range written.Tweaks["PREFERRED"] {
		if devices[key] != value {
			t.Errorf("%s is %v, but %v on devices", key, value, devices[key])
		}
	}
	if got := len(written.Tweaks["PREFERRED"]); got != 18 {
		t.Errorf("%d settings are stated, but devices compare 18", got)
	}
}

func TestEmptySurvey(t *testing.T) {
	t.Parallel()
	for raw, empty := range map[string]bool{
		`{"_id":"obsydian_livesync_version","type":"versioninfo"}`: true, `{"_id":"_design/x"}`: true, `{"_id":"x","type":"strange"}`: true, `[]`: true,
		`{"_id":"a.md","type":"plain","path":"a.md"}`: false, `{"_id":"a.md","type":"plain","path":7}`: false, `{"_id":"h:1","type":"leaf"}`: false,
		`{"_id":"i:.x/a.json","type":"newnote"}`: false, `{"_id":"f:00","type":"plain","path":"%"}`: false,
	} {
		var seen format.Survey
		if seen.Add([]byte(raw)); seen.Empty() != empty {
			t.Errorf("%s: empty is %v", raw, seen.Empty())
		}
	}
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	read := func(version, tweaks string) format.Settings {
		t.Helper()
		remote, err := format.ParseRemote([]byte(`{"type":"versioninfo","version":`+version+`}`), []byte(`{"tweak_values":{"PREFERRED":`+tweaks+`}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		return format.Configure(remote, newSurvey(), "")
	}
	if got := read("12", `{}`); got != (format.Settings{Algorithm: format.EncryptV2, HashAlg: format.XXHash64, Split: format.SplitRule{MinimumChunkSize: 20}}) {
		t.Errorf("defaults: %+v", got)
	}
	if got := read("10", `{"encrypt":true}`); got.Algorithm != format.EncryptV1 {
		t.Errorf("a database of old plugins would be written in %q", got.Algorithm)
	}
	if got := read("12", `{"customChunkSize":1e300,"minimumChunkSize":-5}`); got.Split.CustomChunkSize > 1000 || got.Split.MinimumChunkSize != 0 {
		t.Errorf("%+v", got.Split)
	}
}

func TestCodecRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options format.Options
		made    bool
		kind    fault.Kind
	}{
		"no passphrase":           {options: format.Options{Settings: format.Settings{Encrypt: true}}, kind: fault.InvalidArgument},
		"no passphrase for paths": {options: format.Options{Settings: format.Settings{ObfuscatePaths: true}}, kind: fault.InvalidArgument},
		"no salt":                 {options: format.Options{Settings: format.Settings{Encrypt: true, Algorithm: format.EncryptV2}, Passphrase: pass}, made: true, kind: fault.StoreUnavailable},
		"an unknown encryption":   {options: format.Options{Settings: format.Settings{Encrypt: true, Algorithm: "v9"}, Passphrase: pass, Salt: make([]byte, 32)}, made: true, kind: fault.PermissionDenied},
		"an unknown chunk hash":   {options: format.Options{Settings: format.Settings{HashAlg: "md5"}}, made: true, kind: fault.PermissionDenied},
	} {
		codec, err := format.NewCodec(c.options)
		if c.made {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if _, err = codec.Write(nil, format.Change{Path: "a.md"}); err != codec.Writable() {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
}

func TestDevices(t *testing.T) {
	for milestone, want := range map[string][]format.Device{
		`{}`: nil, `{"node_info":[]}`: nil, `{"node_info":null}`: nil, `{"node_info":{"a":7,"b":{"device_name":"B"}}}`: nil,
		`{"node_info":{"b":{"device_name":"Phone","plugin_version":"1.0.16","app_version":"1.8.9"},"c":{"plugin_version":"0.25.36"},"a":{"device_name":"Tablet","plugin_version":"1"}}}`: {
			{Name: "Phone", Plugin: "1.0.16", App: "1.8.9"}, {Name: "Tablet", Plugin: "1"}, {Name: "c", Plugin: "0.25.36"},
		},
	} {
		remote, err := format.ParseRemote(nil, []byte(milestone), nil)
		if got := remote.Devices(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", milestone, got, err)
		}
	}
}
