package format

import (
	"io"

	"obsidian-mcp/internal/fault"
)

// Codec reads and makes the documents of one database. It is safe for
// concurrent use. Use NewCodec.
type Codec struct {
	settings Settings
	ids      IDRule
	cipher   *Cipher
	hasher   *Hasher // nil if the chunk hash is unknown
	refusal  error   // why writing is not possible, or nil
	maxChunk int64
	maxFile  int64
}

// Options are what a Codec is made of.
type Options struct {
	Settings   Settings
	Passphrase Passphrase
	Salt       []byte    // Remote.Salt
	Random     io.Reader // default crypto/rand
	DeriveKey  KeyDeriver
	Before     *Codec // a codec whose derived keys are reused if the passphrase is the same; may be nil
	MaxChunk   int64  // largest size in bytes that one chunk may expand to; default 64 MiB
	MaxFile    int64  // largest size in bytes of one file; default 512 MiB
}

// NewCodec makes a Codec. It fails if the settings need a passphrase and options has none. If the settings only
// prevent writing, Writable reports it.
func NewCodec(options Options) (*Codec, error) {
	settings := options.Settings
	if (settings.Encrypt || settings.ObfuscatePaths) && options.Passphrase == "" {
		return nil, fault.InvalidArgument.Errorf("the database is encrypted or obfuscates its paths, and no passphrase is set").
			WithHint("set the passphrase that the devices use")
	}
	codec := &Codec{
		settings: settings,
		ids:      IDRule{CaseSensitive: settings.CaseSensitive},
		cipher: NewCipher(CipherOptions{
			Passphrase: options.Passphrase, Salt: options.Salt,
			DynamicIterations: settings.DynamicIterations, Random: options.Random, DeriveKey: options.DeriveKey,
		}),
		maxChunk: orDefault(options.MaxChunk, 64<<20),
		maxFile:  orDefault(options.MaxFile, 512<<20),
	}
	if options.Before != nil && options.Before.cipher.keys.pass == options.Passphrase {
		codec.cipher.keys = options.Before.cipher.keys
	}
	if settings.ObfuscatePaths {
		codec.ids.Obfuscation = options.Passphrase
	}
	pass := options.Passphrase
	if !settings.Encrypt {
		pass = ""
	}
	codec.hasher, codec.refusal = NewHasher(settings.HashAlg, pass)
	if settings.Encrypt && codec.refusal == nil {
		codec.refusal = settings.writable()
		if codec.refusal == nil && !settings.v1() && len(options.Salt) == 0 {
			codec.refusal = missingSalt()
		}
	}
	return codec, nil
}

// Settings returns the settings that the Codec was made with.
func (c *Codec) Settings() Settings { return c.settings }

// Writable returns nil, or why these settings do not allow writing. Remote.Writable checks what the database
// itself says.
func (c *Codec) Writable() error { return c.refusal }

// ID returns the id of the document for a path.
func (c *Codec) ID(path string) string { return c.ids.ID(path) }

// CheckID returns an error if the document's id does not match its path.
func (c *Codec) CheckID(file *Meta) error { return c.ids.Check(file.ID, file.Path) }

// seal encrypts a text in the form that the database's devices write.
func (c *Codec) seal(text string) (string, error) {
	if c.settings.v1() {
		return c.cipher.SealV1(text)
	}
	return c.cipher.Seal(text)
}

func orDefault(value, standard int64) int64 {
	if value == 0 {
		return standard
	}
	return value
}
