package meaning

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// golden holds texts with their words, rows and vectors, as the table's maker computed them.
type golden struct {
	Cosine map[string]float64
	Texts  []struct {
		Text   string
		Words  []string
		IDs    []int
		First8 []float64
	}
}

func builtinReader() *reader { return newReader(new(table)) }

func vectorOf(text string) Vector {
	v, _ := Builtin().Question(context.Background(), text)
	return v
}

func cosine(a, b Vector) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestGoldenVectors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/golden.json")
	var want golden
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil || len(want.Texts) < 10 {
		t.Fatalf("%d texts, %v", len(want.Texts), err)
	}
	for _, test := range want.Texts {
		r := builtinReader()
		r.normalise([]byte(test.Text))
		var words []string
		r.each(r.plain, func(word []byte, _ bool) { words = append(words, string(word)) })
		if !slices.Equal(words, test.Words) {
			t.Errorf("%s: words %q, want %q", test.Text, words, test.Words)
		}
		sum := make(Vector, dimensions)
		for _, row := range test.IDs {
			r.table.add(row, sum)
		}
		sum.Unit()
		v := vectorOf(test.Text)
		if cosine(v, sum) < 0.99999 {
			t.Errorf("%s: not the sum of rows %d", test.Text, test.IDs)
		}
		for i, x := range test.First8 {
			if math.Abs(float64(v[i])-x) > 2e-5 {
				t.Errorf("%s: dimension %d is %f, want %f", test.Text, i, v[i], x)
			}
		}
	}
	for pair, texts := range map[string][2]string{
		"/ja": {"delete a folder", "フォルダを削除する"}, "/ko": {"delete a folder", "폴더 삭제"}, "/ru": {"delete a folder", "Удалить папку"},
		"/zh": {"delete a folder", "删除文件夹"}, "delete-a-folder/de": {"delete a folder", "einen Ordner löschen"},
		"candle/delete": {"candle", "delete a folder"}, "candle/wax": {"candle", "a cylinder of wax with a wick"},
	} {
		if got := cosine(vectorOf(texts[0]), vectorOf(texts[1])); math.Abs(got-want.Cosine[pair]) > 2e-4 {
			t.Errorf("%s: %f, want %f", pair, got, want.Cosine[pair])
		}
	}
}

// Texts without words that the table knows have no direction, and texts of any bytes can be read.
func TestOddTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "...", "98765432101", strings.Repeat("q", 41), "\xff\xfe", strings.Repeat("́", 1000)} {
		if v := vectorOf(text); v != nil {
			t.Errorf("%.20q has a direction", text)
		}
	}
	if vectorOf("Ordner\xff lo\u0308schen") == nil || cosine(vectorOf("lo\u0308schen"), vectorOf("löschen")) < 0.9999 {
		t.Error("composed and decomposed letters differ")
	}
	words, err := unpack(builtinWords)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][2]string{
		{"", ""}, {magic, ""}, {magic + strings.Repeat("\x00", 16), ""}, {words[:1000], builtinRows}, {"X" + words[1:], builtinRows},
		{words, builtinRows[1:]}, {words + "x", builtinRows},
	} {
		if err := new(table).read(data[0], data[1]); err == nil {
			t.Errorf("%.10q is taken for a table", data[0])
		}
	}
	if _, err := unpack(builtinWords[:1000]); err == nil {
		t.Error("half of the words are taken for all")
	}
}

// The two parts of the table are the file that was made for it.
func TestTableIsWhole(t *testing.T) {
	t.Parallel()
	words, err := unpack(builtinWords)
	if err != nil {
		t.Fatal(err)
	}
	const want = "506a256af8758a9380b39b60e8eadde2140490d2f621c3eb1ef636c5d421f6ac"
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(words+builtinRows))); sum != want {
		t.Errorf("SHA-256 %s, want %s", sum, want)
	}
}

// The fast form of adding a row gives the same bits as the portable one.
func TestFastAndPortableSumsAgree(t *testing.T) {
	t.Parallel()
	words := builtinReader().table
	fast, portable := make(Vector, dimensions), make(Vector, dimensions)
	for row := range 2_000 {
		words.add(row*37, fast)
		addEach(words.rows[row*37*rowSize:], math.Float32frombits(number32(words.scales[4*row*37:])), portable)
		if !slices.Equal(fast, portable) {
			t.Fatalf("row %d: %v, want %v", row*37, fast, portable)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		new(table).open()
	}
}

func BenchmarkAdd(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog while anemometers measure the wind. ", 100))
	r := builtinReader()
	v := make(Vector, dimensions)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Add(text, v)
	}
}
