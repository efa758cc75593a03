package cache

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// version is that of the file's form. It changes whenever an older program
// would misread it.
const version = 1

// A file begins with the magic, the version, the salt, and a code that only
// who knows the secret can make, over these and the owner.
const (
	magic      = "OBSEAL\r\n"
	saltAt     = len(magic) + 4
	codeAt     = saltAt + saltSize
	headerSize = codeAt + sha256.Size
)

var (
	errForeign = errors.New("it is not a cache of this version")
	errSealed  = errors.New("it is of another vault or passphrase, or damaged")
)

// newHeader is the beginning of an owner's file.
func (k *keys) newHeader(owner string) []byte {
	header := binary.LittleEndian.AppendUint32([]byte(magic), version)
	header = append(header, k.salt...)
	return append(header, mac(k.header, header, []byte(owner))...)
}

// made reports whether a header is by these keys, for that owner.
func (k *keys) made(header []byte, owner string) bool {
	return hmac.Equal(header, k.newHeader(owner))
}

// saltOf is the salt that a header names.
func saltOf(header []byte) ([]byte, error) {
	if string(header[:len(magic)]) != magic || binary.LittleEndian.Uint32(header[len(magic):]) != version {
		return nil, errForeign
	}
	return header[saltAt:codeAt:codeAt], nil
}
