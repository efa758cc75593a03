package cache

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"obsidian-mcp/internal/system/seal"
)

// version is the version of the file format. It changes whenever an older program would misread the file.
const version = 1

// A file of any version starts with the magic and the version; then come the salt and a MAC over these and the owner, keyed with the secret.
const (
	magic      = "OBSEAL\r\n"
	saltAt     = len(magic) + 4
	codeAt     = saltAt + saltSize
	headerSize = codeAt + sha256.Size
)

var (
	errForeign = errors.New("not a cache file of this version")
	errNewer   = errors.New("a newer version of obsidian-mcp has written it")
	errSealed  = errors.New("it belongs to another vault or passphrase, or is damaged")
)

// newHeader returns the header of an owner's file.
func (k *keys) newHeader(owner string) []byte {
	header := binary.LittleEndian.AppendUint32([]byte(magic), version)
	header = append(header, k.salt...)
	return append(header, seal.MAC(k.header, header, []byte(owner))...)
}

// verify reports whether a header was made with these keys for owner.
func (k *keys) verify(header []byte, owner string) bool {
	return hmac.Equal(header, k.newHeader(owner))
}

// saltOf returns the salt in a header.
func saltOf(header []byte) ([]byte, error) {
	if isNewer(header) {
		return nil, errNewer
	}
	if string(header[:len(magic)]) != magic || binary.LittleEndian.Uint32(header[len(magic):]) != version {
		return nil, errForeign
	}
	return header[saltAt:codeAt:codeAt], nil
}

// isNewer reports whether a header, which may be cut, is that of a newer version.
func isNewer(header []byte) bool {
	return len(header) >= saltAt && string(header[:len(magic)]) == magic && binary.LittleEndian.Uint32(header[len(magic):]) > version
}
