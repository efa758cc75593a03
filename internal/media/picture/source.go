package picture

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"obsidian-mcp/internal/fault"
)

// format is a format of pictures, by its name.
type format string

const (
	formatPNG  format = "PNG"
	formatJPEG format = "JPEG"
	formatGIF  format = "GIF"
	formatWebP format = "WebP"
	formatBMP  format = "BMP"
)

func (f format) mime() string {
	return map[format]string{
		formatPNG: "image/png", formatJPEG: "image/jpeg", formatGIF: "image/gif", formatWebP: "image/webp", formatBMP: "image/bmp",
	}[f]
}

// source is what the headers of a file say.
type source struct {
	format        format
	width, height int
	frames        int         // of an animation; 0 or 1 otherwise
	orientation   orientation // how to hold the picture
	isLossless    bool        // no compression has touched the pixels, so drawings and screenshots are likely
	hasMetadata   bool
	memory        int64 // bytes needed to decode it
	passes        int64 // how often the decoder goes over the picture

	still []byte // the file reduced to its first frame; what is decoded
	clean []byte // still without metadata, or nil if it must be encoded again
	frame image.Rectangle
}

// What a picture may cost.
const (
	maxPixels = 50_000_000
	maxSide   = 65_535 // what most formats can express
	maxMemory = 256 << 20
	maxWork   = 1_000_000_000 // pixels times passes
)

func inspect(data []byte) (*source, error) {
	var s *source
	var err error
	switch {
	case bytes.HasPrefix(data, []byte(pngSignature)):
		s, err = inspectPNG(data)
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		s, err = inspectJPEG(data)
	case bytes.HasPrefix(data, []byte("GIF8")):
		s, err = inspectGIF(data)
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		s, err = inspectWebP(data)
	case bytes.HasPrefix(data, []byte("BM")):
		s, err = inspectBMP(data)
	default:
		return nil, fault.InvalidArgument.Errorf("the file is not a PNG, JPEG, GIF, WebP or BMP picture")
	}
	if err != nil {
		return nil, err
	}
	if s.width <= 0 || s.height <= 0 {
		return nil, damaged(s.format, errEmpty)
	}
	return s, nil
}

// checkCost refuses a picture that would take too much memory or time to decode.
func (s *source) checkCost() error {
	pixels := int64(s.width) * int64(s.height)
	switch {
	case max(s.width, s.height) > maxSide:
		return fault.InvalidArgument.Errorf("the picture has %d × %d pixels; pictures with more than %d pixels on a side are not decoded",
			s.width, s.height, maxSide)
	case pixels > maxPixels:
		return fault.InvalidArgument.Errorf("the picture has %d × %d pixels; pictures of more than %d megapixels are not decoded",
			s.width, s.height, maxPixels/1_000_000)
	case s.memory > maxMemory:
		return fault.InvalidArgument.Errorf("decoding the picture of %d × %d pixels would take %d MB; more than %d MB are not used for a picture",
			s.width, s.height, s.memory>>20, maxMemory>>20)
	case pixels*s.passes > maxWork:
		return fault.InvalidArgument.Errorf("the picture of %d × %d pixels is stored in %d passes, which would take too long to decode",
			s.width, s.height, s.passes)
	}
	return nil
}

// decode decodes the picture, or the first frame of an animation on its canvas.
func (s *source) decode(ctx context.Context) (image.Image, error) {
	reader := &stoppableReader{ctx, s.still}
	var decoded image.Image
	var err error
	switch s.format {
	case formatPNG:
		decoded, err = png.Decode(reader)
	case formatJPEG:
		decoded, err = jpeg.Decode(reader)
	case formatGIF:
		decoded, err = gif.Decode(reader)
	case formatWebP:
		decoded, err = webp.Decode(reader)
	case formatBMP:
		decoded, err = bmp.Decode(reader)
	}
	if err != nil {
		return nil, err
	}
	frame := s.frame
	if s.format == formatGIF {
		frame = decoded.Bounds()
	}
	canvas := image.Rect(0, 0, s.width, s.height)
	if frame.Empty() || frame == canvas {
		return decoded, nil
	}
	whole := image.NewNRGBA(canvas)
	draw.Draw(whole, frame, decoded, decoded.Bounds().Min, draw.Src)
	return whole, nil
}

// stoppableReader makes decoders, which know no context, stop when the context ends.
type stoppableReader struct {
	ctx  context.Context
	rest []byte
}

func (r *stoppableReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// bytesPerPixel is what a decoded pixel takes in memory.
func bytesPerPixel(model color.Model) int64 {
	switch model {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, isPalette := model.(color.Palette); isPalette {
		return 1
	}
	return 4
}
