package format

// Configure determines a database's settings: those its milestone states, then those its documents show, then the
// defaults of a new device.
func Configure(remote Remote, seen *Survey, pass Passphrase) Settings {
	rest := defaults
	if !remote.Tweaks.complete() {
		rest = seen.Settings(pass, remote.Salt) // may derive keys, which is slow
	}
	settings := remote.Tweaks.Over(rest)
	if remote.Tweaks.Algorithm == nil && remote.Version != 0 && remote.Version < newestVersion {
		settings.Algorithm = EncryptV1 // its devices support nothing newer
	}
	return settings
}
