package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is EXIF's number, from 1 to 8, for how a camera was held. 0 means that the file does not say.
type orientation uint16

func (o orientation) isUpright() bool { return o <= 1 }

// isSideways reports whether width and height change places.
func (o orientation) isSideways() bool { return o >= 5 }

func (o orientation) verb() string {
	switch o {
	case 2, 4:
		return "mirrored"
	case 5, 7:
		return "mirrored and rotated"
	}
	return "rotated"
}

// size returns the size of the upright picture.
func (o orientation) size(width, height int) (int, int) {
	if o.isSideways() {
		return height, width
	}
	return width, height
}

// apply returns the upright picture.
func (o orientation) apply(stored *image.RGBA) *image.RGBA {
	if o.isUpright() {
		return stored
	}
	width, height := stored.Rect.Dx(), stored.Rect.Dy()
	uprightWidth, uprightHeight := o.size(width, height)
	upright := image.NewRGBA(image.Rect(0, 0, uprightWidth, uprightHeight))
	for y := range uprightHeight {
		for x := range uprightWidth {
			fromX, fromY := o.storedAt(x, y, width, height)
			copy(upright.Pix[upright.PixOffset(x, y):][:4], stored.Pix[stored.PixOffset(fromX, fromY):][:4])
		}
	}
	return upright
}

// storedAt returns where a pixel of the upright picture is in the stored one, whose size is given.
func (o orientation) storedAt(x, y, width, height int) (int, int) {
	right, bottom := width-1, height-1
	switch o {
	case 2:
		return right - x, y
	case 3:
		return right - x, bottom - y
	case 4:
		return x, bottom - y
	case 5:
		return y, x
	case 6:
		return y, bottom - x
	case 7:
		return right - y, bottom - x
	case 8:
		return right - y, x
	}
	return x, y
}

// exifOrientation reads the orientation from EXIF data: a TIFF file whose first directory holds it.
func exifOrientation(exif []byte) orientation {
	const orientationTag, entrySize = 0x112, 12
	exif = bytes.TrimPrefix(exif, []byte("Exif\x00\x00")) // WebP files may have it or not
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(exif, []byte("MM")) {
		order = binary.BigEndian
	}
	if len(exif) < 8 {
		return 0
	}
	start := int64(order.Uint32(exif[4:]))
	if start+2 > int64(len(exif)) {
		return 0
	}
	entries := exif[start+2:]
	for range order.Uint16(exif[start:]) {
		if len(entries) < entrySize {
			return 0
		}
		if order.Uint16(entries) == orientationTag {
			if value := orientation(order.Uint16(entries[8:])); value >= 1 && value <= 8 {
				return value
			}
			return 0
		}
		entries = entries[entrySize:]
	}
	return 0
}
