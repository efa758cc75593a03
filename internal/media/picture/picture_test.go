package picture_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/media/picture"
	"obsidian-mcp/internal/testkit/mode"
)

// place is the metadata that must never be sent.
const place = "GPS 52.5200 N"

var (
	red, green   = color.NRGBA{R: 255, A: 255}, color.NRGBA{G: 255, A: 255}
	blue, yellow = color.NRGBA{B: 255, A: 255}, color.NRGBA{R: 255, G: 255, A: 255}
)

// settable is a picture of any colour model.
type settable interface {
	image.Image
	Set(x, y int, c color.Color)
}

// paint gives each corner its own colour: red and green at the top, blue and yellow at the bottom.
func paint[T settable](canvas T) T {
	bounds := canvas.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			colours := [2][2]color.Color{{red, green}, {blue, yellow}}
			canvas.Set(x, y, colours[2*y/bounds.Dy()][2*x/bounds.Dx()])
		}
	}
	return canvas
}

func corners(width, height int) *image.NRGBA {
	return paint(image.NewNRGBA(image.Rect(0, 0, width, height)))
}

// noise is a picture that no format makes small.
func noise(width, height int, opaque bool) *image.NRGBA {
	random := mode.Rand(1)
	canvas := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range canvas.Pix {
		canvas.Pix[i] = byte(random.Uint32())
		if opaque && i%4 == 3 {
			canvas.Pix[i] = 255
		}
	}
	return canvas
}

func encodePNG(t testing.TB, canvas image.Image) []byte {
	return encode(t, func(buffer *bytes.Buffer) error { return png.Encode(buffer, canvas) })
}

func encodeJPEG(t testing.TB, canvas image.Image) []byte {
	return encode(t, func(buffer *bytes.Buffer) error { return jpeg.Encode(buffer, canvas, nil) })
}

func encodeGIF(t testing.TB, canvas image.Image) []byte {
	return encode(t, func(buffer *bytes.Buffer) error { return gif.Encode(buffer, canvas, nil) })
}

func encodeBMP(t testing.TB, canvas image.Image) []byte {
	return encode(t, func(buffer *bytes.Buffer) error { return bmp.Encode(buffer, canvas) })
}

func encode(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var buffer bytes.Buffer
	if err := write(&buffer); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fit(t *testing.T, data []byte, limits picture.Limits) picture.Picture {
	t.Helper()
	fitted, err := picture.Fit(t.Context(), data, limits)
	if err != nil {
		t.Fatal(err)
	}
	return fitted
}

// decode decodes what was sent, by the type that it claims to have.
func decode(t *testing.T, sent picture.Picture) image.Image {
	t.Helper()
	decoders := map[string]func(data []byte) (image.Image, error){
		"image/png":  func(data []byte) (image.Image, error) { return png.Decode(bytes.NewReader(data)) },
		"image/jpeg": func(data []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(data)) },
		"image/gif":  func(data []byte) (image.Image, error) { return gif.Decode(bytes.NewReader(data)) },
		"image/webp": func(data []byte) (image.Image, error) { return webp.Decode(bytes.NewReader(data)) },
	}
	decoder, ok := decoders[sent.MIME]
	if !ok {
		t.Fatalf("sent as %s, which models do not accept", sent.MIME)
	}
	decoded, err := decoder(sent.Data)
	if err != nil {
		t.Fatalf("what was sent as %s cannot be decoded: %v", sent.MIME, err)
	}
	if size := decoded.Bounds().Size(); size != image.Pt(sent.SentWidth, sent.SentHeight) {
		t.Errorf("sent %v pixels, but says %d × %d", size, sent.SentWidth, sent.SentHeight)
	}
	return decoded
}

// checkCorners compares the colours near the corners, from the top left to the bottom right.
func checkCorners(t *testing.T, got image.Image, want [4]color.NRGBA) {
	t.Helper()
	bounds := got.Bounds()
	dx, dy := bounds.Dx()/4, bounds.Dy()/4
	for i, at := range []image.Point{{dx, dy}, {3 * dx, dy}, {dx, 3 * dy}, {3 * dx, 3 * dy}} {
		at = at.Add(bounds.Min)
		found := color.NRGBAModel.Convert(got.At(at.X, at.Y)).(color.NRGBA)
		far := func(a, b uint8) bool { return max(a, b)-min(a, b) > 70 }
		if far(found.R, want[i].R) || far(found.G, want[i].G) || far(found.B, want[i].B) || far(found.A, want[i].A) {
			t.Errorf("at %v: %v, want about %v", at, found, want[i])
		}
	}
}

var upright = [4]color.NRGBA{red, green, blue, yellow}

func TestFormats(t *testing.T) {
	size := image.Rect(0, 0, 32, 16)
	palette := color.Palette{red, green, blue, yellow}
	grey := func(light uint8) color.NRGBA { return color.NRGBA{light, light, light, 255} }
	for name, test := range map[string]struct {
		data    []byte
		mime    string
		changed string
		want    [4]color.NRGBA
	}{
		"PNG":                {encodePNG(t, corners(32, 16)), "image/png", "", upright},
		"PNG with a palette": {encodePNG(t, paint(image.NewPaletted(size, palette))), "image/png", "", upright},
		"PNG of 16 bits":     {encodePNG(t, paint(image.NewNRGBA64(size))), "image/png", "", upright},
		"PNG in grey": {encodePNG(t, paint(image.NewGray(size))), "image/png", "",
			[4]color.NRGBA{grey(76), grey(150), grey(29), grey(226)}},
		"PNG in grey of 16 bits": {encodePNG(t, paint(image.NewGray16(size))), "image/png", "",
			[4]color.NRGBA{grey(76), grey(150), grey(29), grey(226)}},
		"PNG, interlaced":   {interlaced(32, 16), "image/png", "", [4]color.NRGBA{grey(200), grey(200), grey(200), grey(200)}},
		"JPEG":              {encodeJPEG(t, corners(32, 16)), "image/jpeg", "", upright},
		"JPEG, progressive": {fixture(t, "progressive.jpg"), "image/jpeg", "", upright},
		"JPEG in grey": {encodeJPEG(t, paint(image.NewGray(size))), "image/jpeg", "",
			[4]color.NRGBA{grey(76), grey(150), grey(29), grey(226)}},
		"GIF":                  {encodeGIF(t, paint(image.NewPaletted(size, palette))), "image/gif", "", upright},
		"BMP":                  {encodeBMP(t, corners(32, 16)), "image/png", "sent as PNG", upright},
		"BMP with a palette":   {encodeBMP(t, paint(image.NewPaletted(size, palette))), "image/png", "sent as PNG", upright},
		"WebP":                 {fixture(t, "lossy.webp"), "image/webp", "", upright},
		"WebP, transparent":    {fixture(t, "lossy-alpha.webp"), "image/webp", "", upright},
		"WebP, lossless":       {fixture(t, "lossless-alpha.webp"), "image/webp", "", upright},
		"WebP with metadata":   {fixture(t, "located.webp"), "image/webp", "metadata removed", upright},
		"WebP, animated":       {fixture(t, "animated.webp"), "image/webp", "first frame of 3", upright},
		"WebP, animated parts": {fixture(t, "animated-offset.webp"), "image/png", "first frame of 2, sent as PNG", [4]color.NRGBA{red, {}, {}, {}}},
	} {
		t.Run(name, func(t *testing.T) {
			sent := fit(t, test.data, picture.Limits{})
			if sent.MIME != test.mime || sent.Changed != test.changed {
				t.Errorf("sent as %s, changed %q, want %s, %q", sent.MIME, sent.Changed, test.mime, test.changed)
			}
			if sent.Width != 32 || sent.Height != 16 {
				t.Errorf("original size %d × %d, want 32 × 16", sent.Width, sent.Height)
			}
			if test.changed == "" && !bytes.Equal(sent.Data, test.data) && !strings.HasPrefix(name, "WebP") {
				t.Error("the file was changed, though it says nothing")
			}
			decoded := decode(t, sent)
			if !strings.Contains(name, "ransparent") && name != "WebP, lossless" && name != "WebP with metadata" {
				checkCorners(t, decoded, test.want)
			}
			small := fit(t, test.data, picture.Limits{MaxPx: 16})
			if small.SentWidth != 16 || small.SentHeight != 8 || !strings.Contains(small.Changed, "scaled from 32 × 16 to 16 × 8") {
				t.Errorf("small: %d × %d, changed %q", small.SentWidth, small.SentHeight, small.Changed)
			}
			decode(t, small)
		})
	}
}

// interlaced is a grey PNG of seven passes, which Go's encoder does not write.
func interlaced(width, height int) []byte {
	var raw []byte
	for _, pass := range [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		for y := pass[1]; y < height; y += pass[3] {
			raw = append(raw, 0)
			for x := pass[0]; x < width; x += pass[2] {
				raw = append(raw, 200)
			}
		}
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	header = append(header, 8, 0, 0, 0, 1)
	return pngFile(pngChunk("IHDR", header), pngChunk("IDAT", deflated(raw)), pngChunk("IEND", nil))
}

func deflated(raw []byte) []byte {
	var buffer bytes.Buffer
	writer := zlib.NewWriter(&buffer)
	writer.Write(raw) // a buffer never fails
	writer.Close()
	return buffer.Bytes()
}

func pngChunk(kind string, body []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(chunk, kind...)
	chunk = append(chunk, body...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

func pngFile(chunks ...[]byte) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), bytes.Join(chunks, nil)...)
}

func TestCMYK(t *testing.T) {
	sent := fit(t, fixture(t, "cmyk.jpg"), picture.Limits{MaxPx: 16})
	checkCorners(t, decode(t, sent), upright)
	if want := "scaled from 32 × 16 to 16 × 8, sent as JPEG"; sent.Changed != want {
		t.Errorf("changed %q, want %q", sent.Changed, want)
	}
}

func TestLargePicturesAreMadeSmall(t *testing.T) {
	for _, test := range []struct {
		name    string
		data    []byte
		limits  picture.Limits
		mime    string
		changed string
	}{
		{"a photograph", encodeJPEG(t, corners(2000, 1500)), picture.Limits{}, "image/jpeg", "scaled from 2000 × 1500 to 1568 × 1176, sent as JPEG"},
		{"a high screenshot", encodePNG(t, corners(150, 2000)), picture.Limits{}, "image/png", "scaled from 150 × 2000 to 118 × 1568, sent as PNG"},
		{"one line", encodePNG(t, corners(3000, 1)), picture.Limits{MaxPx: 100}, "image/png", "scaled from 3000 × 1 to 100 × 1, sent as PNG"},
		{"noise without transparency", encodePNG(t, noise(600, 500, true)), picture.Limits{}, "image/jpeg", "sent as JPEG"},
		{"transparent noise", encodePNG(t, noise(300, 200, false)), picture.Limits{MaxBytes: 200_000}, "image/jpeg", "transparent parts filled with white, sent as JPEG"},
		{"few bytes", encodePNG(t, noise(300, 200, true)), picture.Limits{MaxBytes: 4000}, "image/jpeg", "scaled from 300 × 200 to "},
	} {
		t.Run(test.name, func(t *testing.T) {
			sent := fit(t, test.data, test.limits)
			if sent.MIME != test.mime || !strings.HasPrefix(sent.Changed, test.changed) {
				t.Errorf("sent as %s, changed %q, want %s, %q", sent.MIME, sent.Changed, test.mime, test.changed)
			}
			maxBytes := test.limits.MaxBytes
			if maxBytes == 0 {
				maxBytes = picture.DefaultBytes
			}
			if len(sent.Data) > maxBytes {
				t.Errorf("sent %d bytes, want at most %d", len(sent.Data), maxBytes)
			}
			decode(t, sent)
		})
	}
}

func TestImpossibleLimitIsAnError(t *testing.T) {
	_, err := picture.Fit(t.Context(), encodePNG(t, corners(32, 16)), picture.Limits{MaxBytes: 10})
	if !errors.Is(err, fault.InvalidArgument) || err.Error() != "the picture cannot be made as small as 10 bytes" {
		t.Errorf("got %v", err)
	}
}

// TestScalingKeepsStraightLines looks for seams between the strips that are scaled one after the other.
func TestScalingKeepsStraightLines(t *testing.T) {
	canvas := image.NewGray(image.Rect(0, 0, 1200, 900))
	for y := range 900 {
		for x := range 1200 {
			canvas.SetGray(x, y, color.Gray{Y: uint8(x * 255 / 1200)})
		}
	}
	decoded := decode(t, fit(t, encodePNG(t, canvas), picture.Limits{MaxPx: 400}))
	for y := range 300 {
		for x := 1; x < 400; x++ {
			got, left := color.GrayModel.Convert(decoded.At(x, y)).(color.Gray).Y, color.GrayModel.Convert(decoded.At(x-1, y)).(color.Gray).Y
			if first := color.GrayModel.Convert(decoded.At(x, 0)).(color.Gray).Y; got != first || got < left || got-left > 2 {
				t.Fatalf("at %d, %d: %d, beside %d, in the first row %d", x, y, got, left, first)
			}
		}
	}
}

// exif is a directory with the orientation and a place.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	data := []byte("II*\x00\x08\x00\x00\x00")
	if order.String() == "BigEndian" {
		data = []byte("MM\x00*\x00\x00\x00\x08")
	}
	data = order.AppendUint16(data, 2)
	for _, entry := range [][2]uint16{{0x100, 32}, {0x112, orientation}} {
		data = order.AppendUint16(order.AppendUint16(data, entry[0]), 3)
		data = order.AppendUint32(data, 1)
		data = order.AppendUint16(order.AppendUint16(data, entry[1]), 0)
	}
	return append(data, "\x00\x00\x00\x00"+place...)
}

func jpegSegment(marker byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// withSegments puts segments at the beginning of a JPEG file.
func withSegments(file []byte, segments ...[]byte) []byte {
	return append(append(bytes.Clone(file[:2]), bytes.Join(segments, nil)...), file[2:]...)
}

func TestOrientation(t *testing.T) {
	// Where the corners of the stored picture are to be seen, after the EXIF standard: 2 is mirrored, 3 turned by 180°, 4
	// mirrored from top to bottom, 5 to 8 have rows and columns exchanged.
	want := map[uint16][4]color.NRGBA{
		1: {red, green, blue, yellow}, 2: {green, red, yellow, blue}, 3: {yellow, blue, green, red}, 4: {blue, yellow, red, green},
		5: {red, blue, green, yellow}, 6: {blue, red, yellow, green}, 7: {yellow, green, blue, red}, 8: {green, yellow, red, blue},
	}
	verbs := map[uint16]string{2: "mirrored", 3: "rotated", 4: "mirrored", 5: "mirrored and rotated", 6: "rotated", 7: "mirrored and rotated", 8: "rotated"}
	for number, corner := range want {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			t.Run(fmt.Sprint(number, order), func(t *testing.T) {
				file := encodeJPEG(t, corners(64, 32))
				file = withSegments(file, jpegSegment(0xe1, "Exif\x00\x00"+string(exif(order, number))))
				pngFile := encodePNG(t, corners(64, 32))
				pngFile = append(append(bytes.Clone(pngFile[:33]), pngChunk("eXIf", exif(order, number))...), pngFile[33:]...)
				for _, file := range [][]byte{file, pngFile} {
					sent := fit(t, file, picture.Limits{})
					wantWidth, wantHeight, changed := 64, 32, "metadata removed"
					if number >= 5 {
						wantWidth, wantHeight = 32, 64
					}
					if number > 1 {
						changed = verbs[number] + " as its EXIF orientation says, metadata removed, sent as " + strings.ToUpper(sent.MIME[len("image/"):])
					}
					if sent.Width != wantWidth || sent.Height != wantHeight || sent.Changed != changed {
						t.Errorf("%d × %d, changed %q, want %d × %d, %q", sent.Width, sent.Height, sent.Changed, wantWidth, wantHeight, changed)
					}
					checkCorners(t, decode(t, sent), corner)
				}
			})
		}
	}
	sent := fit(t, fixture(t, "rotated-located.webp"), picture.Limits{})
	if want := "rotated as its EXIF orientation says, metadata removed, sent as JPEG"; sent.Changed != want {
		t.Errorf("WebP: changed %q, want %q", sent.Changed, want)
	}
	checkCorners(t, decode(t, sent), want[6])
}

func TestMetadataIsNotSent(t *testing.T) {
	jpegFile := withSegments(encodeJPEG(t, corners(64, 32)),
		jpegSegment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"),
		jpegSegment(0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian, 1))),
		jpegSegment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+place),
		jpegSegment(0xe2, "ICC_PROFILE\x00\x01\x01profile"), jpegSegment(0xe2, "MPF\x00"+place),
		jpegSegment(0xed, "Photoshop 3.0\x00"+place), jpegSegment(0xfe, place))
	jpegFile = append(jpegFile, "a film: "+place...)
	pngPicture := encodePNG(t, corners(64, 32))
	pngPicture = append(bytes.Join([][]byte{
		pngPicture[:33], pngChunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), pngChunk("tEXt", []byte("Comment\x00"+place)), pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+place)),
		pngChunk("eXIf", exif(binary.BigEndian, 1)), pngChunk("prVt", []byte(place)), pngPicture[33:]}, nil), place...)
	gifPicture := encodeGIF(t, paint(image.NewPaletted(image.Rect(0, 0, 64, 32), color.Palette{red, green, blue, yellow})))
	comment := "\x21\xfe" + string(rune(len(place))) + place + "\x00"
	gifPicture = append([]byte(string(gifPicture[:len(gifPicture)-1])+comment), ';')

	for name, file := range map[string][]byte{"jpeg": jpegFile, "png": pngPicture, "gif": gifPicture, "webp": fixture(t, "located.webp")} {
		if !bytes.Contains(file, []byte(place)) {
			t.Fatalf("%s: the file does not hold the place", name)
		}
		for _, limits := range []picture.Limits{{}, {MaxPx: 20}} {
			sent := fit(t, file, limits)
			if bytes.Contains(sent.Data, []byte(place)) {
				t.Errorf("%s %v: the place was sent", name, limits)
			}
			if !strings.Contains(sent.Changed, "metadata removed") {
				t.Errorf("%s %v: changed %q does not say that metadata was removed", name, limits, sent.Changed)
			}
			decode(t, sent)
		}
	}
	if sent := fit(t, jpegFile, picture.Limits{}); !bytes.Contains(sent.Data, []byte("ICC_PROFILE")) || !bytes.Contains(sent.Data, []byte("JFIF")) {
		t.Error("the colour profile or the JFIF header is missing")
	}
	if sent := fit(t, pngPicture, picture.Limits{}); !bytes.Contains(sent.Data, []byte("gAMA")) {
		t.Error("the gamma value is missing")
	}
}

func TestAnimationsAreSentAsTheirFirstFrame(t *testing.T) {
	palette := color.Palette{red, green, blue, yellow, color.Transparent}
	frame := paint(image.NewPaletted(image.Rect(0, 0, 32, 16), palette))
	part := image.NewPaletted(image.Rect(4, 2, 12, 8), palette)
	for name, test := range map[string]struct {
		frames  []*image.Paletted
		mime    string
		changed string
		want    [4]color.NRGBA
	}{
		"whole frames": {[]*image.Paletted{frame, part, part}, "image/gif", "first frame of 3", upright},
		"part first":   {[]*image.Paletted{part, frame}, "image/png", "first frame of 2, sent as PNG", [4]color.NRGBA{red, {}, {}, {}}},
	} {
		animation := &gif.GIF{Image: test.frames, Delay: make([]int, len(test.frames)), Config: image.Config{Width: 32, Height: 16, ColorModel: palette}}
		sent := fit(t, encode(t, func(buffer *bytes.Buffer) error { return gif.EncodeAll(buffer, animation) }), picture.Limits{})
		if sent.MIME != test.mime || sent.Changed != test.changed {
			t.Errorf("%s: sent as %s, changed %q, want %s, %q", name, sent.MIME, sent.Changed, test.mime, test.changed)
		}
		if sent.MIME == "image/gif" {
			if all, err := gif.DecodeAll(bytes.NewReader(sent.Data)); err != nil || len(all.Image) != 1 {
				t.Errorf("%s: sent %d frames, %v", name, len(all.Image), err)
			}
		}
		checkCorners(t, decode(t, sent), test.want)
	}

	still := encodePNG(t, corners(32, 16))
	animated := bytes.Join([][]byte{still[:33], pngChunk("acTL", []byte{0, 0, 0, 4, 0, 0, 0, 0}), pngChunk("fcTL", make([]byte, 26)), still[33:]}, nil)
	if sent := fit(t, animated, picture.Limits{}); sent.Changed != "first frame of 4" || !bytes.Equal(sent.Data, still) {
		t.Errorf("APNG: changed %q", sent.Changed)
	}
}

func TestBombsAreRefusedBeforeTheyAreDecoded(t *testing.T) {
	pngHeader := func(width, height uint32, depth, colour, interlace byte) []byte {
		header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
		return pngFile(pngChunk("IHDR", append(header, depth, colour, 0, 0, interlace)), pngChunk("IDAT", deflated(make([]byte, 1000))), pngChunk("IEND", nil))
	}
	jpegOf := func(change func(frame []byte)) []byte {
		file := encodeJPEG(t, corners(16, 16))
		change(file[bytes.Index(file, []byte("\xff\xc0")):])
		return file
	}
	resize := func(width, height uint16) func([]byte) {
		return func(frame []byte) {
			binary.BigEndian.PutUint16(frame[5:], height)
			binary.BigEndian.PutUint16(frame[7:], width)
		}
	}
	gifOf := func(width, height uint16) []byte {
		file := encodeGIF(t, corners(4, 4))
		binary.LittleEndian.PutUint16(file[6:], width)
		binary.LittleEndian.PutUint16(file[8:], height)
		return file
	}
	bmpFile := encodeBMP(t, corners(4, 4))
	binary.LittleEndian.PutUint32(bmpFile[18:], 30_000)
	binary.LittleEndian.PutUint32(bmpFile[22:], 30_000)
	lossless := fixture(t, "lossless-alpha.webp")
	at := bytes.Index(lossless, []byte("VP8L")) + 9
	binary.LittleEndian.PutUint32(lossless[at:], binary.LittleEndian.Uint32(lossless[at:])|0xfffffff)
	hidden := fixture(t, "located.webp") // its first header still claims 32 × 16
	at = bytes.Index(hidden, []byte("VP8L")) + 9
	binary.LittleEndian.PutUint32(hidden[at:], binary.LittleEndian.Uint32(hidden[at:])|0xfffffff)

	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"PNG":         {pngHeader(8000, 8000, 8, 2, 0), "the picture has 8000 × 8000 pixels; pictures of more than 50 megapixels are not decoded"},
		"long PNG":    {pngHeader(40_000_000, 1, 8, 0, 0), "the picture has 40000000 × 1 pixels; pictures with more than 65535 pixels on a side are not decoded"},
		"deep PNG":    {pngHeader(7000, 7000, 16, 6, 0), "decoding the picture of 7000 × 7000 pixels would take 373 MB; more than 256 MB are not used for a picture"},
		"interlaced":  {pngHeader(7000, 7000, 8, 6, 1), "decoding the picture of 7000 × 7000 pixels would take 280 MB; more than 256 MB are not used for a picture"},
		"JPEG":        {jpegOf(resize(9000, 9000)), "the picture has 9000 × 9000 pixels; pictures of more than 50 megapixels are not decoded"},
		"progressive": {jpegOf(func(frame []byte) { frame[1] = 0xc2; resize(7000, 7000)(frame) }), "decoding the picture of 7000 × 7000 pixels would take 420 MB; more than 256 MB are not used for a picture"},
		"many scans":  {manyScans(t, 5000), "the picture of 500 × 500 pixels is stored in 5001 passes, which would take too long to decode"},
		"GIF":         {gifOf(65535, 65535), "the picture has 65535 × 65535 pixels; pictures of more than 50 megapixels are not decoded"},
		"BMP":         {bmpFile, "the picture has 30000 × 30000 pixels; pictures of more than 50 megapixels are not decoded"},
		"WebP":        {lossless, "the picture has 16384 × 16384 pixels; pictures of more than 50 megapixels are not decoded"},
		"hidden WebP": {hidden, "the WebP picture is damaged: its headers disagree about its size"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := picture.Fit(t.Context(), test.data, picture.Limits{})
			runtime.ReadMemStats(&after)
			if err == nil || err.Error() != test.want || !errors.Is(err, fault.InvalidArgument) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
				t.Errorf("allocated %d bytes before it refused", allocated)
			}
		})
	}
}

// manyScans is a JPEG file that goes over its pixels again and again.
func manyScans(t *testing.T, count int) []byte {
	file := encodeJPEG(t, corners(500, 500))
	scan := jpegSegment(0xda, "\x01\x01\x00\x01\x01\x00")
	return append(append(bytes.Clone(file[:len(file)-2]), bytes.Repeat(scan, count)...), file[len(file)-2:]...)
}

// TestLargeDecodeStaysBounded decodes a picture near the limits, and counts the memory of everything that is done with it.
func TestLargeDecodeStaysBounded(t *testing.T) {
	if !mode.Full() {
		t.Skip("a heavy form")
	}
	data := encodeJPEG(t, image.NewYCbCr(image.Rect(0, 0, 8100, 6100), image.YCbCrSubsampleRatio420))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fit(t, data, picture.Limits{})
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 512<<20 {
		t.Errorf("allocated %d MB in all", allocated>>20)
	}
}

func TestDamagedPictures(t *testing.T) {
	for _, file := range seeds(t) {
		for _, size := range []int{0, 1, 2, 5, 9, 12, 20, 30, len(file) / 2, len(file) - 1} {
			if size >= len(file) {
				continue
			}
			if _, err := picture.Fit(t.Context(), file[:size], picture.Limits{}); !errors.Is(err, fault.InvalidArgument) {
				t.Errorf("%.4q cut to %d of %d bytes: %v", file, size, len(file), err)
			}
		}
	}
	if _, err := picture.Fit(t.Context(), []byte("hello"), picture.Limits{}); err == nil || err.Error() != "the file is not a PNG, JPEG, GIF, WebP or BMP picture" {
		t.Errorf("text: %v", err)
	}
}

func TestCancelledContextStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := picture.Fit(ctx, encodePNG(t, corners(32, 16)), picture.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// seeds are a picture of each format.
func seeds(t testing.TB) [][]byte {
	all := [][]byte{
		encodePNG(t, corners(32, 16)), encodePNG(t, paint(image.NewNRGBA64(image.Rect(0, 0, 8, 8)))), interlaced(9, 9),
		encodeJPEG(t, corners(32, 16)), encodeGIF(t, corners(16, 16)), encodeBMP(t, corners(8, 8)),
	}
	for _, pattern := range []string{"*.webp", "*.jpg"} {
		names, _ := filepath.Glob(filepath.Join("testdata", pattern))
		if len(names) == 0 {
			t.Fatalf("testdata has no %s", pattern)
		}
		for _, name := range names {
			all = append(all, fixture(t, filepath.Base(name)))
		}
	}
	return all
}

func FuzzFit(f *testing.F) {
	for _, file := range seeds(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip("large pictures only take longer")
		}
		limits := picture.Limits{MaxPx: 64, MaxBytes: 20_000}
		sent, err := picture.Fit(t.Context(), data, limits)
		if err != nil {
			return
		}
		if len(sent.Data) > limits.MaxBytes || max(sent.SentWidth, sent.SentHeight) > limits.MaxPx {
			t.Errorf("sent %d bytes, %d × %d", len(sent.Data), sent.SentWidth, sent.SentHeight)
		}
		decode(t, sent)
	})
}
