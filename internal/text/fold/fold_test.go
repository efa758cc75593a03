package fold

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"ASCII", "Hello, WORLD [@Z`{a}] 0123456789", "hello, world [@z`{a}] 0123456789"},
		{"Latin", "Málaga Ångström Dvořák Łódź naïve", "malaga angstrom dvorak lodz naive"},
		{"Vietnamese", "Tiếng Việt Đà Nẵng", "tieng viet da nang"},
		{"spelt out", "Straße STRAẞE Æsir œuvre Øre þing ðag", "strasse strasse aesir oeuvre ore thing dag"},
		{"Turkish", "İstanbul ISPARTA ısı", "istanbul isparta isi"},
		{"Greek", "ΛΌΓΟΣ λόγος ᾿Αχιλλεύς ᾳ", "λογοσ λογοσ ᾿αχιλλευσ α"},
		{"Cyrillic", "Ёлка ЁЖ Йод Її Ў стоя́ть", "елка еж йод її ў стоять"},
		{"Arabic", "كِتَاب أحمد كـــتاب", "كتاب احمد كتاب"},
		{"Hebrew", "שָׁלוֹם", "שלום"},
		{"Devanagari keeps its vowels", "हिन्दी की", "हिन्दी की"},
		{"Thai keeps its vowels", "ภาษาไทย น้ำ", "ภาษาไทย น้ำ"},
		{"Japanese keeps its voicing", "ガぎパ か", "ガぎパ か"},
		{"widths", "ＡＢｃ１２３　ｶﾞｷﾞﾊﾟ", "abc123 ガギパ"},
		{"Han and Hangul", "漢字 한국어", "漢字 한국어"},
		{"compatibility ideograph", "\uf900", "\u8c48"},
		{"ligatures", "ﬁﬂ ﬃ", "fifl ffi"},
		{"signs", "a ≠ b ∉ c", "a ≠ b ∉ c"},
		{"invisible", "soft\u00adhyphen 1\ufe0f\u20e3 \ufeffx", "softhyphen 1 x"},
		{"spaces", "a\u00a0b\u202fc", "a b c"},
		{"emoji", "👩‍👩‍👧 👍🏽", "👩‍👩‍👧 👍🏽"},
		{"not UTF-8", "A\xffB\xc3", "a\xffb\xc3"},
		{"Kelvin and Ångström signs", "\u212a \u212b \u2126", "k a ω"},
		{"a lone mark", "\u0301", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, form := range []norm.Form{norm.NFC, norm.NFD} {
				text := test.text
				if utf8.ValidString(text) {
					text = form.String(text)
				}
				want := norm.NFC.String(test.want)
				if got := String(text); got != want {
					t.Errorf("String(%q) = %q, want %q", text, got, want)
				}
				if got := Append([]byte("и"), []byte(text)); string(got) != "и"+want {
					t.Errorf("Append(%q) = %q, want %q after what was there", text, got, want)
				}
			}
		})
	}
}

// Every character folds to the same form from both normal forms, and folding its folded form changes nothing.
func TestEveryCharacterFoldsOnce(t *testing.T) {
	t.Parallel()
	step := rune(1)
	if testing.Short() {
		step = 13
	}
	for r := rune(0x80); r <= utf8.MaxRune; r += step {
		if !utf8.ValidRune(r) || IsUnified(r) && r%64 != 0 || r >= 0x30000 && r%4096 != 0 {
			continue // sample ranges whose characters all behave alike
		}
		text := string(r)
		folded := String(text)
		for _, other := range []string{norm.NFC.String(text), norm.NFD.String(text), folded} {
			if got := String(other); got != folded {
				t.Errorf("%U folds to %q, but its other form %q to %q", r, folded, other, got)
			}
		}
		if got := string(AppendRune(nil, r)); got != folded {
			t.Errorf("%U alone is %q, in a text %q", r, got, folded)
		}
	}
}

func TestEqual(t *testing.T) {
	equal := func(a, b string) bool { return String(a) == String(b) }
	if !equal("Málaga", "MALAGA") || !equal("ガ", "カ\u3099") || equal("и", "й") || equal("カ", "ガ") {
		t.Error("Equal does not follow String")
	}
}

func TestCase(t *testing.T) {
	for text, want := range map[string]string{
		"HELLO":          "hello",
		"Málaga":         "málaga",
		"MA\u0301LAGA":   "málaga",
		"ΛΌΓΟΣ":          "λόγοσ",
		"漢\xffЁ":         "漢\xffё",
		"Straße STRAẞE ": "straße straße ",
	} {
		if got := string(AppendCase(nil, []byte(text))); got != want {
			t.Errorf("AppendCase(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestKind(t *testing.T) {
	for kind, runes := range map[RuneKind]string{
		Other:  " _-\n.,#😀→\u00a0、\u200d",
		Letter: "aZéяλאبक",
		Digit:  "07٣²Ⅷ๓",
		CJK:    "漢々〇ひカーｶ한ㄱㄅไิ\u0e81កမ",
		Mark:   "\u0301\u064b\u093f\u3099",
	} {
		for _, r := range runes {
			if got := Kind(r); got != kind {
				t.Errorf("Kind(%q %U) = %d, want %d", r, r, got, kind)
			}
		}
	}
	if Kind(-1) != Other || Kind(utf8.MaxRune+1) != Other {
		t.Error("an invalid code point has a kind")
	}
	if !IsWord('_') || !IsWord('é') || IsWord('-') {
		t.Error("IsWord is wrong")
	}
}

func TestAlign(t *testing.T) {
	for _, test := range []struct{ text, find, want string }{
		{"in Málaga now", "malaga", "Málaga"},
		{"in Ma\u0301laga\u0301 now", "malaga", "Ma\u0301laga\u0301"},
		{"die Straße", "ss", "ß"},
		{"die Straße", "as", "aß"},
		{"\ufeffkey", "key", "key"},
		{"\xff\xffКа\u3099Й и\u0306ода", "йода", "и\u0306ода"},
		{"한국\u1112\u1161\u11ab", "한", "한"},
		{"x\u1112\u1161\u11aby", "한", "\u1112\u1161\u11ab"},
		{"x y", "y", "y"},
	} {
		at := strings.Index(String(test.text), test.find)
		ranges := []Range{{at, at + len(test.find)}}
		Align([]byte(test.text), ranges)
		if got := test.text[ranges[0].Start:ranges[0].End]; got != test.want {
			t.Errorf("%q in %q comes from %q, want %q", test.find, test.text, got, test.want)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Málaga и\u0306 カ\u3099 \u1112\u1161\u11ab \xff ß")
	f.Add("ে\u0301া क\u093c ≠ =\u0338")
	f.Add("\xe0\xa7\u0301\x87\u09be") // stray bytes that a dropped mark keeps apart
	f.Fuzz(func(t *testing.T, text string) {
		folded := String(text)
		if utf8.ValidString(text) {
			if again := String(folded); again != folded {
				t.Errorf("%q folds to %q, and that to %q", text, folded, again)
			}
			if !utf8.ValidString(folded) {
				t.Errorf("%q folds to invalid UTF-8: %q", text, folded)
			}
		}
		var ranges []Range
		for i := range len(folded) {
			ranges = append(ranges, Range{i, i + 1})
		}
		Align([]byte(text), ranges)
		end := 0
		for i, r := range ranges {
			if r.Start >= r.End || r.End > len(text) || i > 0 && r.Start < ranges[i-1].Start {
				t.Fatalf("byte %d of %q comes from %v of %q", i, folded, r, text)
			}
			end = r.End
		}
		if len(ranges) > 0 && end != len(text) {
			t.Errorf("the end of %q comes from %d of %d bytes", folded, end, len(text))
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":    "The quick brown Fox jumps over the lazy Dog, and then some more. ",
		"cyrillic": "Съешь ещё этих мягких французских Булок, да выпей чаю. ",
		"german":   "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. ",
		"han":      "我能吞下玻璃而不伤身体。いろはにほへと ちりぬるを 한국어 ",
	} {
		src := bytes.Repeat([]byte(text), 3000/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			var dst []byte
			for b.Loop() {
				dst = Append(dst[:0], src)
			}
		})
	}
}
