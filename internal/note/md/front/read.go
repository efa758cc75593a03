package front

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// readEntries converts the tree into typed values.
func (b *Block) readEntries() error {
	budget := maxValues
	for i := 0; i+1 < len(b.root.Content); i += 2 {
		keyNode, valueNode := b.root.Content[i], b.root.Content[i+1]
		value, err := b.read(valueNode, MaxDepth, &budget)
		if err != nil {
			return err
		}
		b.entries = append(b.entries, entry{key: keyText(keyNode), value: value, keyNode: keyNode, valueNode: valueNode})
	}
	return nil
}

// read converts a node into a value. It expands aliases, whose number does not bound the size of the result, so it spends
// a budget.
func (b *Block) read(node *yaml.Node, depth int, budget *int) (Value, error) {
	if *budget--; *budget < 0 || depth < 0 {
		return Value{}, &Invalid{b.noteLine(node.Line), "too large after expanding aliases"}
	}
	switch node.Kind {
	case yaml.AliasNode:
		return b.read(node.Alias, depth-1, budget)
	case yaml.SequenceNode:
		list := Value{Kind: List}
		for _, child := range node.Content {
			item, err := b.read(child, depth-1, budget)
			if err != nil {
				return Value{}, err
			}
			list.Items = append(list.Items, item)
		}
		return list, nil
	case yaml.MappingNode:
		fields := Value{Kind: Map}
		for i := 0; i+1 < len(node.Content); i += 2 {
			item, err := b.read(node.Content[i+1], depth-1, budget)
			if err != nil {
				return Value{}, err
			}
			fields.Fields = append(fields.Fields, Field{keyText(node.Content[i]), item})
		}
		return fields, nil
	}
	if *budget -= len(node.Value) / textPerValue; *budget < 0 {
		return Value{}, &Invalid{b.noteLine(node.Line), "too large after expanding aliases"}
	}
	return readScalar(node), nil
}

// readScalar applies the core schema of YAML 1.2 to a plain scalar. Any other scalar is text.
func readScalar(node *yaml.Node) Value {
	if node.Style&yaml.TaggedStyle != 0 && strings.HasSuffix(node.Tag, "str") {
		return TextValue(node.Value)
	}
	if node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return TextValue(node.Value)
	}
	return plainValue(node.Value)
}

// plainValue returns the value of a plain scalar.
func plainValue(text string) Value {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Value{}
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Value{Kind: Bool, Text: text}
	}
	if isNumber(text) {
		return NumberValue(text)
	}
	return TextValue(text)
}

// isNumber reports whether text is a number of the core schema: decimal, 0o octal, 0x hexadecimal, with a fraction or an
// exponent, infinity or not-a-number.
func isNumber(text string) bool {
	switch radix(text) {
	case 16:
		return len(text) > 2 && strings.Trim(text[2:], "0123456789abcdefABCDEF") == ""
	case 8:
		return len(text) > 2 && strings.Trim(text[2:], "01234567") == ""
	}
	rest := text
	if rest[0] == '+' || rest[0] == '-' {
		rest = rest[1:]
	}
	switch rest {
	case ".inf", ".Inf", ".INF":
		return true
	case ".nan", ".NaN", ".NAN":
		return rest == text
	}
	integer := digits(rest)
	rest = rest[integer:]
	fraction := 0
	if strings.HasPrefix(rest, ".") {
		fraction = digits(rest[1:])
		rest = rest[1+fraction:]
	}
	if integer+fraction == 0 {
		return false
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		power := digits(rest)
		return power > 0 && power == len(rest)
	}
	return rest == ""
}

// digits returns how many digits the text starts with.
func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}

// keyText returns a key as text. A key that is a collection, such as the unquoted template code {{date}}, is written out.
func keyText(node *yaml.Node) string {
	switch node.Kind {
	case yaml.ScalarNode:
		return node.Value
	case yaml.AliasNode:
		return "*" + node.Value
	}
	var parts []string
	for _, child := range node.Content {
		if len(parts) == 8 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, keyText(child))
	}
	if node.Kind == yaml.SequenceNode {
		return "[ " + strings.Join(parts, ", ") + " ]"
	}
	return "{ " + strings.Join(parts, ": ") + " }"
}

// isEmptyNode reports whether the YAML has nothing in the place of the value.
func isEmptyNode(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Value == "" && node.Anchor == "" &&
		node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
}
