package setuplink_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/format/setuplink"
	"obsidian-mcp/internal/store/livesync/formattest"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/golden"
)

// links returns the links that the plugin's library made, by name. The passphrase of each is pw.
func links(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/links.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Links []struct{ Name, Link string } }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Links) == 0 {
		t.Fatal(len(file.Links), err)
	}
	byName := map[string]string{}
	for _, made := range file.Links {
		byName[made.Name] = strings.TrimSpace(made.Link) // the plugin puts a space at its end
	}
	return byName
}

func open(text, remote string) (setuplink.Link, error) {
	return setuplink.Open(text, setuplink.Options{Passphrase: "pw", Remote: remote, DeriveKey: formattest.DeriveKey})
}

// alice is the account of most links.
func alice(name string) setuplink.Remote {
	return setuplink.Remote{Name: name, URL: "https://couch.example.net", Database: "obsidiannotes", User: "alice", Password: "s3cret"}
}

// secret returns a link with all that a device of an encrypted vault says.
func secret(remote setuplink.Remote, others ...string) setuplink.Link {
	return setuplink.Link{Remote: remote, Others: others, Passphrase: "correct horse", Encrypt: true, Obfuscate: true}
}

func TestLinksOfThePlugin(t *testing.T) {
	work, home := alice("Work"), alice("Home")
	work.URL, work.Database = "https://work.example.net", "work"
	headers := alice("Home")
	headers.Headers = true
	for _, c := range []struct {
		link, remote string
		want         setuplink.Link
		refused      string
	}{
		{link: "flat, short", want: secret(alice(""))},
		{link: "flat, full", want: secret(alice(""))},
		{link: "one profile", want: secret(home)},
		{link: "headers", want: secret(headers)},
		{link: "difficult characters", want: setuplink.Link{Remote: setuplink.Remote{
			Name: "Home", URL: "http://192.168.0.7:5984/couch", Database: "notes/ä+b", User: "ö@ü:/?#", Password: "p@ss:w/ö?#%&+ '\"!",
		}}},
		{link: "two databases", want: secret(work, "Home")},
		{link: "two databases", remote: "Home", want: secret(home, "Work")},
		{link: "two databases", remote: "Hom", refused: "the link has no remote 'Hom'; it has Home, Work"},
		{link: "flat, short", remote: "Home", refused: "the link has only one remote"},
		{link: "a bucket", refused: "the link's remote 'Bucket' is an object storage, not a CouchDB; set up CouchDB"},
		{link: "a bucket, and a database", refused: "the link's remote 'Bucket' is an object storage, not a CouchDB; the link also has a CouchDB; choose it with --remote: Home"},
		{link: "a bucket, and a database", remote: "Home", want: secret(home, "Bucket")},
		{link: "a bucket of older releases", refused: "the link's remote is an object storage, not a CouchDB"},
		{link: "peers", refused: "the link's remote 'Peers' is peer-to-peer, not a CouchDB"},
		{link: "peers of older releases", refused: "the link's remote is peer-to-peer, not a CouchDB"},
		{link: "JWT", refused: "the device logs in to CouchDB with a JWT"},
		{link: "nothing set up", refused: "the link names no CouchDB"},
		{link: "V1", want: secret(alice(""))},
		{link: "V1, dynamic iterations", want: secret(alice(""))},
		{link: "the oldest form", want: secret(alice(""))},
		{link: "the beta form", want: secret(alice(""))},
	} {
		t.Run(c.link+" "+c.remote, func(t *testing.T) {
			got, err := open(links(t)[c.link], c.remote)
			if c.refused != "" {
				if text := fmt.Sprintf("%v; %s", err, fault.HintOf(err)); fault.KindOf(err) != fault.InvalidArgument || !strings.HasPrefix(text, c.refused) {
					t.Error(text)
				}
				return
			}
			got.Tweaks = format.Tweaks{}
			if diff := cmp.Diff(reveal(c.want), reveal(got)); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

// reveal makes the secrets of a link comparable in messages.
func reveal(l setuplink.Link) any {
	return []any{l, string(l.Passphrase), string(l.Remote.Password)}
}

// TestGoldenLink reads the link that is kept with the description of the format.
func TestGoldenLink(t *testing.T) {
	raw, err := os.ReadFile(cases.Path(t, "livesync/vectors/encryption-ephemeral-and-setup-uri.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Setup struct {
			Passphrase string `json:"uri_passphrase"`
			URI        string
			Decoded    map[string]any
		} `json:"setup_uri"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	want := file.Setup.Decoded
	got, err := setuplink.Open(file.Setup.URI, setuplink.Options{Passphrase: format.Passphrase(file.Setup.Passphrase)})
	said := map[string]any{
		"couchDB_URI": got.Remote.URL, "couchDB_USER": got.Remote.User, "couchDB_PASSWORD": string(got.Remote.Password),
		"couchDB_DBNAME": got.Remote.Database, "encrypt": got.Encrypt, "passphrase": string(got.Passphrase), "usePathObfuscation": got.Obfuscate,
		"configPassphraseStore": "", "encryptedCouchDBConnection": "", "encryptedPassphrase": "",
	}
	if diff := cmp.Diff(want, said); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// A link survives what programs do to a text that is copied through them.
func TestPastedLinks(t *testing.T) {
	link := links(t)["flat, short"]
	payload := link[strings.Index(link, "=")+1:]
	decoded := unescape(payload)
	middle := len(link) / 2
	for name, text := range map[string]string{
		"as it is":                   link,
		"white space around":         " \t" + link + " \r\n\n",
		"wrapped lines":              link[:middle] + "\r\n    " + link[middle:middle+70] + "\n" + link[middle+70:],
		"quotation marks":            "“" + link + "”",
		"angle brackets":             "<" + link + ">",
		"code":                       "`" + link + "`",
		"words before":               "Setup URI: " + link,
		"invisible characters":       link[:middle] + "\u200b\u00ad" + link[middle:] + "\ufeff",
		"another case":               "OBSIDIAN://SetupLiveSync?Settings=" + payload,
		"a slash":                    "obsidian://setuplivesync/?settings=" + payload,
		"more parameters":            "obsidian://setuplivesync?vault=a&settings=" + payload + "&x=1",
		"decoded":                    "obsidian://setuplivesync?settings=" + decoded,
		"decoded as a form":          "obsidian://setuplivesync?settings=" + strings.ReplaceAll(decoded, "+", " "),
		"encoded twice":              "obsidian://setuplivesync?settings=" + strings.ReplaceAll(payload, "%", "%25"),
		"the settings only":          payload,
		"the settings only, decoded": decoded,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := open(text, "")
			if err != nil || got.Remote != alice("") {
				t.Error(got.Remote, err, fault.HintOf(err))
			}
		})
	}
}

func unescape(text string) string {
	return strings.NewReplacer("%25", "%", "%24", "$", "%2B", "+", "%2F", "/", "%3D", "=").Replace(text)
}

func TestUnusableLinks(t *testing.T) {
	link := links(t)["flat, short"]
	decoded := unescape(link[strings.Index(link, "=")+1:])
	seal := func(text string) string {
		sealed, err := format.NewCipher(format.CipherOptions{Passphrase: "pw", DeriveKey: formattest.DeriveKey}).SealSettings(text)
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	const couch = `"couchDB_URI":"https://c.example","couchDB_DBNAME":"d"`
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                  {" \n", "the setup link is missing"},
		"another word":             {"hello", "this is not a setup link of Self-hosted LiveSync"},
		"another address":          {"https://example.com/?settings=%25%24", "this is not a setup link"},
		"another link of Obsidian": {"obsidian://open?vault=x", "this is not a setup link"},
		"no settings":              {"obsidian://setuplivesync?x=1", "this is not a setup link"},
		"empty settings":           {"obsidian://setuplivesync?settings=", "the link is incomplete or damaged"},
		"a QR code":                {"obsidian://setuplivesync?settingsQR=abc", "this is the link of a QR code"},
		"a part of QR codes":       {"https://vrtmrz.github.io/obsidian-livesync/aggregator.html#id=1", "this is the link of a QR code"},
		"a long text":              {strings.Repeat(link, 3000), "the text is too long"},
		"cut in a group":           {link[:len(link)-9], "the link is incomplete or damaged"},
		"cut in a code":            {link[:len(link)-1], "the link is incomplete or damaged"},
		"almost nothing":           {"obsidian://setuplivesync?settings=%25%24ab", "the link is incomplete or damaged"},
		"a broken code":            {strings.Replace(link, "%2B", "%zz", 1), "the link is incomplete or damaged"},
		"a form of tomorrow":       {"obsidian://setuplivesync?settings=%25%26" + link[len("obsidian://setuplivesync?settings=%25%24"):], "the link has a form that this release does not know"},
		"a form of documents":      {"obsidian://setuplivesync?settings=%25%3D" + link[len("obsidian://setuplivesync?settings=%25%24"):], "the link has a form that this release does not know"},
		"no settings in it":        {seal("hello"), "the link does not contain settings"},
		"a list":                   {seal("[]"), "the link does not contain settings"},
		"a wrong type":             {seal(`{"couchDB_URI":["hunter2"]}`), "the link's setting couchDB_URI has the wrong type"},
		"a wrong type of a tweak":  {seal(`{` + couch + `,"hashAlg":["hunter2"]}`), "the link's setting hashAlg has the wrong type"},
		"no database":              {seal(`{"couchDB_URI":"https://c.example"}`), "the link names no CouchDB"},
		"no passphrase":            {seal(`{` + couch + `,"encrypt":true}`), "the link says that the vault is encrypted, but"},
		"an unknown kind":          {seal(`{"remoteType":"CLOUD"}`), "the link's remote is of a kind that this release does not know"},
		"an unknown profile":       {seal(`{"remoteConfigurations":{"a":{"name":"N","uri":"sls+webdav://x"}},"activeConfigurationId":"a"}`), "the link's remote 'N' is of a kind that"},
		"a sealed profile":         {seal(`{"remoteConfigurations":{"a":{"uri":"%x","isEncrypted":true}},"activeConfigurationId":"a"}`), "the link's remote 'a' is encrypted by the device"},
		"a profile without host":   {seal(`{"remoteConfigurations":{"a":{"uri":"sls+https:x"}},"activeConfigurationId":"a"}`), "the address of the link's remote cannot be read"},
		"a profile with a secret":  {seal(`{"remoteConfigurations":{"a":{"uri":"sls+https://u:hunter2 @%/"}},"activeConfigurationId":"a"}`), "the address of the link's remote cannot be read"},
		"none in use":              {seal(`{"remoteConfigurations":{"a":{"uri":"sls+https://u"},"b":{"name":"B"}}}`), "the link has several remotes, none of which is in use"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(c.text, "")
			said := fmt.Sprint(err, fault.HintOf(err))
			if fault.KindOf(err) != fault.InvalidArgument || !strings.HasPrefix(said, c.want) || fault.HintOf(err) == "" || strings.Contains(said, "hunter2") {
				t.Error(said)
			}
		})
	}
	for name, c := range map[string]struct {
		text string
		pass format.Passphrase
		want error
	}{
		"no passphrase":       {link, "", fault.InvalidArgument},
		"a wrong passphrase":  {link, "wrong", fault.PermissionDenied},
		"cut between groups":  {decoded[:len(decoded)-4], "pw", fault.PermissionDenied},
		"a changed character": {strings.Replace(link, "0", "1", 1), "pw", fault.PermissionDenied},
	} {
		_, err := setuplink.Open(c.text, setuplink.Options{Passphrase: c.pass, DeriveKey: formattest.DeriveKey})
		if !errors.Is(err, c.want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two names that are equal need the id to tell them apart; a sealed profile in use has a copy in older settings.
func TestProfiles(t *testing.T) {
	sealed, err := format.NewCipher(format.CipherOptions{Passphrase: "pw", DeriveKey: formattest.DeriveKey}).SealSettings(
		`{"couchDB_URI":"https://c.example/","couchDB_DBNAME":"d","activeConfigurationId":"s","remoteConfigurations":{
		"s":{"name":"S","uri":"%x","isEncrypted":true},
		"a":{"name":"A","uri":"sls+http://1.example/?db=one"},"b":{"name":"A","uri":"sls+http://2.example/p/?db=two"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for remote, want := range map[string]string{"": "https://c.example d", "a": "http://1.example one", "b": "http://2.example/p two"} {
		got, err := open(sealed, remote)
		if said := got.Remote.URL + " " + got.Remote.Database; err != nil || said != want {
			t.Errorf("%q: %s, %v", remote, said, err)
		}
	}
	if _, err := open(sealed, "A"); err == nil || fault.HintOf(err) != "name one of a, b" {
		t.Error(err)
	}
	if _, err := open(sealed, "S"); err != nil {
		t.Error(err)
	}
}

// TestMake makes the link of a new device, and reads it as a device does. The settings are a golden file.
func TestMake(t *testing.T) {
	remote, err := format.ParseRemote(nil, []byte(`{"created":1,"tweak_values":{"PREFERRED":{"customChunkSize":60,"encrypt":true,"hashAlg":null,"other":1}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	device := setuplink.Device{
		URL: "https://example.com:6984/couch", Database: "notes/ä+b", User: "ö@ü:/?#", Password: "p@ss:w/ö?#%&+ '\"!()*~",
		Passphrase: "Correct-Horse 🐴", Shared: remote.Shared(format.Settings{Encrypt: true, Algorithm: format.EncryptV2, HashAlg: format.XXHash64}),
	}
	options := setuplink.Options{Passphrase: "pw", DeriveKey: formattest.DeriveKey}
	link, err := setuplink.Make(device, options, strings.NewReader(strings.Repeat("0123456789", 10)))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Trim(strings.TrimPrefix(link, "obsidian://setuplivesync?settings=%25%24"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%") != "" {
		t.Errorf("not encoded as the plugin does: %s", link)
	}
	plain, err := format.NewCipher(format.CipherOptions{Passphrase: "pw", DeriveKey: formattest.DeriveKey}).
		Open(unescape(strings.TrimPrefix(link, "obsidian://setuplivesync?settings=")))
	if err != nil {
		t.Fatal(err)
	}
	var settings bytes.Buffer
	if err := json.Indent(&settings, []byte(plain), "", "\t"); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/device.json", append(settings.Bytes(), 10))
	read, err := setuplink.Open(link, options)
	want := setuplink.Remote{Name: device.Database, URL: device.URL, Database: device.Database, User: device.User, Password: device.Password}
	if err != nil || read.Remote != want || read.Passphrase != device.Passphrase || !read.Encrypt || read.Obfuscate || len(read.Others) != 0 {
		t.Errorf("%v, %+v, %q", err, read.Remote, string(read.Remote.Password))
	}
	if _, err := setuplink.Make(device, setuplink.Options{}, nil); fault.KindOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
	if _, err := setuplink.Make(device, options, strings.NewReader("")); err == nil {
		t.Error("a link without randomness")
	}
	if said := fmt.Sprintf("%v %+v %#v", device, device, read); strings.Contains(said, "p@ss") || strings.Contains(said, "Horse") {
		t.Error(said)
	}
}
