package app

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/config"
)

// confirmKey signs confirmation ids, so that an id is valid in every process that may get the second call.
func confirmKey(opened openedStore, stateDir string) []byte {
	if opened.sharedKey != nil {
		if shared := opened.sharedKey(); shared != nil {
			return shared
		}
	}
	return localKey(stateDir)
}

// sharedKey is the same for all servers of a database, which may run on different machines: it is derived from secrets
// that only they have, and nil if they have none. Clients see signatures made with it, so the derivation is slow to make
// guessing the secrets expensive.
func sharedKey(database config.LiveSync) []byte {
	const rounds = 100_000 // 40 ms
	if database.Password == "" && database.Passphrase == "" {
		return nil
	}
	secrets := database.Password.Reveal() + "\x00" + database.Passphrase.Reveal()
	key, err := pbkdf2.Key(sha256.New, secrets, []byte("obsidian-mcp confirmations of "+database.Database), rounds, 32)
	if err != nil {
		return nil
	}
	return key
}

// confirmKeySize is the size of a stored key, which is all that its file holds.
const confirmKeySize = 32

// localKey is the same for all processes of a user. If it cannot be stored, ids are valid in this process only.
func localKey(stateDir string) []byte {
	name := filepath.Join(stateDir, "confirm.key")
	stored, err := os.ReadFile(name)
	if err == nil && len(stored) == confirmKeySize {
		return stored
	}
	fresh := make([]byte, confirmKeySize)
	rand.Read(fresh)
	if len(stored) > len(fresh) {
		return fresh // a newer version of the program has stored it: its key stays
	}
	if os.MkdirAll(stateDir, 0o700) == nil {
		_ = os.WriteFile(name, fresh, 0o600)
	}
	return fresh
}
