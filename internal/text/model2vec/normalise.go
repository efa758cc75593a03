package model2vec

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// changesOf returns what a normalizer does, step by step.
func changesOf(c *component) ([]change, error) {
	if c == nil {
		return nil, nil
	}
	var changes []change
	switch c.Type {
	case "Sequence":
		for i := range c.Normalizers {
			more, err := changesOf(&c.Normalizers[i])
			if err != nil {
				return nil, err
			}
			changes = append(changes, more...)
		}
	case "BertNormalizer":
		changes = bertChanges(c)
	case "Lowercase":
		changes = []change{bytes.ToLower}
	case "NFC":
		changes = []change{norm.NFC.Bytes}
	case "NFD":
		changes = []change{norm.NFD.Bytes}
	case "NFKC":
		changes = []change{norm.NFKC.Bytes}
	case "NFKD":
		changes = []change{norm.NFKD.Bytes}
	case "StripAccents":
		changes = []change{dropMarks}
	case "Strip":
		changes = []change{func(text []byte) []byte {
			if c.StripLeft {
				text = bytes.TrimLeftFunc(text, unicode.IsSpace)
			}
			if c.StripRight {
				text = bytes.TrimRightFunc(text, unicode.IsSpace)
			}
			return text
		}}
	case "Prepend":
		changes = []change{func(text []byte) []byte {
			if len(text) == 0 {
				return text
			}
			return append([]byte(c.Prepend), text...)
		}}
	case "Replace":
		replace, err := replaceOf(c)
		if err != nil {
			return nil, err
		}
		changes = []change{replace}
	case "Precompiled":
		m, err := readCharsmap(c.Charsmap)
		if err != nil {
			return nil, err
		}
		changes = []change{m.change}
	default:
		return nil, fmt.Errorf("the normalizer %s is not supported", c.Type)
	}
	return changes, nil
}

// replaceOf returns a change that puts a text in the place of a pattern.
func replaceOf(c *component) (change, error) {
	switch {
	case c.Pattern.String != nil:
		old, replacement := []byte(*c.Pattern.String), []byte(c.Content)
		return func(text []byte) []byte {
			if len(old) == 0 || !bytes.Contains(text, old) {
				return text
			}
			return bytes.ReplaceAll(text, old, replacement)
		}, nil
	case c.Pattern.Regex != nil:
		pattern, err := regexp.Compile(withAllSpaces(*c.Pattern.Regex))
		if err != nil {
			return nil, fmt.Errorf("the pattern %q is not supported: %w", *c.Pattern.Regex, err)
		}
		return func(text []byte) []byte { return pattern.ReplaceAllLiteral(text, []byte(c.Content)) }, nil
	}
	return nil, fmt.Errorf("a normalizer of the type Replace has no pattern")
}

// withAllSpaces makes \s stand for the spaces of all scripts, as it does for the library that wrote the pattern.
func withAllSpaces(pattern string) string {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			switch {
			case pattern[i] != 's':
				out.WriteString(pattern[i-1 : i+1])
			case inClass:
				out.WriteString(`\s\x0b\x85\p{Z}`)
			default:
				out.WriteString(`[\s\x0b\x85\p{Z}]`)
			}
		default:
			inClass = c == '[' || inClass && c != ']'
			out.WriteByte(c)
		}
	}
	return out.String()
}

// bertChanges are what BERT does to texts.
func bertChanges(c *component) []change {
	changes := []change{func(text []byte) []byte { return bertClean(text, c.CleanText, c.SpaceChinese) }}
	if c.StripAccents != nil && *c.StripAccents || c.StripAccents == nil && c.Lowercase {
		changes = append(changes, func(text []byte) []byte {
			if isASCII(text) {
				return text
			}
			return dropMarks(norm.NFD.Bytes(text))
		})
	}
	if c.Lowercase {
		changes = append(changes, bytes.ToLower)
	}
	return changes
}

// bertClean drops control characters, makes every white space a space, and puts spaces around Chinese characters.
func bertClean(text []byte, clean, space bool) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		i += size
		isSpace := c == '\t' || c == '\n' || c == '\r' || unicode.IsSpace(c)
		switch {
		case clean && isSpace:
			out = append(out, ' ')
		case clean && (c == utf8.RuneError || c == 0 || unicode.Is(unicode.C, c) || c > unicode.MaxASCII && !unicode.IsGraphic(c)):
		case space && isChinese(c):
			out = append(utf8.AppendRune(append(out, ' '), c), ' ')
		default:
			out = utf8.AppendRune(out, c)
		}
	}
	return out
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// dropMarks drops the marks that combine with letters.
func dropMarks(text []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, text)
}

// isChinese reports whether a character is one of those that BERT takes for words of their own.
func isChinese(c rune) bool {
	return c >= 0x3400 && (c <= 0x4DBF || c >= 0x4E00 && c <= 0x9FFF || c >= 0xF900 && c <= 0xFAFF || c >= 0x20000 && c <= 0x2A6DF ||
		c >= 0x2A700 && c <= 0x2B73F || c >= 0x2B740 && c <= 0x2B81F || c >= 0x2B920 && c <= 0x2CEAF || c >= 0x2F800 && c <= 0x2FA1F)
}
