package app

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/config"
)

// confirmKey is what confirmation ids are signed with, so that they hold in
// every process that may get the second call.
func confirmKey(settings config.Config) []byte {
	if settings.LiveSync.Configured() {
		if shared := sharedKey(settings.LiveSync); shared != nil {
			return shared
		}
	}
	return localKey(settings.StateDir)
}

// sharedKey is the same for all servers of a database, which may run on
// different machines: it is made of what only they know. Clients see what it
// signs, so guessing the secrets from that is made slow. nil: there are none.
func sharedKey(database config.LiveSync) []byte {
	const rounds = 100_000 // 40 ms
	if database.Password == "" && database.Passphrase == "" {
		return nil
	}
	known := database.Password.Reveal() + "\x00" + database.Passphrase.Reveal()
	key, err := pbkdf2.Key(sha256.New, known, []byte("obsidian-mcp confirmations of "+database.Database), rounds, 32)
	if err != nil {
		return nil
	}
	return key
}

// localKey is the same for all processes of a user. Where it cannot be kept,
// ids hold in this process alone.
func localKey(stateDir string) []byte {
	name := filepath.Join(stateDir, "confirm.key")
	if kept, err := os.ReadFile(name); err == nil && len(kept) == 32 {
		return kept
	}
	fresh := make([]byte, 32)
	rand.Read(fresh)
	if os.MkdirAll(stateDir, 0o700) == nil {
		_ = os.WriteFile(name, fresh, 0o600)
	}
	return fresh
}
