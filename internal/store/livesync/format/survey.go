package format

import (
	"strings"
)

// Survey learns a database's settings from its documents, for what no
// milestone states: databases of old plugins have none. The zero value has
// seen nothing; it is not safe for concurrent use.
type Survey struct {
	found                             bool // a file's document, or a chunk
	encrypted, compressed, obfuscated bool
	v2, v1                            bool
	upper, lowered                    bool // ids that kept, and that lost, the case of their path
	leaves                            []fields
	hidden                            []fields // files whose path needs the passphrase
}

// samples is how many documents of a sort are kept to be tried out.
const samples = 3

// Add looks at a document. One that is not understood says nothing.
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
			return // another program's
		}
		s.found = true
		s.addNote(id, from)
	case Hidden:
		s.found = true
	}
}

// Empty reports whether it has seen neither a file's document nor a chunk:
// nothing that settings could contradict.
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

// Settings are what the documents tell, and a device's defaults where they
// tell nothing. The passphrase and the salt help to look into documents that
// are encrypted.
func (s *Survey) Settings(pass Passphrase, salt []byte) Settings {
	found := defaults
	found.Encrypt, found.Compress, found.ObfuscatePaths = s.encrypted, s.compressed, s.obfuscated
	if s.v1 && !s.v2 {
		found.Algorithm = EncryptV1
	}
	cipher := NewCipher(CipherOptions{Passphrase: pass, Salt: salt})
	found.DynamicIterations = s.dynamic(cipher)
	seen := *s
	seen.lookInto(cipher)
	found.CaseSensitive = seen.upper && !seen.lowered
	found.HashAlg = s.hashAlg(&Codec{cipher: cipher, maxChunk: 1 << 20}, pass)
	return found
}

// dynamic tries which number of iterations opens what there is of V1.
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

// lookInto compares hidden ids with both ways to make them.
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

// hashAlg tries which way makes the ids of the chunks that were seen.
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
