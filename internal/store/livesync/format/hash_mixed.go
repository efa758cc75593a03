package format

import (
	"math/bits"
	"strconv"
	"unicode/utf16"
)

const fnvStart = 2166136261

// mixed is the plugin's own pair of hashes, of Murmur3's and FNV-1a's manner,
// over UTF-16 units. It was written with JavaScript's numbers, which are
// doubles, so that the bits that those lose are part of it.
func mixed(text []uint16, seed uint32) (murmur, fnv uint32) {
	h := float64(seed)
	fnv = fnvStart
	for _, unit := range text {
		fnv = (fnv ^ uint32(unit)) * 0x01000193
		k := float64(unit) * 0xcc9e2d51
		k = float64(rotate(wrap(k), 15)) * 0x1b873593
		h = float64(rotate(wrap(h)^wrap(k), 13))*5 + 0xe6546b64
	}
	m := uint32(wrap(h)) ^ uint32(len(text))
	m = (m ^ m>>16) * 0x85ebca6b
	m = (m ^ m>>13) * 0xc2b2ae35
	return m ^ m>>16, fnv
}

// wrap is JavaScript's conversion of a number to 32 bits.
func wrap(number float64) int32 { return int32(int64(number)) }

func rotate(number int32, by int) int32 { return int32(bits.RotateLeft32(uint32(number), by)) }

// mixedText is the mixed hash as text, which the plugin takes of a text with
// its length in front.
func mixedText(text []uint16) string {
	counted := append(utf16.Encode([]rune(strconv.Itoa(len(text)))), text...)
	murmur, fnv := mixed(counted, 1)
	return base36(uint64(murmur)) + base36(uint64(fnv))
}

func base36(number uint64) string { return strconv.FormatUint(number, 36) }

// utf16Length is the length that JavaScript gives a text.
func utf16Length(text string) int {
	length := 0
	for _, char := range text {
		length += utf16.RuneLen(char)
	}
	return length
}
