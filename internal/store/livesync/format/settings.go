package format

import (
	"encoding/json"
	"slices"

	"obsidian-mcp/internal/fault"
)

// Algorithm says how a database's devices encrypt.
type Algorithm string

// The algorithms that the plugin offers. With each of them, all forms can be read.
const (
	EncryptV2 Algorithm = "v2"
	EncryptV1 Algorithm = ""
	ForceV1   Algorithm = "forceV1"
)

// Settings are the settings shared by all devices of a database that affect the format of its documents.
type Settings struct {
	Encrypt           bool
	Algorithm         Algorithm
	ObfuscatePaths    bool
	Compress          bool
	DynamicIterations bool
	CaseSensitive     bool
	HashAlg           HashAlg
	Split             SplitRule
}

// Tweaks are the settings that a milestone states; nil if it does not state one.
type Tweaks struct {
	Encrypt           *bool      `json:"encrypt"`
	Algorithm         *Algorithm `json:"E2EEAlgorithm"`
	ObfuscatePaths    *bool      `json:"usePathObfuscation"`
	Compress          *bool      `json:"enableCompression"`
	DynamicIterations *bool      `json:"useDynamicIterationCount"`
	CaseSensitive     *bool      `json:"handleFilenameCaseSensitive"`
	HashAlg           *HashAlg   `json:"hashAlg"`
	CustomChunkSize   *float64   `json:"customChunkSize"`
	MinimumChunkSize  *float64   `json:"minimumChunkSize"`
}

// ParseTweaks reads the settings that a milestone states.
func ParseTweaks(raw []byte) (Tweaks, error) {
	var stated Tweaks
	if err := json.Unmarshal(raw, &stated); err != nil {
		return Tweaks{}, damaged("the settings in the database's milestone cannot be parsed: %w", err)
	}
	return stated, nil
}

// defaults are the settings of a new device.
var defaults = Settings{Algorithm: EncryptV2, HashAlg: XXHash64, Split: SplitRule{MinimumChunkSize: 20}}

// Over returns the settings of other, overridden by those that are stated.
func (t Tweaks) Over(other Settings) Settings {
	choose(&other.Encrypt, t.Encrypt)
	choose(&other.Algorithm, t.Algorithm)
	choose(&other.ObfuscatePaths, t.ObfuscatePaths)
	choose(&other.Compress, t.Compress)
	choose(&other.DynamicIterations, t.DynamicIterations)
	choose(&other.CaseSensitive, t.CaseSensitive)
	choose(&other.HashAlg, t.HashAlg)
	choose(&other.Split.CustomChunkSize, t.CustomChunkSize)
	if t.MinimumChunkSize != nil {
		other.Split.MinimumChunkSize = int(min(max(*t.MinimumChunkSize, 0), 1<<20))
	}
	other.Split.CustomChunkSize = min(max(other.Split.CustomChunkSize, 0), 1000)
	return other
}

func choose[T any](into *T, stated *T) {
	if stated != nil {
		*into = *stated
	}
}

// complete reports whether everything that documents could show is stated.
func (t Tweaks) complete() bool {
	return t.Encrypt != nil && t.Algorithm != nil && t.ObfuscatePaths != nil &&
		t.DynamicIterations != nil && t.CaseSensitive != nil && t.HashAlg != nil
}

// v1 reports whether devices write the old form; some read no other.
func (s Settings) v1() bool { return s.Algorithm != EncryptV2 }

// writable returns an error for an unknown algorithm.
func (s Settings) writable() error {
	if !slices.Contains([]Algorithm{EncryptV2, EncryptV1, ForceV1}, s.Algorithm) {
		return fault.PermissionDenied.Errorf("the database uses the encryption %q, which this release does not know", string(s.Algorithm)).
			WithHint("try a newer release of this program")
	}
	return nil
}
