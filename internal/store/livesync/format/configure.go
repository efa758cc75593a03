package format

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
