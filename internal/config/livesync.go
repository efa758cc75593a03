package config

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
)

// LiveSync holds the settings of a vault in a database of Self-hosted LiveSync.
type LiveSync struct {
	URL        string // of the server; may carry a path prefix
	Database   string
	User       string // "" for no login
	Password   Secret
	Passphrase Secret
	Obfuscated *bool // whether paths are obfuscated; nil to detect it from the database
	Cache      bool
}

// Configured reports whether the vault is meant to be in a database. A user and a
// password alone do not count: CouchDB's own settings have these names.
func (l LiveSync) Configured() bool { return l.URL != "" || l.Database != "" }

// Check reports what is missing.
func (l LiveSync) Check() error {
	switch {
	case l.URL == "" && l.Database == "":
		return fault.VaultNotFound.Errorf("COUCHDB_BASE_URL not set").
			WithHint("run obsidian-mcp livesync setup with the plugin's setup link; or set it to the address of CouchDB, " +
				"and COUCHDB_DATABASE_NAME to the database of the vault")
	case l.URL == "":
		return fault.VaultNotFound.Errorf("COUCHDB_BASE_URL not set, though COUCHDB_DATABASE_NAME is").
			WithHint("set it to the address of CouchDB")
	case l.Database == "":
		return fault.VaultNotFound.Errorf("COUCHDB_DATABASE_NAME not set, though COUCHDB_BASE_URL is").
			WithHint("set it to the database of the vault")
	case l.User == "" && l.Password != "":
		return fault.VaultNotFound.Errorf("COUCHDB_USER not set, though COUCHDB_PASSWORD is").WithHint("set both or none")
	}
	return nil
}

// liveSyncSettings lists the settings of a vault in a database.
func liveSyncSettings() []Setting {
	return []Setting{
		{
			Name: "couchdb_base_url", Variables: []string{"COUCHDB_BASE_URL"},
			hidden: true, Vault: VaultDatabase,
			About: "URL of the CouchDB of a LiveSync vault, used instead of a folder; may have a path prefix",
			set:   server,
		},
		{
			Name: "couchdb_database_name", Variables: []string{"COUCHDB_DATABASE_NAME"},
			hidden: true, Vault: VaultDatabase,
			About: "name of the LiveSync vault's database",
			set:   checked(checkDatabase, func(c *Config) *string { return &c.LiveSync.Database }),
		},
		{
			Name: "couchdb_user", Variables: []string{"COUCHDB_USER"},
			hidden: true, Vault: VaultDatabase,
			About: "CouchDB user",
			set:   checked(checkUser, func(c *Config) *string { return &c.LiveSync.User }),
		},
		{
			Name: "couchdb_password", Variables: []string{"COUCHDB_PASSWORD"},
			Vault: VaultDatabase, Secret: true,
			About: "CouchDB password",
			set:   oneLine(func(c *Config) *Secret { return &c.LiveSync.Password }),
		},
		{
			Name: "vault_passphrase", Variables: []string{"VAULT_PASSPHRASE"},
			Vault: VaultDatabase, Secret: true,
			About: "passphrase of an encrypted LiveSync vault",
			set:   oneLine(func(c *Config) *Secret { return &c.LiveSync.Passphrase }),
		},
		{
			Name: "use_path_obfuscation", Variables: []string{"USE_PATH_OBFUSCATION"},
			Default: "auto", Kind: KindBoolOrAuto, Vault: VaultDetail,
			About: "whether the LiveSync vault obfuscates its paths: `true`, `false`; `auto`: detected from the database",
			set:   truthOrAuto(func(c *Config) **bool { return &c.LiveSync.Obfuscated }),
		},
		{
			Name: "livesync_cache", Variables: []string{"OBSIDIAN_MCP_LIVESYNC_CACHE"},
			Default: "off", Switch: true, Kind: KindBool,
			About: "keep the LiveSync vault's notes in `cache_dir` for a faster start, " +
				"encrypted with a key from the passphrase",
			set: truth(func(c *Config) *bool { return &c.LiveSync.Cache }),
		},
	}
}

// checked sets a text without control characters that passes a check.
func checked(check func(string) error, field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		value = strings.TrimSpace(value)
		if hasControl(value) {
			return errControl
		}
		*field(c) = value
		return check(value)
	}
}

// server sets CouchDB's address. A slash at its end makes no difference.
func server(c *Config, value string) error {
	return checked(checkCouch, func(c *Config) *string { return &c.LiveSync.URL })(c, strings.TrimRight(value, "/ "))
}

func checkCouch(value string) error {
	if server, err := url.Parse(value); err == nil && server.User != nil {
		return errors.New("must not contain a user or password; set COUCHDB_USER and COUCHDB_PASSWORD")
	}
	return checkAddress(value)
}

// checkAddress checks the URL of a server.
func checkAddress(value string) error {
	server, err := url.Parse(value)
	switch {
	case value == "":
	case err != nil:
		return errors.New("must be a URL such as https://notes.example.com or https://example.com/notes")
	case server.User != nil:
		return errors.New("must not contain a user or password")
	case server.Scheme != "http" && server.Scheme != "https", server.Host == "":
		return errors.New("must begin with https:// or http://, and name a host")
	case server.RawQuery != "" || server.ForceQuery || server.Fragment != "":
		return errors.New("must not have a query or a fragment")
	}
	return nil
}

// checkDatabase checks a name that is one step of a URL's path.
func checkDatabase(value string) error {
	switch {
	case strings.ContainsFunc(value, unicode.IsSpace):
		return errors.New("must not contain spaces")
	case strings.HasPrefix(value, "_"), value == ".", value == "..":
		return errors.New("must be the name of a vault's database; CouchDB reserves names with a leading _")
	}
	return nil
}

// checkUser checks a name that a login can carry.
func checkUser(value string) error {
	if strings.Contains(value, ":") {
		return errors.New("must not contain a colon")
	}
	return nil
}

var errControl = errors.New("must not contain line breaks or other control characters")

func hasControl(value string) bool { return strings.ContainsFunc(value, unicode.IsControl) }

// Validate checks values that do not come from settings, as settings are checked.
func (l LiveSync) Validate() error {
	for _, setting := range liveSyncSettings() {
		if value, ok := l.values()[setting.Name]; ok && value != "" {
			if err := setting.apply(&Config{}, value, setting.Name); err != nil {
				return err
			}
		}
	}
	return l.Check()
}

// values returns the values of the settings that name the database, by their names.
func (l LiveSync) values() map[string]string {
	obfuscated := ""
	if l.Obfuscated != nil {
		obfuscated = strconv.FormatBool(*l.Obfuscated)
	}
	return map[string]string{
		"couchdb_base_url": l.URL, "couchdb_database_name": l.Database, "couchdb_user": l.User, "couchdb_password": l.Password.Reveal(),
		"vault_passphrase": l.Passphrase.Reveal(), "use_path_obfuscation": obfuscated,
	}
}
