package setuplink

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// Device is what a new device needs to join a database.
type Device struct {
	URL, Database string
	User          string
	Password      format.Passphrase
	Passphrase    format.Passphrase // of the vault; "" if there is none
	Shared        map[string]any    // the settings that all devices of the database share, by the plugin's names
}

// profileID names the remote on the device. The plugin generates such ids by chance; any text will do.
const profileID = "remote-obsidian-mcp"

// settingsVersion is the version of the plugin's settings since 0.24.
const settingsVersion = 10

// Make makes a link, encrypted with a passphrase of its own.
func Make(d Device, o Options, random io.Reader) (string, error) {
	if o.Passphrase == "" {
		return "", fault.InvalidArgument.Errorf("the link needs a passphrase")
	}
	plain, err := d.settings()
	if err != nil {
		return "", err
	}
	sealer := format.NewCipher(format.CipherOptions{Passphrase: o.Passphrase, Random: random, DeriveKey: o.DeriveKey})
	sealed, err := sealer.SealSettings(string(plain))
	if err != nil {
		return "", fault.Internal.Errorf("the link cannot be encrypted: %w", err)
	}
	return prefix + escape(sealed), nil
}

// settings returns the plugin's settings. How the device syncs is as in links that the plugin's own script makes for a new
// server; its user may change that.
func (d Device) settings() ([]byte, error) {
	all := map[string]any{
		"isConfigured": true, "settingVersion": settingsVersion, "remoteType": remoteCouchDB,
		"couchDB_URI": d.URL, "couchDB_DBNAME": d.Database, "couchDB_USER": d.User, "couchDB_PASSWORD": string(d.Password),
		"passphrase": string(d.Passphrase),
		"remoteConfigurations": map[string]any{profileID: map[string]any{
			"id": profileID, "name": d.Database, "uri": d.uri(), "isEncrypted": false,
		}},
		"activeConfigurationId": profileID,
		"syncOnStart":           true, "syncOnFileOpen": true, "syncAfterMerge": true, "batchSave": true, "periodicReplication": true,
	}
	for key, value := range d.Shared {
		if _, ours := all[key]; !ours {
			all[key] = value
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all); err != nil {
		return nil, fault.Internal.Errorf("the device's settings: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// uri is the address of the database in the form of releases that know several remotes.
func (d Device) uri() string {
	scheme, rest, _ := strings.Cut(d.URL, "://")
	host, path, _ := strings.Cut(rest, "/")
	login := ""
	if d.User != "" || d.Password != "" {
		login = escape(d.User) + ":" + escape(string(d.Password)) + "@"
	}
	return "sls+" + scheme + "://" + login + host + "/" + path + "?" + url.Values{"db": {d.Database}}.Encode()
}

// unescaped restores what JavaScript's encodeURIComponent leaves as it is.
var unescaped = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// escape encodes a text as JavaScript's encodeURIComponent does.
func escape(text string) string { return unescaped.Replace(url.QueryEscape(text)) }
