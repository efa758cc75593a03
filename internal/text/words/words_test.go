package words

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/text/fold"
)

func list(text string) (found []string, hashes []uint64) {
	scanner := In([]byte(text))
	for {
		word, ok := scanner.Next()
		if !ok {
			return found, hashes
		}
		found, hashes = append(found, text[word.Start:word.End]), append(hashes, word.Hash)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                               nil,
		"  … – !":                        nil,
		"One, two_three 4th":             {"One", "two", "three", "4th"},
		"Ünder the café's été":           {"Ünder", "the", "café", "s", "été"},
		"cafe\u0301 noir":                {"cafe\u0301", "noir"},
		"東京tower 塔":                      {"東", "京", "tower", "塔"},
		"über東":                          {"über", "東"},
		"Extraordinarily longwordedness": {"Extraordinarily", "longwordedness"},
		"bad \xff\xfe bytes":             {"bad", "bytes"},
	} {
		got, _ := list(text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestAgainstRunes compares the words of many texts with those that a look at every single character finds.
func TestAgainstRunes(t *testing.T) {
	parts := []string{"a", "Z", "7", "_", " ", ", ", "-", "eight888", "nine99999", "é", "e\u0301", "\u0301", "ß", "Æ", "œuvre", "ё", "Й", "和", "한", "ก", "ي", "ـ",
		"\u00ad", "\u200b", "“", "…", "\xff", "\xc3", "\x00", "ﬁ", "Ａ"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text []byte
		for range random.IntN(12) {
			text = append(text, parts[random.IntN(len(parts))]...)
		}
		scanner := In(text)
		for _, want := range byRunes(text) {
			if got, ok := scanner.Next(); !ok || got != want {
				t.Fatalf("%q: the scanner found %v instead of %v", text, got, want)
			}
		}
		if got, ok := scanner.Next(); ok {
			t.Fatalf("%q: the scanner found %v at the end", text, got)
		}
	}
}

func byRunes(text []byte) (found []Word) {
	for at := 0; at < len(text); {
		end := at
		for end < len(text) {
			r, size := utf8.DecodeRune(text[end:])
			kind := fold.Kind(r)
			if kind == fold.CJK && end == at {
				end += size
				break
			}
			if kind == fold.Other || kind == fold.CJK || kind == fold.Mark && end == at {
				break
			}
			end += size
		}
		if end == at {
			_, size := utf8.DecodeRune(text[at:])
			at += size
			continue
		}
		found = append(found, Word{at, end, hash(fold.Append(nil, text[at:end]))})
		at = end
	}
	return found
}

// Words that differ by case or diacritics have the same hash, wherever they are; others have different ones.
func TestHashes(t *testing.T) {
	for _, word := range []string{"a", "seven77", "eighteen", "ninety9nine", "abcdefghabcdefgh", "résumé", "naïvetéandmore", "Ωμέγα"} {
		_, want := list(word)
		for _, text := range []string{strings.ToUpper(word), "x " + word, word + " x", "(" + word + "), and more text behind it", "é " + strings.ToUpper(word)} {
			words, hashes := list(text)
			at := 0
			for i := range words {
				if strings.EqualFold(words[i], word) {
					at = i
				}
			}
			if hashes[at] != want[0] {
				t.Errorf("%q in %q has another hash", word, text)
			}
		}
	}
	if _, hashes := list("cafe café CAFÉ cafe\u0301"); hashes[0] != hashes[1] || hashes[1] != hashes[2] || hashes[2] != hashes[3] {
		t.Error("diacritics count")
	}
	seen := map[uint64]string{}
	for _, word := range strings.Fields("a b ab ba aa aaa abcdefgh abcdefghi abcdefgi 1 11 1a eighteen neetheig") {
		_, hashes := list(word)
		if other, isKnown := seen[hashes[0]]; isKnown {
			t.Errorf("%q and %q have the same hash", word, other)
		}
		seen[hashes[0]] = word
	}
}
