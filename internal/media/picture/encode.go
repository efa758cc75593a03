package picture

import (
	"bytes"
	"context"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"

	"obsidian-mcp/internal/fault"
)

// smallPNG is how large a picture without transparency may be and still be sent as PNG, in bytes.
const smallPNG = 300_000

// encoded is a picture that was encoded again.
type encoded struct {
	data          []byte
	format        format
	width, height int
	onWhite       bool // whether transparent parts were filled with white
}

// encode scales a picture, holds it upright, and encodes it within the limits. JPEG pictures lose quality first and then
// size.
func (s *source) encode(ctx context.Context, decoded image.Image, limits Limits) (encoded, error) {
	for maxPx := min(limits.MaxPx, max(s.width, s.height)); maxPx > 0; maxPx = maxPx * 4 / 5 {
		width, height := within(s.width, s.height, maxPx)
		scaled, err := scale(ctx, decoded, width, height)
		if err != nil {
			return encoded{}, err
		}
		result, err := encodeWithin(ctx, s.orientation.apply(scaled), s.isLossless, limits.MaxBytes)
		if result.data != nil || err != nil {
			return result, err
		}
		decoded = scaled // large enough to make smaller ones from
	}
	return encoded{}, fault.InvalidArgument.Errorf("the picture cannot be made as small as %d bytes", limits.MaxBytes)
}

// encodeWithin encodes a picture in at most maxBytes. It returns no data if that is impossible at this size.
func encodeWithin(ctx context.Context, picture *image.RGBA, isLossless bool, maxBytes int) (encoded, error) {
	result := encoded{width: picture.Rect.Dx(), height: picture.Rect.Dy()}
	isOpaque := picture.Opaque()
	if isLossless || !isOpaque {
		var buffer bytes.Buffer
		if err := png.Encode(&buffer, picture); err != nil {
			return encoded{}, err
		}
		if buffer.Len() <= min(smallPNG, maxBytes) || !isOpaque && buffer.Len() <= maxBytes {
			result.data, result.format = buffer.Bytes(), formatPNG
			return result, nil
		}
	}
	if !isOpaque {
		picture, result.onWhite = onWhite(picture), true
	}
	for _, quality := range []int{85, 75, 65, 50} {
		if err := ctx.Err(); err != nil {
			return encoded{}, err
		}
		var buffer bytes.Buffer
		if err := jpeg.Encode(&buffer, picture, &jpeg.Options{Quality: quality}); err != nil {
			return encoded{}, err
		}
		if buffer.Len() <= maxBytes {
			result.data, result.format = buffer.Bytes(), formatJPEG
			return result, nil
		}
	}
	return encoded{}, nil
}

// onWhite fills what is transparent, which JPEG does not have.
func onWhite(picture *image.RGBA) *image.RGBA {
	filled := image.NewRGBA(picture.Rect)
	draw.Draw(filled, filled.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(filled, filled.Rect, picture, picture.Rect.Min, draw.Over)
	return filled
}
