package picture

import (
	"context"
	"image"
	stddraw "image/draw"

	"golang.org/x/image/draw"
)

// stripPixels is how many pixels are scaled at a time, roughly. The scaler needs up to 36 bytes for each.
const stripPixels = 1 << 18

// scale returns the picture in the given size. It scales the rows first and then the columns, strip by strip, so that the
// memory does not depend on the size of the picture. In the direction that keeps its length, the scaler copies exactly.
func scale(ctx context.Context, source image.Image, width, height int) (*image.RGBA, error) {
	bounds := source.Bounds()
	narrow := image.NewRGBA(image.Rect(0, 0, width, bounds.Dy()))
	strip := min(max(1, stripPixels/bounds.Dx()), bounds.Dy())
	scaler := draw.CatmullRom.NewScaler(width, strip, bounds.Dx(), strip) // keeps its memory for the next strip
	buffer := image.NewRGBA(image.Rect(0, 0, bounds.Dx(), strip))
	for y := 0; y < bounds.Dy(); y += strip {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := image.Rect(0, y, width, min(y+strip, bounds.Dy()))
		from := image.Rect(0, 0, bounds.Dx(), rows.Dy())
		stddraw.Draw(buffer, from, source, bounds.Min.Add(image.Pt(0, y)), stddraw.Src)
		if width == bounds.Dx() {
			stddraw.Draw(narrow, rows, buffer, image.Point{}, stddraw.Src)
		} else {
			scaler.Scale(narrow, rows, buffer, from, draw.Src, nil)
		}
	}
	if height == bounds.Dy() {
		return narrow, nil
	}
	scaled := image.NewRGBA(image.Rect(0, 0, width, height))
	strip = min(max(1, stripPixels/bounds.Dy()), width)
	scaler = draw.CatmullRom.NewScaler(strip, height, strip, bounds.Dy())
	for x := 0; x < width; x += strip {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		right := min(x+strip, width)
		scaler.Scale(scaled, image.Rect(x, 0, right, height), narrow, image.Rect(x, 0, right, bounds.Dy()), draw.Src, nil)
	}
	return scaled, nil
}

// within returns the largest size of the same shape whose longer edge is at most maxPx.
func within(width, height, maxPx int) (int, int) {
	longer := max(width, height)
	if longer <= maxPx {
		return width, height
	}
	fit := func(edge int) int { return max(1, (edge*maxPx+longer/2)/longer) }
	return fit(width), fit(height)
}
