package kind_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/media/kind"
)

// samples has the beginning of a file for each format, and the extensions that it fits.
var samples = []struct {
	what, extensions, data string
}{
	{"a PNG picture", ".png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"},
	{"a JPEG picture", ".jpg .jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF"},
	{"a GIF picture", ".gif", "GIF89a\x01\x00\x01\x00"},
	{"a GIF picture", ".gif", "GIF87a\x01\x00\x01\x00"},
	{"a WebP picture", ".webp", "RIFF\x10\x00\x00\x00WEBPVP8L"},
	{"a BMP picture", ".bmp", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00"},
	{"an AVIF picture", ".avif", "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1miaf"},
	{"an AVIF picture", ".avif", "\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avif"},
	{"a HEIC picture", ".heic .heif", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"},
	{"a TIFF picture", ".tif .tiff", "II*\x00\x08\x00\x00\x00"},
	{"a TIFF picture", ".tif .tiff", "MM\x00*\x00\x00\x00\x08"},
	{"an icon", ".ico", "\x00\x00\x01\x00\x01\x00\x10\x10"},
	{"a PDF document", ".pdf", "%PDF-1.7\n"},
	{"a PDF document", ".pdf", "\n\n%PDF-1.4\n"},
	{"a ZIP archive", ".zip .docx .xlsx .pptx .epub", "PK\x03\x04\x14\x00"},
	{"an Office document in the old or encrypted form", ".docx .xlsx .pptx", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	{"MP3 audio", ".mp3", "ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x44"},
	{"MP3 audio", ".mp3", "\xff\xfb\x90\x44\x00\x00"},
	{"FLAC audio", ".flac", "fLaC\x00\x00\x00\x22"},
	{"FLAC audio", ".flac", "ID3\x04\x00\x00\x00\x00\x00\x02\x00\x00fLaC"},
	{"an Ogg recording", ".ogg .opus .ogv", "OggS\x00\x02"},
	{"WAV audio", ".wav", "RIFF\x24\x00\x00\x00WAVEfmt "},
	{"an MP4 recording", ".m4a .mp4 .mov .3gp", "\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00isomM4A "},
	{"an MP4 recording", ".m4a .mp4 .mov .3gp", "\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  "},
	{"an MP4 recording", ".m4a .mp4 .mov .3gp", "\x00\x00\x00\x14ftyp3gp4\x00\x00\x00\x003gp4"},
	{"an MP4 recording", ".m4a .mp4 .mov .3gp", "\x00\x00\x00\x08wide\x00\x00\x00\x00mdat"},
	{"a WebM recording", ".webm .mkv", "\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm"},
	{"a Matroska video", ".mkv", "\x1a\x45\xdf\xa3\xa3B\x86\x81\x01B\x82\x88matroska"},
}

const binaryExtensions = `.png .jpg .jpeg .gif .webp .bmp .avif .heic .heif .tif .tiff .ico .pdf .zip .docx .xlsx .pptx .epub
	.mp3 .flac .ogg .opus .ogv .wav .m4a .mp4 .mov .3gp .webm .mkv`

func TestContentMustBeWhatTheExtensionSays(t *testing.T) {
	for _, sample := range samples {
		fits := strings.Fields(sample.extensions)
		for _, ext := range strings.Fields(binaryExtensions) {
			err := kind.Check("x"+ext, []byte(sample.data))
			switch {
			case slices.Contains(fits, ext) && err != nil:
				t.Errorf("Check(x%s) of %s: %v", ext, sample.what, err)
			case !slices.Contains(fits, ext) && (err == nil || err.Error() != "'x"+ext+"' holds "+sample.what):
				t.Errorf("Check(x%s) of %s = %v, want an error that says what it holds", ext, sample.what, err)
			}
		}
		if err := kind.Check("x.unknown", []byte(sample.data)); err != nil {
			t.Errorf("Check(x.unknown) of %s: %v", sample.what, err)
		}
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ name, data, want string }{
		{"x.PNG", "\xff\xd8\xff\xe0", "'x.PNG' holds a JPEG picture"},
		{".png", "\xff\xd8\xff\xe0", "'.png' holds a JPEG picture"},
		{"x.png", "", "'x.png' is empty, but should hold a PNG picture"},
		{"x.png", "hello", "'x.png' holds text, but should hold a PNG picture"},
		{"x.png", "\x01\x02\x00", "'x.png' does not hold a PNG picture"},
		{"x.wav", "RIFF\x00\x00\x00\x00AVI ", "'x.wav' does not hold WAV audio"},
		{"x.mkv", "\x1a\x45\xdf\xa3\x00", "'x.mkv' does not hold a Matroska video"},
		{"x.bmp", "BMW and others, a list of cars", "'x.bmp' holds text, but should hold a BMP picture"},
		{"x.mp3", "\xff\xfeh\x00i\x00", "'x.mp3' does not hold MP3 audio"},
		{"x.txt", "", ""},
		{"x.txt", "MZ and other letters", ""},
		{"x.txt", "a\x00b", "'x.txt' is not text in UTF-8"},
		{"x.csv", "caf\xe9", "'x.csv' is not text in UTF-8"},
		{"x.base", "\x89PNG\r\n\x1a\n\x00", "'x.base' holds a PNG picture, but should hold text"},
		{"x.js", "\x7fELF\x02\x01\x01\x00", "'x.js' holds a program, but should hold text"},
		{"x.svg", `<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>`, ""},
		{"x.svg", "\ufeff<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- c --><svg/>\n", ""},
		{"x.svg", `<!DOCTYPE svg [<!ENTITY ns "http://example.org/">]><svg xmlns:x="&ns;">&ns;</svg>`, ""},
		{"x.svg", `<svg>&nothing;</svg>`, "'x.svg' is not an SVG picture: XML syntax error on line 1: invalid character entity &nothing;"},
		{"x.svg", `<svg><g></svg>`, "'x.svg' is not an SVG picture: XML syntax error on line 1: element <g> closed by </svg>"},
		{"x.svg", `<svg>`, "'x.svg' is not an SVG picture: XML syntax error on line 1: unexpected EOF"},
		{"x.svg", `<html/>`, "'x.svg' is not an SVG picture: it has the element 'html' at the top"},
		{"x.svg", `<svg/><svg/>`, "'x.svg' is not an SVG picture: it has the element 'svg' at the top"},
		{"x.svg", `<svg/>more`, "'x.svg' is not an SVG picture: it has text outside its elements"},
		{"x.svg", "", "'x.svg' is not an SVG picture: it has no element"},
		{"x.svg", "<svg>" + strings.Repeat("<g>", 2000), "'x.svg' is not an SVG picture: its elements are nested too deeply"},
		{"x.unknown", "anything\x00", ""},
		{"x", "", ""},
		{"x.exe", "MZ\x90\x00\x03\x00", "'x.exe' holds a program, which has no place in a vault"},
		{"x.dat", "\x7fELF\x02", "'x.dat' holds a program, which has no place in a vault"},
		{"x", "\xcf\xfa\xed\xfe\x07\x00", "'x' holds a program, which has no place in a vault"},
		{"x.bin", "\xca\xfe\xba\xbe", "'x.bin' holds a program, which has no place in a vault"},
		{"x.png", "\x7fELF\x02", "'x.png' holds a program"},
	} {
		err := kind.Check(test.name, []byte(test.data))
		switch {
		case test.want == "" && err != nil:
			t.Errorf("Check(%s, %q): %v", test.name, test.data, err)
		case test.want != "" && (err == nil || err.Error() != test.want):
			t.Errorf("Check(%s, %.60q) = %v, want %s", test.name, test.data, err, test.want)
		case err != nil && !errors.Is(err, fault.InvalidArgument):
			t.Errorf("Check(%s): %v is not an invalid argument", test.name, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, sample := range samples {
		f.Add(strings.Fields(sample.extensions)[0], []byte(sample.data))
	}
	f.Add(".svg", []byte(`<!DOCTYPE svg [<!ENTITY a "&a;&a;">]><svg>&a;</svg>`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if err := kind.Check(name, data); err != nil && !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("Check(%q): %v is not an invalid argument", name, err)
		}
	})
}
