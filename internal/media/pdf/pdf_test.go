package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/ascii85"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/media/pdf"
	"obsidian-mcp/internal/testkit/mode"
)

// builder writes documents object by object.
type builder struct {
	out     bytes.Buffer
	offsets []int
}

func newBuilder() *builder {
	b := &builder{}
	b.out.WriteString("%PDF-1.7\n")
	return b
}

func (b *builder) add(body string) {
	b.offsets = append(b.offsets, b.out.Len())
	fmt.Fprintf(&b.out, "%d 0 obj\n%s\nendobj\n", len(b.offsets), body)
}

// finish appends the table of objects. The first object must be the catalogue.
func (b *builder) finish(trailer string) []byte {
	at := b.out.Len()
	fmt.Fprintf(&b.out, "xref\n0 %d\n0000000000 65535 f \n", len(b.offsets)+1)
	for _, offset := range b.offsets {
		fmt.Fprintf(&b.out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b.out, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(b.offsets)+1, trailer, at)
	return b.out.Bytes()
}

func streamOf(entries, data string) string {
	return fmt.Sprintf("<</Length %d%s>>\nstream\n%s\nendstream", len(data), entries, data)
}

// document has one page with the given content. Its resources are the font F and whatever else is given.
func document(content, resources string, more ...string) []byte {
	b := newBuilder()
	b.add("<</Type/Catalog/Pages 2 0 R>>")
	b.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	b.add("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R/G 6 0 R>>" + resources + ">>>>")
	b.add(content)
	b.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	for _, object := range more {
		b.add(object)
	}
	return b.finish("")
}

func deflated(data string) string {
	var out bytes.Buffer
	writer := zlib.NewWriter(&out)
	writer.Write([]byte(data)) // a buffer never fails
	writer.Close()
	return out.String()
}

// bomb is 300 MB of spaces, packed.
func bomb() string {
	var out bytes.Buffer
	writer := zlib.NewWriter(&out)
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	part := func() int {
		writer.Write(spaces) // a buffer never fails
		writer.Flush()
		return out.Len()
	}
	part()
	start, end := part(), part()
	return out.String() + strings.Repeat(out.String()[start:end], 300) // each part repeats the one before
}

func readPage(t *testing.T, data []byte) string {
	t.Helper()
	opened, err := pdf.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := opened.Text(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestText(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a string", "BT /F 12 Tf 72 700 Td (Hello world) Tj ET", "Hello world"},
		{"escapes", `BT /F 12 Tf (a\(b\)\\\101\n(in)) Tj ET`, `a(b)\A (in)`},
		{"hexadecimal digits", "BT /F 12 Tf <48 65 6C6C6F> Tj ET", "Hello"},
		{"accents and marks", "BT /F 12 Tf (caf\xe9 \x80 \x93quoted\x94 \x97) Tj ET", "café € “quoted” —"},
		{"kerning", "BT /F 12 Tf [(A) 120 (W) 80 (AY)] TJ ET", "AWAY"},
		{"kerning as a space", "BT /F 12 Tf [(one) -300 (two)] TJ ET", "one two"},
		{"spacing that separates words", "BT /F 12 Tf 0 Tc (on) Tj 4 Tc (e) Tj 0 Tc (two) Tj ET", "one two"},
		{"little spacing", "BT /F 12 Tf 1 Tc (spaced) Tj ET", "spaced"},
		{"lines", "BT /F 12 Tf 14 TL 72 700 Td (one) Tj T* (two) Tj (three) ' 1 1 (four) \" ET", "one\ntwo\nthree\nfour"},
		{"paragraphs", "BT /F 12 Tf 72 700 Td (one) Tj 0 -40 Td (two) Tj ET", "one\n\ntwo"},
		{"cells", "BT /F 12 Tf 72 700 Td (one) Tj 100 0 Td (two) Tj 100 0 Td (three) Tj ET", "one two three"},
		{"a superscript", "BT /F 12 Tf 72 700 Td (m) Tj 7 Tf /F 7 Tf 4 Ts (2) Tj ET", "m2"},
		{"a rotated line", "BT /F 12 Tf 0 1 -1 0 300 100 Tm (upwards we) Tj ( go) Tj ET", "upwards we go"},
		{"a scaled page", "q 0.1 0 0 0.1 0 0 cm BT /F 120 Tf 720 7000 Td (one) Tj 240 0 Td (two) Tj ET Q", "one two"},
		{"bold by printing twice", "BT /F 12 Tf 72 700 Td (bold) Tj ET BT /F 12 Tf 72.3 700 Td (bold) Tj ET", "bold"},
		{"marked content with its text", "/Span <</ActualText (fish)>> BDC BT /F 12 Tf (f) Tj (i) Tj (sh) Tj ET EMC", "fish"},
		{"an inline image", "BI /W 2 /H 2 /BPC 8 /CS /G ID \x00(EI\xff EI BT /F 12 Tf (after) Tj ET", "after"},
		{"a form", "/X Do", "in a form"},
		{"glyph names", "BT /G 12 Tf (abcd) Tj ET", "fiŁ€x"},
		{"a scan", "q 100 0 0 100 0 0 cm /I Do Q", ""},
		{"nonsense", ">> ) ] } (open /F 12 Tf", ""},
	} {
		data := document(streamOf("", test.content), "/XObject<</X 7 0 R/I 8 0 R>>",
			"<</Type/Font/Subtype/Type1/BaseFont/Other/Encoding<</Differences[97/f_i/Lslash/uni20AC/x.alt]>>/FirstChar 97/Widths[500 500 500 500]>>",
			streamOf("/Type/XObject/Subtype/Form/BBox[0 0 1 1]", "BT /F 12 Tf (in a form) Tj ET /X Do"),
			streamOf("/Type/XObject/Subtype/Image/Filter/DCTDecode/Width 1/Height 1", "\xff\xd8"))
		if got := readPage(t, data); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestFilters(t *testing.T) {
	const content = "BT /F 12 Tf (packed text) Tj ET"
	var in85 bytes.Buffer
	encoder := ascii85.NewEncoder(&in85)
	encoder.Write([]byte(content)) // a buffer never fails
	encoder.Close()
	predicted := ""
	for i := 0; i < len(content); i += 8 { // rows of 8 bytes, each with the filter "difference from the left"
		row := content[i:min(i+8, len(content))]
		predicted += "\x01"
		for j := range len(row) {
			left := byte(0)
			if j > 0 {
				left = row[j-1]
			}
			predicted += string([]byte{row[j] - left})
		}
	}
	for name, stream := range map[string]string{
		"Flate":        streamOf("/Filter/FlateDecode", deflated(content)),
		"no checksum":  streamOf("/Filter/FlateDecode", deflated(content)[:len(deflated(content))-4]),
		"predictor":    streamOf("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 8>>", deflated(predicted)),
		"ASCII85":      streamOf("/Filter/ASCII85Decode", in85.String()+"~>"),
		"ASCIIHex":     streamOf("/Filter/AHx", fmt.Sprintf("%x>", content)),
		"RunLength":    streamOf("/Filter/RunLengthDecode", string(rune(len(content)-1))+content+"\x80"),
		"two":          streamOf("/Filter[/ASCIIHexDecode/FlateDecode]", fmt.Sprintf("%x>", deflated(content))),
		"LZW":          streamOf("/Filter/LZWDecode", lzw(content)),
		"wrong length": strings.Replace(streamOf("/Filter/FlateDecode", deflated(content)), "/Length ", "/Length 9", 1),
	} {
		if got := readPage(t, document(stream, "")); got != "packed text" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// lzw packs data in codes of 9 bits that never use the table.
func lzw(data string) string {
	var out []byte
	bits, count := 0, 0
	write := func(code int) {
		bits, count = bits<<9|code, count+9
		for count >= 8 {
			count -= 8
			out = append(out, byte(bits>>count))
		}
	}
	for i := range len(data) {
		if i%100 == 0 {
			write(256)
		}
		write(int(data[i]))
	}
	write(257)
	write(0)
	return string(out)
}

// samples are documents by other programs: see testdata/README.md.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(names) < 4 {
		t.Fatalf("%d samples: %v", len(names), err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		if all[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestSamples(t *testing.T) {
	for name, data := range samples(t) {
		opened, err := pdf.Open(t.Context(), data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if opened.Pages != 2 {
			t.Errorf("%s: %d pages, want 2", name, opened.Pages)
		}
		text, err := opened.Text(t.Context(), 2)
		if name == "password.pdf" {
			if !opened.IsLocked || !errors.Is(err, pdf.ErrLocked) {
				t.Errorf("%s: locked %t, %v", name, opened.IsLocked, err)
			}
			continue
		}
		if err != nil || !strings.Contains(text, "second page") {
			t.Errorf("%s: page 2 is %q, %v", name, text, err)
		}
		if _, err := opened.Text(t.Context(), 3); err == nil || err.Error() != "page 3 does not exist; the PDF has 2 pages" {
			t.Errorf("%s: page 3: %v", name, err)
		}
	}
}

func TestDamagedFilesAreRepaired(t *testing.T) {
	for name, data := range samples(t) {
		if name == "password.pdf" {
			continue
		}
		for damage, damaged := range map[string][]byte{
			"no startxref":   bytes.ReplaceAll(data, []byte("startxref"), []byte("startxxxx")),
			"wrong offset":   bytes.ReplaceAll(data, []byte("startxref\n"), []byte("startxref\n1")),
			"text before it": append([]byte("HTTP/1.1 200 OK\n\n"), data...),
			"shifted":        bytes.Replace(data, []byte("\n"), []byte("\n%%%%%%%%%%\n"), 1),
			"text behind it": append(bytes.Clone(data), "<html>"...),
		} {
			opened, err := pdf.Open(t.Context(), damaged)
			if err != nil {
				t.Errorf("%s, %s: %v", name, damage, err)
				continue
			}
			if text, err := opened.Text(t.Context(), 2); opened.Pages != 2 || err != nil || !strings.Contains(text, "second page") {
				t.Errorf("%s, %s: %d pages, page 2 is %q, %v", name, damage, opened.Pages, text, err)
			}
		}
	}
}

// TestDamagedFilesEnd cuts files and changes bytes at random. Whatever comes out, it must come out.
func TestDamagedFilesEnd(t *testing.T) {
	random := mode.Rand(2)
	for name, data := range samples(t) {
		for range mode.Pick(40, 400, 4000) {
			damaged := bytes.Clone(data[:len(data)/4+random.IntN(len(data)*3/4)])
			for range random.IntN(30) {
				damaged[random.IntN(len(damaged))] = byte(random.Uint32())
			}
			if err := readEverything(t.Context(), damaged); err != nil && !errors.Is(err, fault.InvalidArgument) {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// readEverything reads all pages, and returns the first error.
func readEverything(ctx context.Context, data []byte) error {
	opened, err := pdf.Open(ctx, data)
	if err != nil {
		return err
	}
	for page := 1; page <= min(opened.Pages, 20); page++ {
		if _, err := opened.Text(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	for data, want := range map[string]string{
		"":                              "the file is not a PDF document",
		"hello":                         "the file is not a PDF document",
		"%PDF-1.7\n":                    "the PDF is damaged: no page can be found in it",
		"%PDF-1.7\nstartxref\n9\n%%EOF": "the PDF is damaged: no page can be found in it",
	} {
		if _, err := pdf.Open(t.Context(), []byte(data)); err == nil || err.Error() != want || !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

// TestBudgets reads documents that want more than anybody should give them.
func TestBudgets(t *testing.T) {
	nested := func(resources string) string {
		return streamOf("/Type/XObject/Subtype/Form"+resources, strings.Repeat("/X Do /Y Do ", 50))
	}
	loop := newBuilder()
	loop.add("<</Type/Catalog/Pages 2 0 R>>")
	loop.add("<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]/Parent 2 0 R>>")
	loop.add("<</Type/Page/Parent 2 0 R/Contents[3 0 R 4 0 R]>>")
	loop.add("<</Length 4 0 R>>\nstream\nq\nendstream")
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"a bomb": {document(streamOf("/Filter/FlateDecode", bomb()), ""), "the PDF cannot be read: it unpacks to more than 100 MB"},
		"a bomb in a bomb": {document(streamOf("/Filter[/FlateDecode/FlateDecode]", deflated(bomb())), ""),
			"the PDF cannot be read: it unpacks to more than 100 MB"},
		"forms in forms":  {document(streamOf("", "/X Do"), "/XObject<</X 7 0 R/Y 8 0 R>>", "null", nested(""), nested("")), "the PDF cannot be read: it is too complex"},
		"loops":           {loop.finish("/Prev 9"), ""},
		"endless nesting": {document(streamOf("", strings.Repeat("[", 100_000)+strings.Repeat("<<", 100_000)), ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := readEverything(t.Context(), test.data)
			runtime.ReadMemStats(&after)
			if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<30 {
				t.Errorf("allocated %d MB in all", allocated>>20)
			}
		})
	}
}

func TestContextStopsTheWork(t *testing.T) {
	data := document(streamOf("", strings.Repeat("q Q ", 1000)), "")
	ctx, cancel := context.WithCancel(t.Context())
	opened, err := pdf.Open(ctx, data)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := opened.Text(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("text: %v", err)
	}
	if _, err := pdf.Open(ctx, data); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Add(document(streamOf("", "BT /F 12 Tf [(A) 120 (W)] TJ /X Do ET"), "/XObject<</X 6 0 R>>", streamOf("/Subtype/Form", "/X Do")))
	f.Add(document(streamOf("/Filter/LZWDecode", lzw("BT (x) Tj ET")), ""))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := readEverything(t.Context(), data); err != nil && !errors.Is(err, fault.InvalidArgument) {
			t.Error(err)
		}
	})
}
