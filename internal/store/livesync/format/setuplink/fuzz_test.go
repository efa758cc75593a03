package setuplink

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// FuzzOpen reads any text and any settings: nothing panics, and every refusal says what to do.
func FuzzOpen(f *testing.F) {
	f.Add("obsidian://setuplivesync?settings=%25%24abc", `{"couchDB_URI":"https://c","couchDB_DBNAME":"d"}`)
	f.Add("obsidian://setuplivesync?settingsQR=x&settings", `{"remoteConfigurations":{"a":{"uri":"sls+https://u:p@h/p?db=d"}},"activeConfigurationId":"a"}`)
	f.Add("<[\"\",\"\",\"\"]>", `{"remoteConfigurations":{"a":{"uri":"sls+http://%/"}},"activeConfigurationId":"a","remoteType":1}`)
	f.Add("%25%25%25", `null`)
	cheap := func(string, string, int) ([]byte, error) { return make([]byte, 32), nil }
	f.Fuzz(func(t *testing.T, text, settings string) {
		_, err := Open(text, Options{Passphrase: "pw", DeriveKey: cheap})
		if err != nil && fault.HintOf(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
		link, err := parse([]byte(settings), "")
		switch {
		case err != nil && fault.HintOf(err) == "":
			t.Errorf("%q: %v", settings, err)
		case err == nil && (link.Remote.URL == "" || link.Remote.Database == ""):
			t.Errorf("%q leads nowhere", settings)
		}
		sealed, err := format.NewCipher(format.CipherOptions{Passphrase: "pw", DeriveKey: cheap}).SealSettings(settings)
		if err != nil {
			t.Skip("not a text")
		}
		found, err := extract(prefix + escape(sealed))
		if err != nil || found != sealed || strings.ContainsAny(escape(sealed), " +/=$") {
			t.Errorf("%q is read as %q, %v", sealed, found, err)
		}
	})
}
