package setuplink

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// The kinds of remotes, as the plugin names them.
const (
	remoteCouchDB = ""
	remoteBucket  = "MINIO"
	remoteP2P     = "ONLY_P2P"
)

// settings are the plugin's settings that matter here. The plugin leaves out what has its default.
type settings struct {
	RemoteType string `json:"remoteType"`
	URL        string `json:"couchDB_URI"`
	Database   string `json:"couchDB_DBNAME"`
	User       string `json:"couchDB_USER"`
	Password   string `json:"couchDB_PASSWORD"`
	Headers    string `json:"couchDB_CustomHeaders"`
	Token      bool   `json:"useJWT"`

	Profiles map[string]profile `json:"remoteConfigurations"` // of releases that know several remotes
	Active   string             `json:"activeConfigurationId"`

	Encrypt    bool   `json:"encrypt"`
	Obfuscate  bool   `json:"usePathObfuscation"`
	Passphrase string `json:"passphrase"`
}

// profile is one of several remotes.
type profile struct {
	Name   string `json:"name"`
	URI    string `json:"uri"`
	Sealed bool   `json:"isEncrypted"` // with a key that only the device has
}

// parse reads the decrypted settings, and chooses the remote with a name, or the one in use.
func parse(plain []byte, name string) (Link, error) {
	var from settings
	if err := json.Unmarshal(plain, &from); err != nil {
		return Link{}, wrongSettings(err)
	}
	tweaks, err := format.ParseTweaks(plain)
	if err != nil {
		return Link{}, wrongSettings(err)
	}
	link := Link{
		Passphrase: format.Passphrase(from.Passphrase), Encrypt: from.Encrypt, Obfuscate: from.Obfuscate, Tweaks: tweaks,
	}
	id, err := from.choose(name)
	if err != nil {
		return Link{}, err
	}
	if link.Remote, err = from.remote(id); err != nil {
		return Link{}, err
	}
	for _, other := range from.ids() {
		if other != id {
			link.Others = append(link.Others, from.name(other))
		}
	}
	return link, link.check()
}

// wrongSettings says which setting cannot be read. It does not show its value.
func wrongSettings(err error) error {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Field != "" {
		return fault.InvalidArgument.Errorf("the link's setting %s has the wrong type", mismatch.Field).WithHint("%s", copyAgain)
	}
	return fault.InvalidArgument.Errorf("the link does not contain settings of Self-hosted LiveSync").WithHint("%s", copyAgain)
}

// ids lists the remotes.
func (s settings) ids() []string {
	var all []string
	for id := range s.Profiles {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

func (s settings) name(id string) string { return cmp.Or(s.Profiles[id].Name, id) }

// choose returns the id of the remote to use, or "" for the only one.
func (s settings) choose(name string) (string, error) {
	if name != "" {
		var found []string
		for _, id := range s.ids() {
			if id == name || s.name(id) == name {
				found = append(found, id)
			}
		}
		switch {
		case len(found) == 0 && len(s.Profiles) == 0:
			return "", fault.InvalidArgument.Errorf("the link has only one remote, without a name").WithHint("do not name a remote")
		case len(found) == 0:
			return "", fault.InvalidArgument.Errorf("the link has no remote '%s'", name).WithHint("it has %s", s.names())
		case len(found) > 1:
			return "", fault.InvalidArgument.Errorf("the link has several remotes '%s'", name).
				WithHint("name one of %s", strings.Join(found, ", "))
		}
		return found[0], nil
	}
	if _, ok := s.Profiles[s.Active]; ok {
		return s.Active, nil
	}
	if s.URL == "" && len(s.Profiles) > 0 && s.RemoteType == remoteCouchDB {
		return "", fault.InvalidArgument.Errorf("the link has several remotes, none of which is in use").
			WithHint("name one with --remote: %s", s.names())
	}
	return "", nil
}

func (s settings) names() string {
	var all []string
	for _, id := range s.ids() {
		all = append(all, s.name(id))
	}
	return strings.Join(all, ", ")
}

// remote reads one remote.
func (s settings) remote(id string) (Remote, error) {
	from, ok := s.Profiles[id]
	if !ok || from.Sealed && s.URL != "" && id == s.Active { // then the settings of older releases have a copy
		return s.onlyRemote()
	}
	if from.Sealed {
		return Remote{}, fault.InvalidArgument.Errorf("the link's remote '%s' is encrypted by the device", s.name(id)).
			WithHint("%s", copyAgain)
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(from.URI, "sls+"), ":")
	switch kind {
	case "http", "https":
		remote, err := parseProfile(kind, from.URI)
		remote.Name = s.name(id)
		return remote, err
	case "s3":
		return Remote{}, s.unsupported("'"+s.name(id)+"' is an object storage", id)
	case "p2p":
		return Remote{}, s.unsupported("'"+s.name(id)+"' is peer-to-peer", id)
	}
	return Remote{}, s.unsupported("'"+s.name(id)+"' is of a kind that this release does not know", id)
}

// onlyRemote reads the remote of settings that knew only one.
func (s settings) onlyRemote() (Remote, error) {
	switch {
	case s.RemoteType == remoteBucket:
		return Remote{}, s.unsupported("is an object storage", "")
	case s.RemoteType == remoteP2P:
		return Remote{}, s.unsupported("is peer-to-peer", "")
	case s.RemoteType != remoteCouchDB:
		return Remote{}, s.unsupported("is of a kind that this release does not know", "")
	}
	return Remote{
		URL: cleanURL(s.URL), Database: s.Database, User: s.User, Password: format.Passphrase(s.Password),
		Token: s.Token, Headers: s.Headers != "",
	}, nil
}

// unsupported refuses a remote that is not a CouchDB.
func (s settings) unsupported(what, id string) error {
	hint := "set up CouchDB as the plugin's remote; other kinds cannot be served"
	var couches []string
	for _, other := range s.ids() {
		if other != id && strings.HasPrefix(s.Profiles[other].URI, "sls+http") {
			couches = append(couches, s.name(other))
		}
	}
	if len(couches) > 0 {
		hint = "the link also has a CouchDB; choose it with --remote: " + strings.Join(couches, ", ")
	}
	return fault.InvalidArgument.Errorf("the link's remote %s, not a CouchDB", what).WithHint("%s", hint)
}

// parseProfile reads the address of a CouchDB with all that belongs to it: sls+https://user:password@host/path?db=name.
func parseProfile(scheme, uri string) (Remote, error) {
	address, err := url.Parse(strings.TrimPrefix(uri, "sls+"))
	if err != nil || address.Host == "" {
		return Remote{}, fault.InvalidArgument.Errorf("the address of the link's remote cannot be read").WithHint("%s", copyAgain)
	}
	query := address.Query()
	remote := Remote{
		URL: cleanURL(scheme + "://" + address.Host + address.EscapedPath()), Database: query.Get("db"),
		Token: query.Get("useJWT") == "true", Headers: query.Get("headers") != "",
	}
	if address.User != nil {
		password, _ := address.User.Password()
		remote.User, remote.Password = address.User.Username(), format.Passphrase(password)
	}
	return remote, nil
}

func cleanURL(address string) string { return strings.TrimRight(strings.TrimSpace(address), "/") }

// check refuses a link that cannot lead to a database.
func (l Link) check() error {
	switch {
	case l.Remote.URL == "" || l.Remote.Database == "":
		return fault.InvalidArgument.Errorf("the link names no CouchDB").
			WithHint("it comes from a device whose remote is not set up; copy the link on one that syncs")
	case l.Remote.Token:
		return fault.InvalidArgument.Errorf("the device logs in to CouchDB with a JWT, which is not supported").
			WithHint("use an account with a user and a password")
	case (l.Encrypt || l.Obfuscate) && l.Passphrase == "":
		return fault.InvalidArgument.Errorf("the link says that the vault is encrypted, but does not contain its passphrase").
			WithHint("%s", copyAgain)
	}
	return nil
}
