package format_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// sealedText is an encrypted text of the vectors.
type sealedText struct {
	Passphrase format.Passphrase
	Salt       string `json:"pbkdf2salt_base64"`
	Dynamic    bool   `json:"dynamic_iterations"`
	Iterations int
	Nonce      string  `json:"iv_hex"`
	V1Salt     string  `json:"salt_hex"`
	HKDFSalt   string  `json:"hkdf_salt_hex"`
	Plain      string  `json:"plaintext"`
	Sealed     string  `json:"ciphertext"`
	Recipe     *recipe `json:"plaintext_recipe"`
	SealedHash string  `json:"ciphertext_sha256"`
}

func (s sealedText) cipher(t testing.TB) *format.Cipher {
	t.Helper()
	return newCipher(format.CipherOptions{
		Passphrase: s.Passphrase, Salt: unbase64(t, s.Salt), DynamicIterations: s.Dynamic,
	})
}

// TestEncryptionCases opens all encrypted texts of the vectors, and seals those whose random bytes are known. Of the
// texts with a salt each, whose keys are slow to derive, the plain form tries three.
func TestEncryptionCases(t *testing.T) {
	if testing.Short() {
		t.Skip("derives many keys")
	}
	t.Parallel()
	for _, name := range []string{
		"encryption-hkdf", "encryption-hkdf-1mib", "encryption-percent", "encryption-percent-0.20",
		"encryption-legacy-json", "encryption-tilde-v3", "encryption-ephemeral-and-setup-uri",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := vectors[sealedText](t, name)
			if strings.Contains(name, "ephemeral") && !mode.Full() {
				list = list[:3]
			}
			for i, vector := range list {
				if vector.Recipe != nil {
					vector.Plain = vector.Recipe.text(t)
				}
				cipher := vector.cipher(t)
				checkSealing(t, i, vector, cipher)
				if vector.Sealed == "" {
					continue
				}
				if got, err := cipher.Open(vector.Sealed); err != nil || got != vector.Plain {
					t.Errorf("%d: opening %.40q: got %.40q, %v, want %.40q", i, vector.Sealed, got, err, vector.Plain)
				}
				iterations := format.DynamicIterations(vector.Passphrase)
				if vector.Iterations != 0 && vector.Dynamic && vector.Iterations != iterations {
					t.Errorf("%d: %d iterations, want %d", i, iterations, vector.Iterations)
				}
			}
			t.Logf("%s: %d cases ran", name, len(list))
		})
	}
}

// checkSealing seals the same text with the same random bytes.
func checkSealing(t *testing.T, i int, vector sealedText, cipher *format.Cipher) {
	t.Helper()
	var got string
	var err error
	switch {
	case strings.HasPrefix(vector.Sealed, "%="):
		cipher = cipher.WithRandom(bytes.NewReader(unhex(t, vector.Nonce+vector.HKDFSalt)))
		got, err = cipher.Seal(vector.Plain)
	case vector.Iterations != 0 && !strings.HasPrefix(vector.Sealed, "["):
		got, err = cipher.SealV1With(vector.Plain, unhex(t, vector.V1Salt), unhex(t, vector.Nonce))
	default:
		return
	}
	if err != nil || got != vector.Sealed && hash([]byte(got)) != vector.SealedHash {
		t.Errorf("%d: sealing: got %.80q, %v, want %.80q", i, got, err, vector.Sealed)
	}
}

func TestPathSealingCases(t *testing.T) {
	if testing.Short() {
		t.Skip("derives many keys")
	}
	t.Parallel()
	list := vectors[struct {
		Path       string
		Passphrase format.Passphrase
		Dynamic    bool   `json:"dynamic_iterations"`
		Sealed     string `json:"obfuscated"`
	}](t, "path-obfuscation-v1")
	for _, vector := range list {
		cipher := sealedText{Passphrase: vector.Passphrase, Dynamic: vector.Dynamic}.cipher(t)
		if got, err := cipher.SealPathV1(vector.Path); err != nil || got != vector.Sealed {
			t.Errorf("sealing the path %.40q: got %q, %v, want %q", vector.Path, got, err, vector.Sealed)
		}
		if got, err := cipher.Open(vector.Sealed); err != nil || got != vector.Path {
			t.Errorf("opening %q: got %q, %v, want %q", vector.Sealed, got, err, vector.Path)
		}
	}
	t.Logf("path-obfuscation-v1: %d cases ran", len(list))
}

func TestSetupURICases(t *testing.T) {
	t.Parallel()
	file := load[struct {
		Setup struct {
			Passphrase format.Passphrase `json:"uri_passphrase"`
			URI        string
			Decoded    map[string]any
		} `json:"setup_uri"`
	}](t, "vectors/encryption-ephemeral-and-setup-uri.json")
	_, settings, _ := strings.Cut(file.Setup.URI, "settings=")
	sealed, err := url.QueryUnescape(strings.TrimSpace(settings))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := newCipher(format.CipherOptions{Passphrase: file.Setup.Passphrase}).Open(sealed)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(plain), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range file.Setup.Decoded {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	t.Log("setup URI: 1 cases ran")
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	const secret = "hunter2 and more"
	pass := format.Passphrase(secret)
	holders := []any{
		pass, &pass, []format.Passphrase{pass}, format.IDRule{Obfuscation: pass},
		struct{ Passphrase format.Passphrase }{pass},
	}
	codec, err := format.NewCodec(format.Options{
		Settings:   format.Settings{Encrypt: true, ObfuscatePaths: true, Algorithm: format.EncryptV1, HashAlg: format.XXHash64},
		Passphrase: pass,
	})
	if err != nil {
		t.Fatal(err)
	}
	hasher, err := format.NewHasher(format.XXHash64, pass)
	if err != nil {
		t.Fatal(err)
	}
	options := []any{format.CipherOptions{Passphrase: pass}, format.Options{Passphrase: pass}} // which JSON cannot encode
	for _, holder := range slices.Concat(holders, options, []any{codec, hasher, newCipher(format.CipherOptions{Passphrase: pass})}) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if shown := fmt.Sprintf(verb, holder); strings.Contains(shown, secret) || strings.Contains(shown, hex.EncodeToString([]byte(secret))) {
				t.Errorf("%s of %T shows the passphrase: %s", verb, holder, shown)
			}
		}
	}
	if raw, err := json.Marshal(holders); err != nil || strings.Contains(string(raw), secret) {
		t.Errorf("JSON shows the passphrase: %s, %v", raw, err)
	}
	damaged := `{"_id":"h:+1","type":"leaf","e_":true,"data":"%` + strings.Repeat("0", 64) + `AAAAAAAAAAAAAAAAAAAAAA=="}`
	if _, err := codec.Decode([]byte(damaged)); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("decoding a damaged chunk: %v", err)
	}
}

func TestWrongPassphrase(t *testing.T) {
	t.Parallel()
	right := newCipher(format.CipherOptions{Passphrase: "a passphrase of length", Salt: make([]byte, 32), DynamicIterations: true})
	wrong := newCipher(format.CipherOptions{Passphrase: "another of the length", Salt: make([]byte, 32), DynamicIterations: true})
	for _, seal := range []func(string) (string, error){right.Seal, right.SealV1, right.SealPathV1} {
		sealed, err := seal("text")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wrong.Open(sealed); !errors.Is(err, fault.PermissionDenied) {
			t.Errorf("opening %q with a wrong passphrase: %v", sealed, err)
		}
		if _, err := right.Open(sealed[:len(sealed)-30]); err == nil {
			t.Errorf("a truncated %q opens", sealed)
		}
		if got, err := right.Open(sealed); err != nil || got != "text" {
			t.Errorf("opening %q: got %q, %v", sealed, got, err)
		}
	}
	if _, err := newCipher(format.CipherOptions{Passphrase: "p"}).Seal("text"); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("sealing without a salt: %v", err)
	}
}

// TestBothIterationCountsAreTried opens texts that were written before the setting for iterations changed.
func TestBothIterationCountsAreTried(t *testing.T) {
	t.Parallel()
	const pass = "sixteen letters."
	fixed := newCipher(format.CipherOptions{Passphrase: pass})
	dynamic := newCipher(format.CipherOptions{Passphrase: pass, DynamicIterations: true})
	for _, pair := range [][2]*format.Cipher{{fixed, dynamic}, {dynamic, fixed}} {
		sealed, err := pair[0].SealV1("text")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pair[1].Open(sealed); err != nil || got != "text" {
			t.Errorf("opening: got %q, %v", got, err)
		}
	}
}

func TestKeysAreDerivedOnce(t *testing.T) {
	t.Parallel()
	cipher := newCipher(format.CipherOptions{Passphrase: "p", Salt: make([]byte, 32), DynamicIterations: true})
	var all sync.WaitGroup
	var nonces sync.Map
	for range 8 {
		all.Go(func() {
			for range 20 {
				for _, seal := range []func(string) (string, error){cipher.Seal, cipher.SealV1} {
					sealed, err := seal("text")
					if err != nil {
						t.Error(err)
					}
					if _, again := nonces.LoadOrStore(sealed[:34], true); again {
						t.Errorf("two texts share the nonce of %q", sealed)
					}
					if got, err := cipher.Open(sealed); err != nil || got != "text" {
						t.Errorf("opening: got %q, %v", got, err)
					}
				}
			}
		})
	}
	all.Wait()
	if got := cipher.Derivations(); got != 2 {
		t.Errorf("%d keys were derived for 320 texts, want 2", got)
	}
}
