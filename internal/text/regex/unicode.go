package regex

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// wordSet is Rust's \w: alphabetic characters, marks, decimal digits, connecting punctuation and the joiners.
var wordSet = sync.OnceValue(func() set {
	return alphabetic().union(categorySet("M"), categorySet("Nd"), categorySet("Pc"), tableSet(unicode.Join_Control))
})

var digitSet = sync.OnceValue(func() set { return categorySet("Nd") })

// spaceSet is Unicode's White_Space, which is Rust's \s.
var spaceSet = sync.OnceValue(func() set { return tableSet(unicode.White_Space) })

// wordBits has a bit for each character of \w in the range of nearly all text. It is nil until a program needs it.
var wordBits atomic.Pointer[[0x20000 / 64]uint64]

// prepareWords computes wordBits.
var prepareWords = sync.OnceFunc(func() {
	var bits [0x20000 / 64]uint64
	for _, s := range wordSet() {
		for r := s.lo; r <= min(s.hi, 0x1ffff); r++ {
			bits[r/64] |= 1 << (r % 64)
		}
	}
	wordBits.Store(&bits)
})

// isWordRune reports whether r is in \w. It requires prepareWords.
func isWordRune(r rune) bool {
	if r < 0x20000 {
		return wordBits.Load()[r/64]>>(r%64)&1 != 0
	}
	return wordSet().has(r)
}

// categorySet returns a general category by its short name, including Cn and LC.
func categorySet(name string) set {
	switch name {
	case "LC":
		return categorySet("Lu").union(categorySet("Ll"), categorySet("Lt"))
	case "Cn":
		return anyRune.minus(assigned())
	case "C":
		return categorySet("Cc").union(categorySet("Cf"), categorySet("Co"), categorySet("Cn"))
	}
	return tableCategory(name)
}

// tableCategory returns a general category for which Go has a table.
func tableCategory(name string) set {
	base := tableSet(unicode.Categories[name])
	var later []span
	for _, block := range newer {
		if strings.HasPrefix(block.category, name) {
			later = append(later, span{block.lo, block.hi})
		}
	}
	return base.minus(moved).union(later)
}

var assigned = sync.OnceValue(func() set {
	all := set{}
	for _, name := range []string{"L", "M", "N", "P", "S", "Z", "Cc", "Cf", "Co"} {
		all = all.union(tableCategory(name))
	}
	return all
})

func scriptSet(name string) set {
	base := set{}
	if table, ok := unicode.Scripts[name]; ok {
		base = tableSet(table)
	}
	var later []span
	for _, block := range newer {
		if block.script == name {
			later = append(later, span{block.lo, block.hi})
		}
	}
	return base.union(later)
}

// property returns a binary property by its normalized name, or nil if the name is unknown.
func property(name string) func() set {
	switch name {
	case "alphabetic", "alpha":
		return alphabetic
	case "lowercase", "lower":
		return func() set { return categorySet("Ll").union(tableSet(unicode.Other_Lowercase)) }
	case "uppercase", "upper":
		return func() set { return categorySet("Lu").union(tableSet(unicode.Other_Uppercase)) }
	case "cased":
		return func() set {
			return categorySet("LC").union(tableSet(unicode.Other_Lowercase, unicode.Other_Uppercase))
		}
	case "math":
		return func() set { return categorySet("Sm").union(tableSet(unicode.Other_Math)) }
	case "whitespace", "wspace", "space":
		return spaceSet
	case "idstart", "ids":
		return idStart
	case "idcontinue", "idc":
		return func() set {
			more := tableSet(unicode.Other_ID_Continue).union(propertyNew["Other_ID_Continue"])
			return idStart().union(categorySet("Mn"), categorySet("Mc"), categorySet("Nd"), categorySet("Pc"), more).minus(patternSet())
		}
	case "graphemeextend", "grext":
		return func() set {
			more := tableSet(unicode.Other_Grapheme_Extend).union(propertyNew["Other_Grapheme_Extend"])
			return categorySet("Me").union(categorySet("Mn"), more)
		}
	case "emoji":
		return func() set { return emoji }
	case "emojimodifier", "emod":
		return func() set { return set{{0x1f3fb, 0x1f3ff}} }
	case "emojipresentation", "epres":
		return func() set { return emojiPresentation }
	case "extendedpictographic", "extpict":
		return func() set { return pictographic }
	}
	if short, ok := propertyShort[name]; ok {
		name = short
	}
	for long, table := range unicode.Properties {
		if normalizeName(long) == name {
			return func() set { return tableSet(table).union(propertyNew[long]) }
		}
	}
	return nil
}

// idStart is what an identifier may begin with.
func idStart() set {
	return categorySet("L").union(categorySet("Nl"), tableSet(unicode.Other_ID_Start)).minus(patternSet())
}

// patternSet is what no identifier may contain.
func patternSet() set { return tableSet(unicode.Pattern_Syntax, unicode.Pattern_White_Space) }

// propertyShort are the short names of the properties that Go knows.
var propertyShort = map[string]string{
	"ahex": "asciihexdigit", "bidic": "bidicontrol", "dep": "deprecated", "dia": "diacritic", "ext": "extender",
	"hex": "hexdigit", "ideo": "ideographic", "idsb": "idsbinaryoperator", "idst": "idstrinaryoperator",
	"joinc": "joincontrol", "loe": "logicalorderexception", "nchar": "noncharactercodepoint",
	"patsyn": "patternsyntax", "patws": "patternwhitespace", "pcm": "prependedconcatenationmark",
	"qmark": "quotationmark", "ri": "regionalindicator", "sterm": "sentenceterminal", "sd": "softdotted",
	"term": "terminalpunctuation", "uideo": "unifiedideograph", "vs": "variationselector",
}

var alphabetic = sync.OnceValue(func() set {
	return categorySet("L").union(categorySet("Nl"), tableSet(unicode.Other_Alphabetic), propertyNew["Other_Alphabetic"])
})

// classOf finds the set that \p{…} names: a category, a script or a binary property, by any of its names.
func classOf(query string) (set, bool) {
	// Rust treats != like =, and we follow ripgrep.
	if name, value, ok := strings.Cut(query, "!="); ok {
		return namedValue(name, value)
	}
	if name, value, ok := strings.Cut(query, ":"); ok {
		return namedValue(name, value)
	}
	if name, value, ok := strings.Cut(query, "="); ok {
		return namedValue(name, value)
	}
	name := normalizeName(query)
	if name != "cf" && name != "sc" && name != "lc" {
		if of := property(name); of != nil {
			return of(), true
		}
	}
	if s, ok := category(name); ok {
		return s, true
	}
	long, ok := scriptName(name)
	return scriptSet(long), ok
}

func namedValue(name, value string) (set, bool) {
	value = normalizeName(value)
	switch normalizeName(name) {
	case "gc", "generalcategory":
		return category(value)
	case "sc", "script":
		name, ok := scriptName(value)
		return scriptSet(name), ok
	case "scx", "scriptextensions":
		name, ok := scriptName(value)
		return scriptUse(name), ok
	}
	return nil, false
}

func category(name string) (set, bool) {
	switch name {
	case "any":
		return anyRune, true
	case "ascii":
		return set{{0, 0x7f}}, true
	case "assigned":
		return assigned(), true
	}
	short, ok := categoryNames()[name]
	if !ok {
		return nil, false
	}
	return categorySet(short), true
}

// categoryNames maps each normalized name to the short one.
var categoryNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{"lc": "LC", "cn": "Cn"}
	for short := range unicode.Categories {
		names[normalizeName(short)] = short
	}
	for long, short := range unicode.CategoryAliases {
		names[normalizeName(long)] = short
	}
	// No text has surrogates, and Rust has no such category.
	maps.DeleteFunc(names, func(_, short string) bool { return short == "Cs" })
	return names
})

// scriptName returns the name of a script's table.
func scriptName(name string) (string, bool) {
	if long, ok := scriptShort[name]; ok {
		return long, true
	}
	for long := range unicode.Scripts {
		if normalizeName(long) == name {
			return long, true
		}
	}
	for _, block := range newer {
		if normalizeName(block.script) == name {
			return block.script, true
		}
	}
	return "", false
}

// scriptUse returns the characters that are used with a script.
func scriptUse(name string) set {
	own := scriptSet(name)
	var with, others []span
	for _, use := range scriptUses {
		if strings.Contains(use.scripts, " "+name+" ") {
			with = append(with, span{use.lo, use.hi})
		} else {
			others = append(others, span{use.lo, use.hi})
		}
	}
	return own.minus(others).union(with)
}

// normalizeName makes names equal that Unicode considers equal: it ignores case, spaces, hyphens, underscores and a
// leading "is".
func normalizeName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '_' || r == '-' || r >= 0x80:
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
	if name == "isc" {
		return name // a property of its own
	}
	if short, ok := strings.CutPrefix(name, "is"); ok {
		if short == "c" {
			return "isc"
		}
		return short
	}
	return name
}
