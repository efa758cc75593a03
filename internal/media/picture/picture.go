// Package picture makes pictures fit to be sent to a model: small enough, upright, and without metadata such as the place
// where they were taken.
//
// A file is judged by its headers before anything is decoded, so that a picture that would take too much memory or time
// costs nothing. A picture that already fits is sent as it is, pixel by pixel; only its metadata is left out.
package picture

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"

	"obsidian-mcp/internal/fault"
)

// The limits of a picture that is sent, unless the caller wants others.
const (
	DefaultPx    = 1568    // models scale larger pictures down themselves
	DefaultBytes = 700_000 // with base64 and JSON around it, a result stays under 1 MB
)

// Limits says how large a picture may be when it is sent. A zero stands for the default.
type Limits struct {
	MaxPx    int // of the longer edge
	MaxBytes int
}

// Picture is a picture that is fit to be sent.
type Picture struct {
	Data []byte
	MIME string

	Width, Height         int // of the original, upright
	SentWidth, SentHeight int

	Changed string // how Data differs from the original, in words for people; empty if it does not
}

// maxEdge bounds the memory of what is sent, whatever the caller asks for.
const maxEdge = 4096

// Fit returns a PNG, JPEG, GIF, WebP or BMP picture so that it stays within the limits.
func Fit(ctx context.Context, data []byte, limits Limits) (Picture, error) {
	limits = limits.withDefaults()
	source, err := inspect(data)
	if err != nil {
		return Picture{}, err
	}
	if err := source.checkCost(); err != nil {
		return Picture{}, err
	}
	decoded, err := source.decode(ctx)
	if ctx.Err() != nil {
		return Picture{}, ctx.Err()
	}
	if err != nil {
		return Picture{}, damaged(source.format, err)
	}
	if size := decoded.Bounds().Size(); size != (image.Point{X: source.width, Y: source.height}) {
		return Picture{}, damaged(source.format, errors.New("its headers disagree about its size"))
	}
	result := Picture{}
	result.Width, result.Height = source.orientation.size(source.width, source.height)
	if source.canBeSentAsItIs(limits) {
		result.Data, result.MIME = source.clean, source.format.mime()
		result.SentWidth, result.SentHeight = result.Width, result.Height
		result.Changed = strings.Join(source.changes(), ", ")
		return result, nil
	}
	sent, err := source.encode(ctx, decoded, limits)
	if err != nil {
		return Picture{}, err
	}
	result.Data, result.MIME = sent.data, sent.format.mime()
	result.SentWidth, result.SentHeight = sent.width, sent.height
	result.Changed = strings.Join(describe(source, result, sent), ", ")
	return result, nil
}

func (l Limits) withDefaults() Limits {
	if l.MaxPx <= 0 {
		l.MaxPx = DefaultPx
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultBytes
	}
	l.MaxPx = min(l.MaxPx, maxEdge)
	return l
}

// canBeSentAsItIs reports whether the file without its metadata is what should be sent. Models do not accept BMP.
func (s *source) canBeSentAsItIs(limits Limits) bool {
	return s.clean != nil && s.format != formatBMP && s.orientation.isUpright() &&
		max(s.width, s.height) <= limits.MaxPx && len(s.clean) <= limits.MaxBytes
}

// changes says how the file without its metadata differs from the original.
func (s *source) changes() []string {
	var changes []string
	if s.frames > 1 {
		changes = append(changes, fmt.Sprintf("first frame of %d", s.frames))
	}
	if s.hasMetadata {
		changes = append(changes, "metadata removed")
	}
	return changes
}

func describe(source *source, result Picture, sent encoded) []string {
	var changes []string
	if result.SentWidth != result.Width || result.SentHeight != result.Height {
		changes = append(changes, fmt.Sprintf("scaled from %d × %d to %d × %d",
			result.Width, result.Height, result.SentWidth, result.SentHeight))
	}
	if !source.orientation.isUpright() {
		changes = append(changes, source.orientation.verb()+" as its EXIF orientation says")
	}
	changes = append(changes, source.changes()...)
	if sent.onWhite {
		changes = append(changes, "transparent parts filled with white")
	}
	return append(changes, "sent as "+string(sent.format))
}

func damaged(format format, err error) error {
	return fault.InvalidArgument.Errorf("the %s picture is damaged: %w", format, err)
}
