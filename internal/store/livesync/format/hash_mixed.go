package format

import (
	"math/bits"
	"strconv"
	"unicode/utf16"
)

const fnvStart = 2166136261

// mixed computes the plugin's own pair of hashes, modelled on Murmur3 and FNV-1a, over UTF-16 units. The plugin
// computes them with JavaScript numbers, which are doubles; the bits that doubles lose are part of the result.
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

// wrap converts a number to 32 bits as JavaScript does.
func wrap(number float64) int32 { return int32(int64(number)) }

func rotate(number int32, by int) int32 { return int32(bits.RotateLeft32(uint32(number), by)) }

// mixedText returns the mixed hash, as text, of a text preceded by its length.
func mixedText(text []uint16) string {
	counted := append(utf16.Encode([]rune(strconv.Itoa(len(text)))), text...)
	murmur, fnv := mixed(counted, 1)
	return base36(uint64(murmur)) + base36(uint64(fnv))
}

func base36(number uint64) string { return strconv.FormatUint(number, 36) }

// utf16Length returns the length of a text as JavaScript counts it.
func utf16Length(text string) int {
	length := 0
	for _, char := range text {
		length += utf16.RuneLen(char)
	}
	return length
}
