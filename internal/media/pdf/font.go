package pdf

import (
	"strings"
)

// font knows the characters and widths of the codes in a string.
type font struct {
	isComposite bool // codes of several bytes
	isVertical  bool
	isUTF16     bool  // the codes are characters
	codes       *cmap // from codes to glyphs, or nil if they are the same
	toUnicode   *cmap
	characters  *encoding // of a simple font

	widths       map[int]float64
	defaultWidth float64
	core         *coreWidths
	scale        float64 // of the widths
}

// glyph is a character of a string as the font shows it.
type glyph struct {
	text    string
	width   float64 // for a font size of 1
	isSpace bool    // whether word spacing applies
}

// font returns the font that a name stands for.
func (f *file) font(object any) *font {
	ref, isRef := object.(reference)
	if found, ok := f.fonts[ref.number]; ok && isRef {
		return found
	}
	found := f.readFont(f.dict(object))
	if isRef {
		f.fonts[ref.number] = found
	}
	return found
}

func (f *file) readFont(entries dict) *font {
	loaded := &font{widths: map[int]float64{}, scale: 0.001}
	if found, ok := f.resolve(entries["ToUnicode"]).(*stream); ok {
		loaded.toUnicode = f.readCMap(found)
	}
	base, _ := f.resolve(entries["BaseFont"]).(name)
	if f.resolve(entries["Subtype"]) == name("Type0") {
		f.readComposite(loaded, entries)
		return loaded
	}
	f.readSimple(loaded, entries, string(base))
	return loaded
}

func (f *file) readComposite(loaded *font, entries dict) {
	loaded.isComposite = true
	switch found := f.resolve(entries["Encoding"]).(type) {
	case name:
		loaded.isVertical = strings.HasSuffix(string(found), "V")
		loaded.isUTF16 = strings.HasPrefix(string(found), "Uni") && (strings.Contains(string(found), "UCS2") || strings.Contains(string(found), "UTF16"))
	case *stream:
		loaded.codes = f.readCMap(found)
		loaded.isVertical = f.number(found.dict["WMode"], 0) == 1
	}
	descendants := f.array(entries["DescendantFonts"])
	if len(descendants) == 0 {
		loaded.defaultWidth = 1000
		return
	}
	descendant := f.dict(descendants[0])
	loaded.defaultWidth = f.number(descendant["DW"], 1000)
	widths := f.array(descendant["W"])
	for i := 0; i+1 < len(widths) && f.spent.step(); {
		first := int(f.number(widths[i], 0))
		if list := f.array(widths[i+1]); list != nil {
			for j, width := range list {
				f.setWidth(loaded, first+j, width)
			}
			i += 2
			continue
		}
		if i+2 >= len(widths) {
			return
		}
		for code := first; code <= int(f.number(widths[i+1], 0)) && code-first < 65536 && f.spent.step(); code++ {
			f.setWidth(loaded, code, widths[i+2])
		}
		i += 3
	}
}

func (f *file) setWidth(loaded *font, code int, width any) {
	if f.spent.keep(32) {
		loaded.widths[code] = f.number(width, loaded.defaultWidth)
	}
}

func (f *file) readSimple(loaded *font, entries dict, base string) {
	descriptor := f.dict(entries["FontDescriptor"])
	loaded.characters = f.readEncoding(entries, descriptor, base)
	loaded.defaultWidth = f.number(descriptor["MissingWidth"], 0)
	widths := f.array(entries["Widths"])
	first := int(f.number(entries["FirstChar"], 0))
	for i, width := range widths {
		f.setWidth(loaded, first+i, width)
	}
	if len(widths) == 0 {
		loaded.core, loaded.defaultWidth = coreFont(base), 500
	}
	if f.resolve(entries["Subtype"]) == name("Type3") {
		if matrix := f.array(entries["FontMatrix"]); len(matrix) == 6 {
			loaded.scale = f.number(matrix[0], 0.001)
		}
	}
}

// readEncoding finds out what the codes of a simple font stand for: what the font program says itself, unless the document
// says otherwise.
func (f *file) readEncoding(entries, descriptor dict, base string) *encoding {
	found := f.resolve(entries["Encoding"])
	encodingName, _ := found.(name)
	changes, _ := found.(dict)
	if changes != nil {
		encodingName, _ = f.resolve(changes["BaseEncoding"]).(name)
	}
	isTrueType := f.resolve(entries["Subtype"]) == name("TrueType")
	program, _ := f.resolve(descriptor["FontFile"]).(*stream)
	var characters *encoding
	switch {
	case encodingName != "":
		characters = namedEncoding(encodingName)
	case strings.Contains(base, "Symbol"):
		characters = namedEncoding("Symbol")
	case program != nil:
		characters = f.programEncoding(program)
	case isTrueType && changes == nil:
		characters = namedEncoding("WinAnsiEncoding")
	default:
		characters = namedEncoding("StandardEncoding")
	}
	code := 0
	for _, item := range f.array(changes["Differences"]) {
		switch item := f.resolve(item).(type) {
		case float64:
			code = int(item)
		case name:
			if code >= 0 && code < len(characters) {
				characters[code] = characterOf(string(item))
			}
			code++
		}
	}
	return characters
}

// programEncoding reads the encoding in the readable part of a Type 1 font: "dup 65 /A put".
func (f *file) programEncoding(program *stream) *encoding {
	data := f.decode(program)
	length := int(min(f.number(program.dict["Length1"], 0), float64(len(data))))
	lexer := &lexer{data[:max(length, 0)], 0, f.spent}
	characters := &encoding{}
	isEmpty := true
	for {
		object := lexer.object(0)
		if object == (endOfInput{}) {
			break
		}
		if object != operator("dup") {
			continue
		}
		code, isNumber := lexer.object(0).(float64)
		glyph, isName := lexer.object(0).(name)
		if isNumber && isName && code >= 0 && code < 256 {
			characters[int(code)] = characterOf(string(glyph))
			isEmpty = false
		}
	}
	if isEmpty {
		return namedEncoding("StandardEncoding")
	}
	return characters
}

// next splits the first glyph off a string, which is not empty.
func (t *font) next(s text) (glyph, text) {
	code, length := uint32(s[0]), 1
	switch {
	case t.isComposite && t.codes != nil:
		code, length = t.codes.next(s)
	case t.isComposite:
		length = min(2, len(s))
		code = codeOf(s[:length])
	}
	shown := glyph{isSpace: length == 1 && code == ' '}
	number := int(code)
	if t.codes != nil {
		number = t.codes.glyph(code)
	}
	ok := false
	if t.toUnicode != nil {
		shown.text, ok = t.toUnicode.text(code)
	}
	switch {
	case ok:
	case t.isUTF16:
		shown.text = fromUTF16(s[:length])
	case t.characters != nil && code < 256:
		shown.text = t.characters[code]
	}
	shown.width = t.width(number, shown.text)
	return shown, s[length:]
}

func (t *font) width(number int, characters string) float64 {
	if width, ok := t.widths[number]; ok {
		return width * t.scale
	}
	if t.core != nil {
		for _, r := range characters {
			return t.core.of(r)
		}
	}
	return t.defaultWidth * t.scale
}
