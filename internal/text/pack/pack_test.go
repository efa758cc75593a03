package pack

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// samples are what random texts are made of: words of several scripts, what is between them, and bytes that are not UTF-8.
var samples = []string{
	"the", " the", " of", "\n", "\n\n- [ ] ", "[[", "]]", "# ", "2026-11-19", "word", " word", " Straße", " naïve", "мир", " Мирный", "知識", "知識図書", "、",
	"ภาษาไทย", "한국어", "👨‍👩‍👧", " ", "   ", "a", "\xff", "\x80\x80", "\xe4\xb8", "supercalifragilisticexpialidocious", "\x00", "tiếng Việt",
}

func drawText(t *rapid.T) []byte {
	var text []byte
	for range rapid.IntRange(0, 40).Draw(t, "samples") {
		text = append(text, rapid.SampledFrom(samples).Draw(t, "sample")...)
	}
	return append(text, rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes")...)
}

func unpack(packer *Packer, packed []byte) []byte {
	return packer.Book().AppendFirst(nil, packed, Size(packed))
}

// Unpacking returns every text as it was, and any beginning of it, even after the book has grown.
func TestPackedTextsAreKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		packer := NewPacker()
		var texts, packed [][]byte
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			var batch [][]byte
			for range rapid.IntRange(0, 6).Draw(t, "texts") {
				batch = append(batch, drawText(t))
			}
			data, ends := packer.Append([]byte("before"), batch)
			start := len("before")
			for _, end := range ends {
				packed = append(packed, data[start:end])
				start = end
			}
			texts = append(texts, batch...)
		}
		var keep []byte
		for i, want := range texts {
			if got := unpack(packer, packed[i]); !bytes.Equal(got, want) || Size(packed[i]) != len(want) {
				t.Fatalf("%q became %q", want, got)
			}
			count := rapid.IntRange(0, len(want)+1).Draw(t, "first")
			keep = packer.Book().AppendFirst(keep[:0], packed[i], count)
			if !bytes.Equal(keep, want[:min(count, len(want))]) {
				t.Fatalf("the first %d bytes of %q became %q", count, want, keep)
			}
		}
	})
}

// A book with many pieces has codes of all lengths, and literals may have any length.
func TestCodesOfAllLengths(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for range leastUse {
		for i := range firstInThree + 5000 {
			fmt.Fprintf(&text, " %c%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/26/26%26, 'a'+i/26/26/26)
		}
	}
	text.WriteString(strings.Repeat("\x80", 3*maxLiteral))
	packer := NewPacker()
	packed, _ := packer.Append(nil, [][]byte{[]byte(text.String())})
	if len(packer.Book().pieces) <= firstInThree {
		t.Fatalf("the book has %d pieces only", len(packer.Book().pieces))
	}
	if string(unpack(packer, packed)) != text.String() {
		t.Error("the text is not the same")
	}
}

// Texts of any size are packed, between others.
func TestLargeTexts(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("A large text, 漢字も 0123456789. "), 2*mostTogether/30)
	texts := [][]byte{[]byte("before"), large, nil, []byte("after"), large[:mostTogether], large[:mostTogether+1], []byte("end")}
	packer := NewPacker()
	packed, ends := packer.Append(nil, texts)
	start := 0
	for i, end := range ends {
		if !bytes.Equal(unpack(packer, packed[start:end]), texts[i]) {
			t.Errorf("text %d is not the same", i)
		}
		start = end
	}
	if len(ends) != len(texts) {
		t.Errorf("%d of %d texts are packed", len(ends), len(texts))
	}
}

// Texts that repeat their words, or words of earlier texts, are packed to less than half of their size. Rare pieces are forgotten.
func TestPackedTextsAreSmall(t *testing.T) {
	t.Parallel()
	packer := NewPacker()
	for round := range 40 {
		var text strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&text, " common words meet the rare one%dx%d\n", round, i)
		}
		packed, _ := packer.Append(nil, [][]byte{[]byte(text.String())})
		if len(packed) > text.Len()/2 {
			t.Fatalf("round %d: %d of %d bytes", round, len(packed), text.Len())
		}
	}
	if packer.unlisted > maxUnlisted || packer.table.count > maxUnlisted+len(packer.Book().pieces) {
		t.Errorf("%d pieces are remembered that the book lacks", packer.unlisted)
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte(strings.Join(samples, "")), 3)
	f.Fuzz(func(t *testing.T, text []byte, copies int) {
		packer := NewPacker()
		var texts [][]byte
		for range min(max(copies, 1), 5) {
			texts = append(texts, text)
		}
		packed, ends := packer.Append(nil, texts)
		if got := unpack(packer, packed[:ends[0]]); !bytes.Equal(got, text) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func BenchmarkPack(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody knows why it does so.\n", 1000))
	packer := NewPacker()
	packed, _ := packer.Append(nil, [][]byte{text})
	b.Run("pack", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			packed, _ = packer.Append(packed[:0], [][]byte{text})
		}
	})
	b.Run("unpack", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		var keep []byte
		for b.Loop() {
			keep = packer.Book().AppendFirst(keep[:0], packed, len(text))
		}
	})
}
