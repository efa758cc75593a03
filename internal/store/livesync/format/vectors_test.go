package format_test

import (
	"encoding/json"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
)

func TestDocumentIDCases(t *testing.T) {
	t.Parallel()
	list := vectors[struct {
		Path  string
		Pass  json.RawMessage `json:"obfuscate_passphrase"`
		Fold  bool            `json:"case_insensitive"`
		ID    string
		Plain json.RawMessage `json:"id2path_without_entry"`
	}](t, "path2id")
	for _, vector := range list {
		var pass string
		_ = json.Unmarshal(vector.Pass, &pass) // false stands for no passphrase
		rule := format.IDRule{CaseSensitive: !vector.Fold, Obfuscation: format.Passphrase(pass)}
		if got := rule.ID(vector.Path); got != vector.ID {
			t.Errorf("ID(%q) of %v = %q, want %q", vector.Path, rule, got, vector.ID)
		}
		if err := rule.Check(vector.ID, vector.Path); err != nil {
			t.Error(err)
		}
		var plain string
		back, err := format.PathOf(vector.ID)
		switch readable := json.Unmarshal(vector.Plain, &plain) == nil; {
		case strings.HasPrefix(vector.ID, "f:") || strings.Contains(vector.ID, ":f:"):
			if err == nil {
				t.Errorf("PathOf(%q) = %q, though the path is hidden", vector.ID, back)
			}
		case !readable || err != nil || back != plain:
			t.Errorf("PathOf(%q) = %q, %v, want %s", vector.ID, back, err, vector.Plain)
		}
	}
	t.Logf("path2id: %d cases ran", len(list))
}

func TestMixedHashCases(t *testing.T) {
	t.Parallel()
	list := vectors[struct {
		Text  string
		Seed1 [2]uint32
		Other [2]uint32 `json:"seed_0x12345678"`
		Each  string    `json:"fallback_each"`
	}](t, "mixedhash")
	for _, vector := range list {
		murmur, fnv := format.MixedHash(vector.Text, 1)
		if murmur != vector.Seed1[0] || fnv != vector.Seed1[1] {
			t.Errorf("%.40q: %d, %d, want %d", vector.Text, murmur, fnv, vector.Seed1)
		}
		murmur, fnv = format.MixedHash(vector.Text, 0x12345678)
		if murmur != vector.Other[0] || fnv != vector.Other[1] {
			t.Errorf("%.40q with a seed: %d, %d, want %d", vector.Text, murmur, fnv, vector.Other)
		}
		if got := format.MixedText(vector.Text); got != vector.Each {
			t.Errorf("%.40q: %q, want %q", vector.Text, got, vector.Each)
		}
	}
	t.Logf("mixedhash: %d cases ran", len(list))
}

func TestChunkIDCases(t *testing.T) {
	t.Parallel()
	file := load[struct {
		Hashed []struct {
			Passphrase format.Passphrase
			Text       string `json:"hashed_passphrase"`
			Number     uint32 `json:"hashed_passphrase_32"`
		} `json:"hashed_passphrases"`
		Vectors []struct {
			Alg        format.HashAlg `json:"hash_alg"`
			Passphrase format.Passphrase
			ID         string
			Piece      string
			Recipe     *recipe `json:"piece_recipe"`
		}
	}](t, "vectors/chunk-ids.json")
	for _, vector := range file.Hashed {
		if text, number := format.HashPassphrase(vector.Passphrase); text != vector.Text || number != vector.Number {
			t.Errorf("passphrase: %q, %d, want %q, %d", text, number, vector.Text, vector.Number)
		}
	}
	for _, vector := range file.Vectors {
		if vector.Recipe != nil {
			vector.Piece = vector.Recipe.text(t)
		}
		hasher, err := format.NewHasher(vector.Alg, vector.Passphrase)
		if err != nil {
			t.Fatal(err)
		}
		if got := hasher.ID(vector.Piece); got != vector.ID {
			t.Errorf("%q of %.30q = %q, want %q", vector.Alg, vector.Piece, got, vector.ID)
		}
	}
	if len(file.Vectors) == 0 || len(file.Hashed) == 0 {
		t.Fatal("no vectors")
	}
	t.Logf("chunk-ids: %d cases ran", len(file.Vectors)+len(file.Hashed))
}

func TestBinaryEncodingCases(t *testing.T) {
	t.Parallel()
	type chunks struct {
		Chunks []string
		Hex    string
	}
	file := load[struct {
		Vectors []struct {
			Hex    string
			Base64 string `json:"base64_chunk"`
			Mapped string `json:"v0_20_first_chunk"`
		}
		Mapped chunks `json:"multi_chunk_0_20"`
		Base64 chunks `json:"multi_chunk_base64"`
	}](t, "vectors/binary-encoding.json")
	all := []chunks{file.Mapped, file.Base64}
	for _, vector := range file.Vectors {
		all = append(all, chunks{[]string{vector.Base64}, vector.Hex}, chunks{[]string{strings.TrimRight(vector.Base64, "=")}, vector.Hex}, chunks{[]string{vector.Mapped}, vector.Hex})
		made, err := format.Pieces("a.bin", unhex(t, vector.Hex), format.SplitRule{})
		if err != nil || strings.Join(made, "") != vector.Base64 {
			t.Errorf("written %q, %v, want %q", made, err, vector.Base64)
		}
	}
	for _, vector := range all {
		want := unhex(t, vector.Hex)
		if got, err := format.Join(false, int64(len(want)), vector.Chunks...); err != nil || string(got) != string(want) {
			t.Errorf("%q is %x, %v, want %x", vector.Chunks, got, err, want)
		}
	}
	t.Logf("binary-encoding: %d cases ran", len(all))
}

func TestCompressionCases(t *testing.T) {
	t.Parallel()
	list := vectors[struct {
		Plain      string
		Recipe     *recipe `json:"plain_recipe"`
		Hash       string  `json:"plain_sha256"`
		Stored     string
		Compressed bool   `json:"stored_is_compressed"`
		Forced     string `json:"forced_compressed"`
	}](t, "compression")
	for _, vector := range list {
		if vector.Recipe != nil {
			vector.Plain = vector.Recipe.text(t)
		}
		if hash([]byte(vector.Plain)) != vector.Hash {
			t.Fatal("the vector's text does not match its hash")
		}
		ours := format.Compress(vector.Plain)
		if (ours != vector.Plain) != vector.Compressed {
			t.Errorf("%.30q: compressed: %t, want %t", vector.Plain, ours != vector.Plain, vector.Compressed)
		}
		for _, stored := range []string{vector.Stored, vector.Forced, ours} {
			if got, err := format.Expand(stored, 1<<20); err != nil || got != vector.Plain {
				t.Errorf("%.30q is %.30q, %v, want %.30q", stored, got, err, vector.Plain)
			}
		}
	}
	t.Logf("compression: %d cases ran", len(list))
}

func TestSplittingCases(t *testing.T) {
	t.Parallel()
	list := vectors[struct {
		Splitter string
		Custom   float64 `json:"custom_chunk_size"`
		Minimum  int     `json:"minimum_chunk_size"`
		Path     string
		Recipe   recipe `json:"text_recipe"`
		Lengths  []int  `json:"piece_utf8_lengths"`
		Hash     string `json:"pieces_sha256"`
	}](t, "splitting")
	ran := 0
	for _, vector := range list {
		if vector.Splitter != "v3-rabin-karp" {
			continue // older plugins split by lines; a writer may split as current ones do
		}
		ran++
		content := []byte(vector.Recipe.text(t))
		rule := format.SplitRule{CustomChunkSize: vector.Custom, MinimumChunkSize: vector.Minimum}
		var lengths []int
		for piece := range rule.Split(vector.Path, content) {
			lengths = append(lengths, len(piece))
		}
		made, err := format.Pieces(vector.Path, content, rule)
		if err != nil || hash([]byte(strings.Join(made, "\x00"))) != vector.Hash {
			t.Errorf("%s of %d bytes: %v, pieces of %v, want %v", vector.Path, len(content), err, lengths, vector.Lengths)
		}
	}
	if ran == 0 {
		t.Fatal("no case")
	}
	t.Logf("splitting: %d cases ran", ran)
}
