package history

import (
	"encoding/hex"
	"testing"
)

// TestKeysStayTheSame: histories that earlier versions wrote must still open.
func TestKeysStayTheSame(t *testing.T) {
	t.Parallel()
	k := newKeyring("correct horse", 10)
	s, err := k.sealing("20261101T120000-000102030405060708090a0b0c0d0e0f.log")
	if err != nil {
		t.Fatal(err)
	}
	code := hex.EncodeToString(s.code([]byte("header")))
	if code != "ab226b83b04049e0db58f22314f87a54cb3dbb4f1f70a96dd4fa446f542fee94" {
		t.Errorf("code of a header: %s", code)
	}
	payload, err := hex.DecodeString("371112e4a41a304e9fcea2b0d4002d9228d6d8bc284af4004164331f7c623f16")
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := s.open(payload, []byte("bound")); err != nil || string(plain) != "text" {
		t.Errorf("payload: %q, %v", plain, err)
	}
}
