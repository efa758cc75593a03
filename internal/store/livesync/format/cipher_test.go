package format_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// sealedText is one encrypted text of the vectors.
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

// ciphers makes one Cipher for each passphrase, salt and setting, so that keys
// are derived once.
type ciphers map[string]*format.Cipher

func (c ciphers) of(t testing.TB, one sealedText) *format.Cipher {
	key := string(one.Passphrase) + one.Salt + fmt.Sprint(one.Dynamic)
	if c[key] == nil {
		c[key] = format.NewCipher(format.CipherOptions{
			Passphrase: one.Passphrase, Salt: unbase64(t, one.Salt), DynamicIterations: one.Dynamic,
		})
	}
	return c[key]
}

func TestEncryptionCases(t *testing.T) {
	for _, name := range []string{
		"encryption-hkdf", "encryption-hkdf-1mib", "encryption-percent", "encryption-percent-0.20",
		"encryption-legacy-json", "encryption-tilde-v3", "encryption-ephemeral-and-setup-uri",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := ciphers{}
			list := vectors[sealedText](t, name)
			if slowKeys && strings.Contains(name, "ephemeral") {
				list = list[:3] // each has a salt of its own
			}
			for i, one := range list {
				if one.Recipe != nil {
					one.Plain = one.Recipe.text(t)
				}
				cipher := known.of(t, one)
				checkSealing(t, i, one, cipher)
				if one.Sealed == "" {
					continue
				}
				if got, err := cipher.Open(one.Sealed); err != nil || got != one.Plain {
					t.Errorf("%d: %.40q is %.40q, %v, want %.40q", i, one.Sealed, got, err, one.Plain)
				}
				if one.Iterations != 0 && one.Dynamic && one.Iterations != format.DynamicIterations(one.Passphrase) {
					t.Errorf("%d: %d iterations, want %d", i, format.DynamicIterations(one.Passphrase), one.Iterations)
				}
			}
			t.Logf("%s: %d cases ran", name, len(list))
		})
	}
}

// checkSealing writes the same text with the same random bytes.
func checkSealing(t *testing.T, i int, one sealedText, cipher *format.Cipher) {
	t.Helper()
	var got string
	var err error
	switch {
	case strings.HasPrefix(one.Sealed, "%="):
		cipher = cipher.WithRandom(bytes.NewReader(unhex(t, one.Nonce+one.HKDFSalt)))
		got, err = cipher.Seal(one.Plain)
	case one.Iterations != 0 && !strings.HasPrefix(one.Sealed, "["):
		got, err = cipher.SealV1With(one.Plain, unhex(t, one.V1Salt), unhex(t, one.Nonce))
	default:
		return
	}
	if err != nil || got != one.Sealed && hash([]byte(got)) != one.SealedHash {
		t.Errorf("%d: sealed as %.80q, %v, want %.80q", i, got, err, one.Sealed)
	}
}

func TestPathSealingCases(t *testing.T) {
	known := ciphers{}
	list := vectors[struct {
		Path       string
		Passphrase format.Passphrase
		Dynamic    bool   `json:"dynamic_iterations"`
		Sealed     string `json:"obfuscated"`
	}](t, "path-obfuscation-v1")
	for _, one := range list {
		cipher := known.of(t, sealedText{Passphrase: one.Passphrase, Dynamic: one.Dynamic})
		if got, err := cipher.SealPathV1(one.Path); err != nil || got != one.Sealed {
			t.Errorf("%.40q is sealed as %q, %v, want %q", one.Path, got, err, one.Sealed)
		}
		if got, err := cipher.Open(one.Sealed); err != nil || got != one.Path {
			t.Errorf("%q is %q, %v, want %q", one.Sealed, got, err, one.Path)
		}
	}
	t.Logf("path-obfuscation-v1: %d cases ran", len(list))
}

func TestSetupURICases(t *testing.T) {
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
	clear, err := format.NewCipher(format.CipherOptions{Passphrase: file.Setup.Passphrase}).Open(sealed)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(clear), &got); err != nil {
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
	const secret = "hunter2 and more"
	pass := format.Passphrase(secret)
	holders := []any{pass, &pass, []format.Passphrase{pass}, format.CipherOptions{Passphrase: pass}, format.Options{Passphrase: pass}, format.IDRule{Obfuscation: pass}}
	codec, err := format.NewCodec(format.Options{Settings: format.Settings{Encrypt: true, ObfuscatePaths: true, Algorithm: format.EncryptV1, HashAlg: format.XXHash64}, Passphrase: pass})
	if err != nil {
		t.Fatal(err)
	}
	hasher, err := format.NewHasher(format.XXHash64, pass)
	if err != nil {
		t.Fatal(err)
	}
	for _, holder := range append(holders, codec, hasher, format.NewCipher(format.CipherOptions{Passphrase: pass})) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if shown := fmt.Sprintf(verb, holder); strings.Contains(shown, secret) || strings.Contains(shown, hex.EncodeToString([]byte(secret))) {
				t.Errorf("%s of %T shows the passphrase: %s", verb, holder, shown)
			}
		}
	}
	if raw, err := json.Marshal(holders); err != nil || strings.Contains(string(raw), secret) {
		t.Errorf("JSON shows the passphrase: %s, %v", raw, err)
	}
	if _, err := codec.Decode([]byte(`{"_id":"h:+1","type":"leaf","e_":true,"data":"%` + strings.Repeat("0", 64) + `AAAAAAAAAAAAAAAAAAAAAA=="}`)); err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}

func TestWrongPassphrase(t *testing.T) {
	right := format.NewCipher(format.CipherOptions{Passphrase: "a passphrase of length", Salt: make([]byte, 32), DynamicIterations: true})
	wrong := format.NewCipher(format.CipherOptions{Passphrase: "another of the length", Salt: make([]byte, 32), DynamicIterations: true})
	for _, seal := range []func(string) (string, error){right.Seal, right.SealV1, right.SealPathV1} {
		sealed, err := seal("text")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wrong.Open(sealed); !errors.Is(err, fault.PermissionDenied) {
			t.Errorf("%q: %v", sealed, err)
		}
		if _, err := right.Open(sealed[:len(sealed)-30]); err == nil {
			t.Errorf("half of %q opens", sealed)
		}
		if got, err := right.Open(sealed); err != nil || got != "text" {
			t.Errorf("%q: %q, %v", sealed, got, err)
		}
	}
	if _, err := format.NewCipher(format.CipherOptions{Passphrase: "p"}).Seal("text"); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("without a salt: %v", err)
	}
}

// TestIterationsAreFoundOut reads what was written before a setting changed.
func TestIterationsAreFoundOut(t *testing.T) {
	const pass = "sixteen letters."
	fixed := format.NewCipher(format.CipherOptions{Passphrase: pass})
	dynamic := format.NewCipher(format.CipherOptions{Passphrase: pass, DynamicIterations: true})
	for _, pair := range [][2]*format.Cipher{{fixed, dynamic}, {dynamic, fixed}} {
		sealed, err := pair[0].SealV1("text")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pair[1].Open(sealed); err != nil || got != "text" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestKeysAreDerivedOnce(t *testing.T) {
	cipher := format.NewCipher(format.CipherOptions{Passphrase: "p", Salt: make([]byte, 32), DynamicIterations: true})
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
						t.Errorf("two texts have the nonce of %q", sealed)
					}
					if got, err := cipher.Open(sealed); err != nil || got != "text" {
						t.Errorf("%q, %v", got, err)
					}
				}
			}
		})
	}
	all.Wait()
	if made := cipher.Derivations(); made != 2 {
		t.Errorf("%d keys were derived for 320 texts, want 2", made)
	}
}
