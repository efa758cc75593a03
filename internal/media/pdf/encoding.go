package pdf

import (
	"strconv"
	"strings"
)

// encoding says which character each code of a simple font stands for.
type encoding [256]string

// The encodings that PDF predefines. All have ASCII in common, but for two quotation marks.
func namedEncoding(n name) *encoding {
	e := &encoding{}
	for code := ' '; code <= '~'; code++ {
		e[code] = string(code)
	}
	switch n {
	case "MacRomanEncoding":
		e.setFrom(0x80, macRoman)
	case "StandardEncoding":
		for _, pair := range strings.Fields(standardCodes) {
			code, _ := strconv.ParseUint(pair[:2], 16, 8)
			e[code] = pair[2:]
		}
	case "Symbol":
		e.setFrom('A', symbolCapitals)
		e.setFrom('a', symbolLetters)
	default: // WinAnsiEncoding
		e.setFrom(0x80, winAnsi)
		for code := rune(0xa0); code <= 0xff; code++ {
			e[code] = string(code)
		}
	}
	return e
}

func (e *encoding) setFrom(code int, characters string) {
	for _, r := range characters {
		e[code] = string(r)
		code++
	}
}

const (
	winAnsi        = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ"
	macRoman       = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
	symbolCapitals = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
	symbolLetters  = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
	standardCodes  = "27’ 60‘ A1¡ A2¢ A3£ A4⁄ A5¥ A6ƒ A7§ A8¤ A9' AA“ AB« AC‹ AD› AEﬁ AFﬂ B1– B2† B3‡ B4· B6¶ B7• B8‚ B9„ BA” BB» BC… BD‰ BF¿ C1` C2´ C3ˆ C4˜ C5¯ C6˘ C7˙ C8¨ CA˚ CB¸ CD˝ CE˛ CFˇ D0— E1Æ E3ª E8Ł E9Ø EAŒ EBº F1æ F5ı F8ł F9ø FAœ FBß"
)

// characterOf returns what a glyph stands for by its name: "A", "eacute", "uni20AC", "f_i", "a.sc". It returns an empty
// string for names that only a font understands.
func characterOf(glyph string) string {
	if len(glyph) == 1 {
		return glyph
	}
	base, _, _ := strings.Cut(glyph, ".")
	if base == "" {
		return ""
	}
	var characters strings.Builder
	for _, part := range strings.Split(base, "_") {
		characters.WriteString(partOf(part))
	}
	return characters.String()
}

func partOf(glyph string) string {
	if len(glyph) == 1 {
		return glyph
	}
	if r, ok := glyphNames()[glyph]; ok {
		return string(r)
	}
	if digits, ok := strings.CutPrefix(glyph, "uni"); ok && len(digits) >= 4 {
		var characters []byte
		for ; len(digits) >= 4; digits = digits[4:] {
			value, err := strconv.ParseUint(digits[:4], 16, 16)
			if err != nil {
				return ""
			}
			characters = append(characters, string(rune(value))...)
		}
		return string(characters)
	}
	if digits, ok := strings.CutPrefix(glyph, "u"); ok && len(digits) >= 4 && len(digits) <= 6 {
		if value, err := strconv.ParseUint(digits, 16, 32); err == nil {
			return string(rune(value))
		}
	}
	return ""
}
