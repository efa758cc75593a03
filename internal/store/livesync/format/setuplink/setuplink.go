// Package setuplink reads and makes the links with which the plugin passes its settings to another device
// ("obsidian://setuplivesync?settings=…", the plugin calls it a setup URI). A link is JSON, encrypted with a passphrase
// of its own, and percent-encoded.
//
// It only computes. It promises that it reads every form that any release of the plugin has made, also if a chat
// program or a terminal has wrapped or decoded the link; that it makes the form that current releases read; and that no
// error or print shows a passphrase, a password or the link.
package setuplink

import (
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// prefix begins every link that Make makes.
const prefix = "obsidian://setuplivesync?settings="

// Link is what a link says.
type Link struct {
	Remote     Remote
	Others     []string          // the names of the link's other remotes
	Passphrase format.Passphrase // of the vault; "" if there is none
	Encrypt    bool
	Obfuscate  bool          // paths
	Tweaks     format.Tweaks // further settings, as far as the link states them
}

// Remote is a database that a link names.
type Remote struct {
	Name           string // "" in links of releases that knew only one remote
	URL, Database  string
	User           string
	Password       format.Passphrase
	Token, Headers bool // the device logs in with a JWT, or sends headers of its own
}

// Options say how to open a link.
type Options struct {
	Passphrase format.Passphrase // of the link
	Remote     string            // the name of the remote to use; "" for the one in use on the device
	DeriveKey  format.KeyDeriver // nil for format.DeriveKey
}

// Open reads a link.
func Open(text string, o Options) (Link, error) {
	sealed, err := extract(text)
	if err != nil {
		return Link{}, err
	}
	if o.Passphrase == "" {
		return Link{}, fault.InvalidArgument.Errorf("the link's passphrase is missing").
			WithHint("it is the one that was entered when the link was made")
	}
	opener := format.NewCipher(format.CipherOptions{Passphrase: o.Passphrase, DeriveKey: o.DeriveKey})
	plain, err := opener.Open(sealed)
	if errors.Is(err, fault.PermissionDenied) {
		return Link{}, fault.PermissionDenied.Errorf("the passphrase does not open the link, or the link is incomplete").
			WithHint("enter the passphrase that was entered when the link was made (not the vault's), and copy the whole link")
	}
	if err != nil {
		return Link{}, damaged()
	}
	return parse([]byte(plain), o.Remote)
}

func damaged() error {
	return fault.InvalidArgument.Errorf("the link is damaged").WithHint("%s", copyAgain)
}

// copyAgain says where a link comes from.
const copyAgain = "copy it again: on a device, run the command \"Copy settings as a new setup URI\" of Self-hosted LiveSync"
