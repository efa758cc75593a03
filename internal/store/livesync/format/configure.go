package format

import (
	"obsidian-mcp/internal/fault"
)

// Configure puts a database's settings together: what its milestone states,
// then what its documents tell, then what a device begins with.
func Configure(remote Remote, seen *Survey, pass Passphrase) Settings {
	rest := defaults
	if !remote.Tweaks.complete() {
		rest = seen.Settings(pass, remote.Salt) // which may have to derive keys
	}
	settings := remote.Tweaks.Over(rest)
	if remote.Tweaks.Algorithm == nil && remote.Version != 0 && remote.Version < newestVersion {
		settings.Algorithm = EncryptV1 // its devices know no other
	}
	return settings
}

// Probe checks that a document which is in the database opens with the
// passphrase, and has the id that the settings ask for. Writing with a wrong
// passphrase would make a vault that no device can read.
func (c *Codec) Probe(raw []byte) error {
	document, err := c.Decode(raw)
	switch {
	case err != nil && fault.KindOf(err) == fault.PermissionDenied:
		return fault.PermissionDenied.Errorf("the passphrase does not open the vault: %w", err).
			WithHint("set the passphrase that the devices use")
	case err != nil || document.Kind != Note || document.File == nil:
		return err
	}
	return c.CheckID(document.File)
}
