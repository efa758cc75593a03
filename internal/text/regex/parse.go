package regex

import (
	"strings"
	"unicode/utf8"
)

// parse builds the tree of a pattern in either dialect.
func parse(pattern string, o Options) (*node, error) {
	if at := firstInvalid(pattern); at >= 0 {
		return nil, errorf(at, "the pattern is not valid UTF-8")
	}
	if o.Dialect == JavaScript {
		return parseScript(pattern, o.IgnoreCase)
	}
	return parseRipgrep(pattern, o.IgnoreCase)
}

func firstInvalid(text string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// parseRipgrep reads a pattern as ripgrep does: within a group, which is why a)|(b is a pattern. Errors are those
// of the pattern by itself, if it has any.
func parseRipgrep(pattern string, fold bool) (*node, error) {
	const open = "(?:"
	tree, err := parseRust(open+pattern+")", fold)
	if err == nil {
		tree, err = lineLimiter{}.limit(tree)
	}
	if err == nil {
		return tree, nil
	}
	if _, own := parseRust(pattern, fold); own != nil {
		return nil, own
	}
	err.Offset = min(max(err.Offset-len(open), 0), len(pattern))
	return nil, err
}

// lineLimiter removes the line feed from every class, and refuses a class that could match nothing else. It also
// refuses NUL, since files that contain one are binary. It remembers the result for each set, so that equal classes
// keep sharing theirs.
type lineLimiter map[*span]set

func (l lineLimiter) limit(n *node) (*node, *Error) {
	same := *n
	if n.kind == nodeClass || n.kind == nodeBytes {
		if n.set.size() == 1 && n.set.has(0) {
			return nil, errorf(n.at, `the pattern contains "\0" but it is impossible to match`)
		}
		same.set = l.without(n.set)
		if len(same.set) == 0 && len(n.set) > 0 {
			return nil, errorf(n.at, `the literal "\n" is not allowed in a regex: text is searched line by line`)
		}
		return &same, nil
	}
	same.subs = make([]*node, len(n.subs))
	for i, sub := range n.subs {
		var err *Error
		if same.subs[i], err = l.limit(sub); err != nil {
			return nil, err
		}
	}
	return &same, nil
}

func (l lineLimiter) without(s set) set {
	if !s.has('\n') {
		return s
	}
	if limited, ok := l[&s[0]]; ok {
		return limited
	}
	less := s.minus(single('\n'))
	l[&s[0]] = less
	return less
}

// nestLimit is how deeply constructs may be nested: Rust's limit in ripgrep.
const nestLimit = 250

const (
	errLook      = "look-around, including look-ahead and look-behind, is not supported"
	errReference = "backreferences are not supported"
	errMissing   = "repetition operator missing expression"
	errUnclosed  = "unclosed group"
	errUnopened  = "unopened group"
	errClass     = "unclosed character class"
	errEscape    = "incomplete escape sequence, reached end of pattern prematurely"
	errOrder     = "invalid character class range, the start must be <= the end"
	errCounts    = "invalid repetition count range, the start must be <= the end"
	errName      = "invalid capture group character"
	errTwice     = "duplicate capture group name"
)

// cursor reads a pattern character by character. The first error ends the reading: it moves to the end, so that
// every loop stops.
type cursor struct {
	src   string
	pos   int
	err   *Error
	fold  bool // the flag i
	names map[string]bool
	level int            // of groups and classes around the position
	spent int            // how many spans of sets were processed
	used  map[*span]bool // sets that are in the tree, by address
}

// classBudget is how many spans of character sets a pattern may process. It bounds the time that hundreds of
// different large classes take.
const classBudget = 1 << 18

func (c *cursor) spend(s set) {
	if c.spent += len(s); c.spent > classBudget {
		c.fail(c.pos, "the character classes of the pattern are too large")
	}
}

// withFolds returns the set with everything that equals one of its members.
func (c *cursor) withFolds(f folding, s set) set {
	c.spent += f.touched(s)
	c.spend(s)
	if c.err != nil {
		return nil
	}
	return f.of(s)
}

// use accounts for a set that becomes part of the tree. Each set counts once.
func (c *cursor) use(s set) set {
	if len(s) > 1 && !c.used[&s[0]] {
		if c.used == nil {
			c.used = map[*span]bool{}
		}
		c.used[&s[0]] = true
		c.spend(s)
	}
	return s
}

// endOfPattern is what peek returns at the end of the pattern.
const endOfPattern = rune(-1)

func (c *cursor) eof() bool { return c.pos >= len(c.src) }

func (c *cursor) peek() rune { return c.peekAt(c.pos) }

func (c *cursor) peekAt(pos int) rune {
	if pos >= len(c.src) {
		return endOfPattern
	}
	if b := c.src[pos]; b < utf8.RuneSelf {
		return rune(b)
	}
	r, _ := utf8.DecodeRuneInString(c.src[pos:])
	return r
}

// bump moves over a character.
func (c *cursor) bump() {
	if !c.eof() {
		_, size := utf8.DecodeRuneInString(c.src[c.pos:])
		c.pos += size
	}
}

// accept moves over a prefix, if it is there.
func (c *cursor) accept(prefix string) bool {
	if !strings.HasPrefix(c.src[c.pos:], prefix) {
		return false
	}
	c.pos += len(prefix)
	return true
}

func (c *cursor) fail(at int, format string, args ...any) {
	if c.err == nil {
		c.err = errorf(at, format, args...)
	}
	c.pos = len(c.src)
}

// finish checks the tree of a whole pattern, which must have been read to its end.
func (c *cursor) finish(tree *node) (*node, *Error) {
	if c.err == nil && !c.eof() {
		c.fail(c.pos, errUnopened)
	}
	if c.err == nil {
		c.checkDepth(0, tree.depth)
	}
	if c.err != nil {
		return nil, c.err
	}
	return tree, nil
}

// deeper enters a group or class, and fails if too many are nested.
func (c *cursor) deeper(at int) bool {
	c.level++
	return c.checkDepth(at, c.level)
}

func (c *cursor) checkDepth(at, depth int) bool {
	if depth > nestLimit {
		c.fail(at, "exceed the maximum number of nested parentheses/brackets (%d)", nestLimit)
		return false
	}
	return true
}

// addName records the name of a group, which must be unique.
func (c *cursor) addName(at int, name string) {
	if c.names[name] {
		c.fail(at, errTwice)
		return
	}
	if c.names == nil {
		c.names = map[string]bool{}
	}
	c.names[name] = true
}

func hexValue(r rune) (rune, bool) {
	switch {
	case '0' <= r && r <= '9':
		return r - '0', true
	case 'a' <= r && r <= 'f':
		return r - 'a' + 10, true
	case 'A' <= r && r <= 'F':
		return r - 'A' + 10, true
	}
	return 0, false
}

// asciiWord, asciiDigit and asciiSpace are \w \d \s without Unicode.
var (
	asciiWord  = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	asciiDigit = set{{'0', '9'}}
	asciiSpace = set{{'\t', '\r'}, {' ', ' '}}
)
