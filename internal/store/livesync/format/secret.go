package format

import (
	"fmt"
	"io"
)

const redacted = "[redacted]"

// Passphrase is a secret that every way of printing redacts.
type Passphrase string

// Format hides the passphrase from every verb of package fmt.
func (Passphrase) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }

// MarshalText hides the passphrase from JSON and from logs.
func (Passphrase) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Package fmt prints unexported fields without calling their Format method, so every type that has a secret in such a
// field redacts itself.

// Format hides the passphrase from every verb of package fmt.
func (*Codec) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }

// Format hides the passphrase from every verb of package fmt.
func (*Cipher) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }

// Format hides the passphrase from every verb of package fmt.
func (*Hasher) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }
