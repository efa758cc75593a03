package format

import "strings"

// Survey learns a database's settings from its documents, if no milestone states them: databases of old plugins have
// no milestone. The zero value is ready to use. It is not safe for concurrent use.
type Survey struct {
	DeriveKey KeyDeriver

	found                             bool // a file's document or a chunk
	encrypted, compressed, obfuscated bool
	v2, v1                            bool
	upper, lowered                    bool // an id that kept, or lost, the case of its path
	leaves                            []fields
	hidden                            []fields // files whose path is encrypted
}

// samples is how many documents of each kind are kept for trying keys and hashes.
const samples = 3

// Add learns from a document. It ignores a document that it cannot parse.
func (s *Survey) Add(raw []byte) {
	from, err := parseFields(raw)
	if err != nil {
		return
	}
	var id, docType string
	if from.read("_id", &id) != nil || from.read("type", &docType) != nil {
		return
	}
	switch KindOf(id, docType) {
	case Chunk:
		s.found = true
		s.addLeaf(id, from)
	case Note:
		if from["path"] == nil && from["children"] == nil && from["data"] == nil {
			return // written by another program
		}
		s.found = true
		s.addNote(id, from)
	case Hidden:
		s.found = true
	}
}

// Empty reports whether no file's document and no chunk was added, so that any settings fit.
func (s *Survey) Empty() bool { return !s.found }

func (s *Survey) addLeaf(id string, from fields) {
	var data string
	var marked bool
	if from.read("data", &data) != nil || from.read("e_", &marked) != nil {
		return
	}
	s.compressed = s.compressed || strings.HasPrefix(data, compressedMark)
	sealed, complete := parseEnvelope(data)
	if marked || complete && strings.HasPrefix(id, sealedPrefix) {
		s.encrypted = true
		s.v2 = s.v2 || sealed.form == formHKDF
		s.v1 = s.v1 || sealed.form == formV1 || sealed.form == formJSON
	}
	if len(s.leaves) < samples {
		s.leaves = append(s.leaves, from.clone())
	}
}

func (s *Survey) addNote(id string, from fields) {
	var path string
	if from.read("path", &path) != nil {
		return
	}
	if strings.HasPrefix(id, obfuscated) {
		s.obfuscated = true
		if strings.HasPrefix(path, sealedMeta) {
			s.encrypted, s.v2 = true, true
		}
		if len(s.hidden) < samples {
			s.hidden = append(s.hidden, from.clone())
		}
		return
	}
	s.seeCase(path, func(rule IDRule) bool { return rule.ID(path) == id }, "")
}

// seeCase learns from a path that has capital letters.
func (s *Survey) seeCase(path string, made func(IDRule) bool, pass Passphrase) {
	if path == lower(path) {
		return
	}
	s.upper = s.upper || made(IDRule{CaseSensitive: true, Obfuscation: pass})
	s.lowered = s.lowered || made(IDRule{Obfuscation: pass})
}

// Settings returns the settings that the documents show, and a device's defaults for the rest. The passphrase and the
// salt are needed to look into encrypted documents.
func (s *Survey) Settings(pass Passphrase, salt []byte) Settings {
	found := defaults
	found.Encrypt, found.Compress, found.ObfuscatePaths = s.encrypted, s.compressed, s.obfuscated
	if s.v1 && !s.v2 {
		found.Algorithm = EncryptV1
	}
	cipher := NewCipher(CipherOptions{Passphrase: pass, Salt: salt, DeriveKey: s.DeriveKey})
	found.DynamicIterations = s.dynamic(cipher)
	seen := *s
	seen.lookInto(cipher)
	found.CaseSensitive = seen.upper && !seen.lowered
	found.HashAlg = s.hashAlg(&Codec{cipher: cipher, maxChunk: 1 << 20}, pass)
	return found
}

// dynamic reports whether the dynamic iteration count decrypts the V1 chunks.
func (s *Survey) dynamic(cipher *Cipher) bool {
	if cipher.keys.pass == "" {
		return false
	}
	for _, from := range s.leaves {
		var data string
		_ = from.read("data", &data)
		if sealed, complete := parseEnvelope(data); complete && (sealed.form == formV1 || sealed.form == formJSON) {
			_, iterations, err := cipher.openV1(sealed)
			return err == nil && iterations != v1Iterations
		}
	}
	return false
}

// lookInto compares obfuscated ids with both ways of making them.
func (s *Survey) lookInto(cipher *Cipher) {
	if cipher.keys.pass == "" {
		return
	}
	reader := &Codec{cipher: cipher, maxChunk: 1 << 20}
	for _, from := range s.hidden {
		if file, err := reader.decodeMeta(from); err == nil {
			s.seeCase(file.Path, func(rule IDRule) bool { return rule.ID(file.Path) == file.ID }, cipher.keys.pass)
		}
	}
}

// hashAlg returns the algorithm that makes the ids of the sampled chunks.
func (s *Survey) hashAlg(reader *Codec, pass Passphrase) HashAlg {
	for _, alg := range hashAlgs {
		for _, from := range s.leaves {
			leaf, err := reader.decodeLeaf(from)
			if err != nil {
				continue
			}
			key := pass
			if !strings.HasPrefix(leaf.ID, sealedPrefix) {
				key = ""
			}
			if hasher, err := NewHasher(alg, key); err == nil && hasher.ID(leaf.Data) == leaf.ID {
				return alg
			}
		}
	}
	return defaults.HashAlg
}
