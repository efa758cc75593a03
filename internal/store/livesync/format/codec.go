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
	hasher   *Hasher // nil where ids of chunks cannot be made
	refusal  error   // why nothing may be written
	maxChunk int64
	maxFile  int64
}

// Options are what a Codec is made of.
type Options struct {
	Settings   Settings
	Passphrase Passphrase
	Salt       []byte    // Remote.Salt
	Random     io.Reader // crypto/rand unless another is given
	Before     *Codec    // one of the same passphrase, whose keys need not be derived again
	MaxChunk   int64     // bytes that one chunk may expand to; 64 MiB if 0
	MaxFile    int64     // bytes that one file may have; 512 MiB if 0
}

// NewCodec makes a Codec. It fails where the settings need a passphrase and
// there is none; what merely forbids writing is told by Writable.
func NewCodec(options Options) (*Codec, error) {
	settings := options.Settings
	if (settings.Encrypt || settings.ObfuscatePaths) && options.Passphrase == "" {
		return nil, fault.InvalidArgument.Errorf("the database is encrypted or hides its paths, and no passphrase is set").
			WithHint("set the passphrase that the devices use")
	}
	made := &Codec{
		settings: settings,
		ids:      IDRule{CaseSensitive: settings.CaseSensitive},
		cipher: NewCipher(CipherOptions{
			Passphrase: options.Passphrase, Salt: options.Salt,
			DynamicIterations: settings.DynamicIterations, Random: options.Random,
		}),
		maxChunk: orDefault(options.MaxChunk, 64<<20),
		maxFile:  orDefault(options.MaxFile, 512<<20),
	}
	if options.Before != nil && options.Before.cipher.keys.pass == options.Passphrase {
		made.cipher.keys = options.Before.cipher.keys
	}
	if settings.ObfuscatePaths {
		made.ids.Obfuscation = options.Passphrase
	}
	pass := options.Passphrase
	if !settings.Encrypt {
		pass = ""
	}
	made.hasher, made.refusal = NewHasher(settings.HashAlg, pass)
	if settings.Encrypt && made.refusal == nil {
		made.refusal = settings.writable()
		if made.refusal == nil && !settings.v1() && len(options.Salt) == 0 {
			made.refusal = missingSalt()
		}
	}
	return made, nil
}

// Settings are those that the Codec was made with.
func (c *Codec) Settings() Settings { return c.settings }

// Writable says why nothing may be written, or nil. It knows the settings
// alone: Remote.Writable knows the database's own rules.
func (c *Codec) Writable() error { return c.refusal }

// ID is the id of the document for a path.
func (c *Codec) ID(path string) string { return c.ids.ID(path) }

// CheckID refuses a document whose id is not that of its path.
func (c *Codec) CheckID(file *Meta) error { return c.ids.Check(file.ID, file.Path) }

// seal encrypts in the form that the database's devices write.
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
