package pdf

import "strings"

// coreWidths are the widths of the characters from space to tilde in the fonts that need not be embedded, in thousandths
// of the font size. Slanted forms have about the same.
type coreWidths [95]int16

// coreFont returns the widths of a font by its name, or nil.
func coreFont(base string) *coreWidths {
	base = strings.ToLower(base)
	isBold := strings.Contains(base, "bold")
	switch {
	case strings.Contains(base, "courier"):
		return &courier
	case strings.Contains(base, "times") && isBold:
		return &timesBold
	case strings.Contains(base, "times"):
		return &times
	case (strings.Contains(base, "helvetica") || strings.Contains(base, "arial")) && isBold:
		return &helveticaBold
	case strings.Contains(base, "helvetica") || strings.Contains(base, "arial"):
		return &helvetica
	}
	return nil
}

// of returns the width of a character. Letters with accents are as wide as without.
func (w *coreWidths) of(r rune) float64 {
	const plain = "AAAAAAACEEEEIIIIDNOOOOO+OUUUUYPBaaaaaaaceeeeiiiidnooooo+ouuuuypy" // from U+00C0 on
	if r >= 0xc0 && r <= 0xff {
		r = rune(plain[r-0xc0])
	}
	if r < ' ' || r > '~' {
		return float64(w['n'-' ']) / 1000
	}
	return float64(w[r-' ']) / 1000
}

var (
	helvetica = coreWidths{
		278, 278, 355, 556, 556, 889, 667, 222, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
		556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
		500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
		556, 222, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
		278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	helveticaBold = coreWidths{
		278, 333, 474, 556, 556, 889, 722, 278, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
		556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278,
		556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584,
		556, 278, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556,
		333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	}
	times = coreWidths{
		250, 333, 408, 500, 500, 833, 778, 333, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500,
		500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333,
		389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469,
		500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389,
		278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
	}
	timesBold = coreWidths{
		250, 333, 555, 500, 500, 1000, 833, 333, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500, 500, 500,
		500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722, 722, 667, 611, 778, 778, 389,
		500, 778, 667, 944, 722, 778, 611, 778, 722, 556, 667, 722, 722, 1000, 722, 722, 667, 333, 278, 333, 581,
		500, 333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556, 278, 833, 556, 500, 556, 556, 444, 389,
		333, 556, 500, 722, 500, 500, 444, 394, 220, 394, 520,
	}
	courier = func() (widths coreWidths) {
		for i := range widths {
			widths[i] = 600
		}
		return widths
	}()
)
