package format_test

import (
	"encoding/json"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
)

func TestDocumentIDCases(t *testing.T) {
	list := vectors[struct {
		Path  string
		Pass  json.RawMessage `json:"obfuscate_passphrase"`
		Fold  bool            `json:"case_insensitive"`
		ID    string
		Plain json.RawMessage `json:"id2path_without_entry"`
	}](t, "path2id")
	for _, one := range list {
		var pass string
		_ = json.Unmarshal(one.Pass, &pass) // false is none
		rule := format.IDRule{CaseSensitive: !one.Fold, Obfuscation: format.Passphrase(pass)}
		if got := rule.ID(one.Path); got != one.ID {
			t.Errorf("ID(%q) of %v = %q, want %q", one.Path, rule, got, one.ID)
		}
		if err := rule.Check(one.ID, one.Path); err != nil {
			t.Error(err)
		}
		var plain string
		back, err := format.PathOf(one.ID)
		switch readable := json.Unmarshal(one.Plain, &plain) == nil; {
		case strings.HasPrefix(one.ID, "f:") || strings.Contains(one.ID, ":f:"):
			if err == nil {
				t.Errorf("PathOf(%q) = %q, though the path is hidden", one.ID, back)
			}
		case !readable || err != nil || back != plain:
			t.Errorf("PathOf(%q) = %q, %v, want %s", one.ID, back, err, one.Plain)
		}
	}
	t.Logf("path2id: %d cases ran", len(list))
}

func TestMixedHashCases(t *testing.T) {
	list := vectors[struct {
		Text  string
		Seed1 [2]uint32
		Other [2]uint32 `json:"seed_0x12345678"`
		Each  string    `json:"fallback_each"`
	}](t, "mixedhash")
	for _, one := range list {
		murmur, fnv := format.MixedHash(one.Text, 1)
		if murmur != one.Seed1[0] || fnv != one.Seed1[1] {
			t.Errorf("%.40q: %d, %d, want %d", one.Text, murmur, fnv, one.Seed1)
		}
		murmur, fnv = format.MixedHash(one.Text, 0x12345678)
		if murmur != one.Other[0] || fnv != one.Other[1] {
			t.Errorf("%.40q with a seed: %d, %d, want %d", one.Text, murmur, fnv, one.Other)
		}
		if got := format.MixedText(one.Text); got != one.Each {
			t.Errorf("%.40q: %q, want %q", one.Text, got, one.Each)
		}
	}
	t.Logf("mixedhash: %d cases ran", len(list))
}

func TestChunkIDCases(t *testing.T) {
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
	for _, one := range file.Hashed {
		if text, number := format.HashPassphrase(one.Passphrase); text != one.Text || number != one.Number {
			t.Errorf("passphrase: %q, %d, want %q, %d", text, number, one.Text, one.Number)
		}
	}
	for _, one := range file.Vectors {
		if one.Recipe != nil {
			one.Piece = one.Recipe.text(t)
		}
		hasher, err := format.NewHasher(one.Alg, one.Passphrase)
		if err != nil {
			t.Fatal(err)
		}
		if got := hasher.ID(one.Piece); got != one.ID {
			t.Errorf("%q of %.30q = %q, want %q", one.Alg, one.Piece, got, one.ID)
		}
	}
	if len(file.Vectors) == 0 || len(file.Hashed) == 0 {
		t.Fatal("no vectors")
	}
	t.Logf("chunk-ids: %d cases ran", len(file.Vectors)+len(file.Hashed))
}

func TestBinaryEncodingCases(t *testing.T) {
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
	for _, one := range file.Vectors {
		all = append(all, chunks{[]string{one.Base64}, one.Hex}, chunks{[]string{strings.TrimRight(one.Base64, "=")}, one.Hex}, chunks{[]string{one.Mapped}, one.Hex})
		made, err := format.Pieces("a.bin", unhex(t, one.Hex), format.SplitRule{})
		if err != nil || strings.Join(made, "") != one.Base64 {
			t.Errorf("written %q, %v, want %q", made, err, one.Base64)
		}
	}
	for _, one := range all {
		want := unhex(t, one.Hex)
		if got, err := format.Join(false, int64(len(want)), one.Chunks...); err != nil || string(got) != string(want) {
			t.Errorf("%q is %x, %v, want %x", one.Chunks, got, err, want)
		}
	}
	t.Logf("binary-encoding: %d cases ran", len(all))
}

func TestCompressionCases(t *testing.T) {
	list := vectors[struct {
		Plain      string
		Recipe     *recipe `json:"plain_recipe"`
		Hash       string  `json:"plain_sha256"`
		Stored     string
		Compressed bool   `json:"stored_is_compressed"`
		Forced     string `json:"forced_compressed"`
	}](t, "compression")
	for _, one := range list {
		if one.Recipe != nil {
			one.Plain = one.Recipe.text(t)
		}
		if hash([]byte(one.Plain)) != one.Hash {
			t.Fatal("the vector is not itself")
		}
		ours := format.Compress(one.Plain)
		if (ours != one.Plain) != one.Compressed {
			t.Errorf("%.30q: compressed: %t, want %t", one.Plain, ours != one.Plain, one.Compressed)
		}
		for _, stored := range []string{one.Stored, one.Forced, ours} {
			if got, err := format.Expand(stored, 1<<20); err != nil || got != one.Plain {
				t.Errorf("%.30q is %.30q, %v, want %.30q", stored, got, err, one.Plain)
			}
		}
	}
	t.Logf("compression: %d cases ran", len(list))
}

func TestSplittingCases(t *testing.T) {
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
	for _, one := range list {
		if one.Splitter != "v3-rabin-karp" {
			continue // line by line, as older plugins cut; a writer is free to cut as today's do
		}
		ran++
		content := []byte(one.Recipe.text(t))
		rule := format.SplitRule{CustomChunkSize: one.Custom, MinimumChunkSize: one.Minimum}
		var lengths []int
		for piece := range rule.Split(one.Path, content) {
			lengths = append(lengths, len(piece))
		}
		made, err := format.Pieces(one.Path, content, rule)
		if err != nil || hash([]byte(strings.Join(made, "\x00"))) != one.Hash {
			t.Errorf("%s of %d bytes: %v, pieces of %v, want %v", one.Path, len(content), err, lengths, one.Lengths)
		}
	}
	if ran == 0 {
		t.Fatal("no case")
	}
	t.Logf("splitting: %d cases ran", ran)
}
