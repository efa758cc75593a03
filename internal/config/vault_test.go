package config

import "testing"

func TestPromptsFolder(t *testing.T) {
	for value, want := range map[string]string{
		"Prompts": "Prompts", "/notes/My prompts/": "notes/My prompts", "": "", "-": "", "off": "", "OFF": "",
	} {
		config, err := Load(Source{Flags: map[string]string{"prompts_folder": value}, Lookup: func(string) (string, bool) { return "", false }})
		if err != nil || config.Prompts != want {
			t.Errorf("%q: %q, %v", value, config.Prompts, err)
		}
	}
	for _, value := range []string{"/", ".obsidian", "a/.b", "../x", "a/../../b", "a//b", "C:\\x\x00"} {
		if config, err := Load(Source{Flags: map[string]string{"prompts_folder": value}, Lookup: func(string) (string, bool) { return "", false }}); err == nil {
			t.Errorf("%q is accepted as %q", value, config.Prompts)
		}
	}
}
