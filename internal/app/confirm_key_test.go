package app

import (
	"bytes"
	"testing"

	"obsidian-mcp/internal/config"
)

// All servers of a database share its key, whatever their state folder; other servers have other keys.
func TestConfirmKeyIsSharedByTheServersOfADatabase(t *testing.T) {
	t.Parallel()
	database := config.LiveSync{URL: "http://a", Database: "notes", User: "u", Password: "p", Passphrase: "x"}
	key := func(state string, settings config.LiveSync) []byte {
		if !settings.Configured() {
			return confirmKey(openedStore{}, state)
		}
		return confirmKey(openedLiveSync(nil, config.Config{LiveSync: settings}), state)
	}
	here, there := t.TempDir(), t.TempDir()
	shared := key(here, database)
	elsewhere := database
	elsewhere.URL = "https://b/couchdb"
	if !bytes.Equal(shared, key(there, elsewhere)) || len(shared) != 32 {
		t.Error("two servers of one database have different keys")
	}
	for name, change := range map[string]func(*config.LiveSync){
		"database":   func(l *config.LiveSync) { l.Database = "other" },
		"password":   func(l *config.LiveSync) { l.Password = "q" },
		"passphrase": func(l *config.LiveSync) { l.Passphrase = "" },
		"boundary":   func(l *config.LiveSync) { l.Password, l.Passphrase = "px", "" },
	} {
		other := database
		change(&other)
		if bytes.Equal(shared, key(here, other)) {
			t.Errorf("another %s has the same key", name)
		}
	}
	open := config.LiveSync{URL: "http://a", Database: "notes"}
	for name, settings := range map[string]config.LiveSync{
		"a folder": {}, "a folder beside a passphrase": {Passphrase: "x"}, "a database without secrets": open,
	} {
		if stored := key(here, settings); !bytes.Equal(stored, key(here, settings)) || bytes.Equal(stored, key(there, settings)) {
			t.Errorf("%s: the key is not that of the state folder", name)
		}
	}
}
