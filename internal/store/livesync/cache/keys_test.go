package cache

import (
	"encoding/hex"
	"testing"

	"obsidian-mcp/internal/system/seal"
)

// TestKeysStayTheSame: cache files that earlier versions wrote must still open.
func TestKeysStayTheSame(t *testing.T) {
	k, err := deriveKeys("correct horse", []byte("0123456789abcdef"), 10)
	if err != nil {
		t.Fatal(err)
	}
	name := k.name("folder/note.md", "3-aaaa")
	if got := hex.EncodeToString(name[:]); got != "3af828c2418fe3649f273dfec6142337" {
		t.Errorf("name of a record: %s", got)
	}
	header := hex.EncodeToString(seal.MAC(k.header, []byte("header")))
	if header != "bf6896b9a5f197a02f000502e190e17496cd714a27bd5d018d6878d21f54b6e0" {
		t.Errorf("code of a header: %s", header)
	}
	record, err := hex.DecodeString("e84470cbe6ae4e668f56c064274530c30172a30d79bbc1a57a14906e9844eddf")
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := k.aead.Open(nil, nil, record, []byte("bound")); err != nil || string(plain) != "text" {
		t.Errorf("record: %q, %v", plain, err)
	}
}
