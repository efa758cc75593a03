package model2vec

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// splitsOf returns what a pre-tokenizer does, step by step.
func splitsOf(c *component) ([]split, error) {
	if c == nil {
		return nil, nil
	}
	switch c.Type {
	case "Sequence":
		var splits []split
		for i := range c.Pretokenizers {
			more, err := splitsOf(&c.Pretokenizers[i])
			if err != nil {
				return nil, err
			}
			splits = append(splits, more...)
		}
		return splits, nil
	case "BertPreTokenizer":
		return []split{byKind(func(c rune) kind {
			switch {
			case unicode.IsSpace(c):
				return dropped
			case isPunctuation(c):
				return alone
			}
			return 0
		})}, nil
	case "Whitespace":
		return []split{byKind(func(c rune) kind {
			switch {
			case unicode.IsSpace(c):
				return dropped
			case c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
				return 0
			}
			return 1
		})}, nil
	case "WhitespaceSplit":
		return []split{byKind(func(c rune) kind {
			if unicode.IsSpace(c) {
				return dropped
			}
			return 0
		})}, nil
	case "Punctuation":
		return []split{byKind(func(c rune) kind {
			if isPunctuation(c) {
				return alone
			}
			return 0
		})}, nil
	case "Digits":
		return []split{byKind(func(r rune) kind {
			switch {
			case !unicode.IsNumber(r):
				return 0
			case c.SingleDigits:
				return alone
			}
			return 1
		})}, nil
	case "Metaspace":
		return []split{metaspace(c)}, nil
	}
	return nil, fmt.Errorf("the pre-tokenizer %s is not supported", c.Type)
}

// kind is a kind of character. Characters of the same kind stay together.
type kind int

const (
	dropped kind = -1 // belongs to no part
	alone   kind = -2 // is a part of its own
)

// isPunctuation reports whether BERT takes a character for punctuation.
func isPunctuation(c rune) bool {
	return c <= unicode.MaxASCII && (unicode.IsPunct(c) || unicode.IsSymbol(c)) || c > unicode.MaxASCII && unicode.IsPunct(c)
}

// byKind cuts texts where the kind of characters changes.
func byKind(kindOf func(rune) kind) split {
	return func(parts [][]byte) [][]byte {
		var out [][]byte
		for _, part := range parts {
			start, last := 0, dropped
			for i := 0; i < len(part); {
				c, size := utf8.DecodeRune(part[i:])
				if now := kindOf(c); now != last || now == alone {
					if last != dropped && i > start {
						out = append(out, part[start:i])
					}
					start, last = i, now
				}
				i += size
			}
			if last != dropped && len(part) > start {
				out = append(out, part[start:])
			}
		}
		return out
	}
}

// metaspace makes spaces visible, so that they can be parts of pieces.
func metaspace(c *component) split {
	visible := []byte(c.Replacement)
	scheme := c.PrependScheme
	if scheme == "" && (c.AddPrefixSpace == nil || *c.AddPrefixSpace) {
		scheme = "always"
	}
	return func(parts [][]byte) [][]byte {
		var out [][]byte
		for i, part := range parts {
			part = bytes.ReplaceAll(part, []byte(" "), visible)
			if (scheme == "always" || scheme == "first" && i == 0) && len(part) > 0 && !bytes.HasPrefix(part, visible) {
				part = append(bytes.Clone(visible), part...)
			}
			if c.Split != nil && !*c.Split || len(visible) == 0 {
				out = append(out, part)
				continue
			}
			for len(part) > 0 {
				end := len(part)
				if next := bytes.Index(part[1:], visible); next >= 0 {
					end = next + 1
				}
				out = append(out, part[:end])
				part = part[end:]
			}
		}
		return out
	}
}
