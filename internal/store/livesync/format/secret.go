package format

import (
	"fmt"
	"io"
)

const redacted = "[redacted]"

// Passphrase is a secret: however it is printed, it is not shown.
type Passphrase string

// Format hides the passphrase from every verb of package fmt.
func (Passphrase) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }

// MarshalText hides the passphrase from JSON and from logs.
func (Passphrase) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Package fmt looks into fields that are not exported without asking their
// type, so those who hold a secret in one hide themselves.

// Format hides the passphrase from every verb of package fmt.
func (*Codec) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }

// Format hides the passphrase from every verb of package fmt.
func (*Cipher) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }

// Format hides the passphrase from every verb of package fmt.
func (*Hasher) Format(to fmt.State, _ rune) { io.WriteString(to, redacted) }
