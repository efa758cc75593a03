package seal_test

import (
	"encoding/hex"
	"testing"

	"obsidian-mcp/internal/system/seal"
)

// TestKeysStayTheSame: files that earlier versions sealed must still open. The
// formats that use these keys have vectors of their own.
func TestKeysStayTheSame(t *testing.T) {
	master, err := seal.Stretch("correct horse", []byte("0123456789abcdef"), 10)
	if err != nil {
		t.Fatal(err)
	}
	key, err := master.Derive("obsidian-mcp cache naming", seal.KeySize)
	if err != nil {
		t.Fatal(err)
	}
	got := hex.EncodeToString(seal.MAC(key, []byte("folder/note.md"), []byte{0}, []byte("3-aaaa"))[:16])
	if want := "3af828c2418fe3649f273dfec6142337"; got != want {
		t.Errorf("MAC with a derived key: %s, want %s", got, want)
	}
}
