package canvas

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Op is one operation on a canvas, as its caller wrote it: what to do, and the keys to write.
type Op struct {
	verb   string // add, connect, update or remove
	kind   string // of the card to add
	target string // the card or edge to update or remove
	ends   []string
	hints  hints
	Fields map[string]json.RawMessage // never null, except that an update removes such a key
}

// hints say where a card without coordinates goes. They name other cards.
type hints struct{ in, near, side string }

// The operations.
const (
	addVerb     = "add"
	connectVerb = "connect"
	updateVerb  = "update"
	removeVerb  = "remove"
)

// ReadOps reads operations. Mistakes that show without the canvas are refused.
func ReadOps(raw []json.RawMessage) ([]Op, error) {
	ops := make([]Op, len(raw))
	for i, text := range raw {
		op, refusal := readOp(text)
		if refusal != nil {
			return nil, refusal.in(i + 1)
		}
		ops[i] = op
	}
	return ops, nil
}

func readOp(raw json.RawMessage) (Op, *Refusal) {
	op := Op{Fields: map[string]json.RawMessage{}}
	if json.Unmarshal(raw, &op.Fields) != nil || op.Fields == nil {
		return op, refuse(BadValue, "an operation must be an object").WithHint(`for example {"add":"text","text":"Hello"}`)
	}
	for _, verb := range []string{addVerb, connectVerb, updateVerb, removeVerb} {
		if value, given := op.Fields[verb]; given {
			if op.verb != "" {
				return op, refuse(BadValue, "an operation cannot both %s and %s", op.verb, verb).WithHint("split it into two operations")
			}
			op.verb = verb
			if refusal := op.readVerb(value); refusal != nil {
				return op, refusal
			}
		}
	}
	if op.verb == "" {
		return op, refuse(MissingField, "an operation needs one of the keys add, connect, update and remove")
	}
	delete(op.Fields, op.verb)
	if op.verb == addVerb {
		if refusal := op.readHints(); refusal != nil {
			return op, refusal
		}
	}
	if op.verb != updateVerb {
		maps.DeleteFunc(op.Fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	}
	return op, op.checkKeys()
}

// readVerb reads the value of the key that says what to do.
func (op *Op) readVerb(value json.RawMessage) *Refusal {
	var text string
	isText := json.Unmarshal(value, &text) == nil && string(value) != "null"
	isPair := json.Unmarshal(value, &op.ends) == nil && len(op.ends) == 2
	switch {
	case op.verb == connectVerb && !isPair:
		return refuse(MissingField, "connect needs the two cards to connect").WithHint(`for example {"connect":["Plan","$1"]}`)
	case op.verb == addVerb && (!isText || !slices.Contains([]string{TextCard, FileCard, LinkCard, Group}, text)):
		return refuse(BadType, "cannot add %s", value).WithHint("add takes text, file, link or group")
	case (op.verb == updateVerb || op.verb == removeVerb) && !isText && !isPair:
		return refuse(BadValue, "%s needs the id or title of a card, or [from, to] for an edge", op.verb)
	}
	op.kind, op.target = text, text
	return nil
}

func (op *Op) readHints() *Refusal {
	for key, into := range map[string]*string{"in": &op.hints.in, "near": &op.hints.near, "side": &op.hints.side} {
		value, given := op.Fields[key]
		delete(op.Fields, key)
		if given && json.Unmarshal(value, into) != nil {
			return refuse(BadValue, "'%s' must be a text", key)
		}
	}
	_, hasX := op.Fields["x"]
	_, hasY := op.Fields["y"]
	switch {
	case op.hints.side != "" && !slices.Contains(sides, op.hints.side):
		return badChoice("side", op.hints.side, sides)
	case op.hints.side != "" && op.hints.near == "":
		return refuse(MissingField, "'side' needs 'near', the card beside which the new one goes")
	case (hasX || hasY) && (op.hints.in != "" || op.hints.near != ""):
		return refuse(BadValue, "x and y already say where the card goes").WithHint("leave out x and y, or 'in' and 'near'")
	}
	return nil
}

// The keys of each kind of object, in the order in which new objects have them.
var (
	nodeKeys = []string{"id", "type", "text", "file", "subpath", "url", "x", "y", "width", "height", "color", "label", "background", "backgroundStyle"}
	edgeKeys = []string{"id", "fromNode", "fromSide", "fromEnd", "toNode", "toSide", "toEnd", "color", "label"}

	commonKeys = []string{"id", "x", "y", "width", "height", "color"}
	ownKeys    = map[string][]string{
		TextCard: {"text"}, FileCard: {"file", "subpath"}, LinkCard: {"url"}, Group: {"label", "background", "backgroundStyle"},
	}
	requiredKeys = []string{"text", "file", "url", "x", "y", "width", "height", "fromNode", "toNode"}
)

var (
	sides            = []string{"top", "right", "bottom", "left"}
	ends             = []string{"none", "arrow"}
	backgroundStyles = []string{"cover", "ratio", "repeat"}
	choices          = map[string][]string{
		"fromSide": sides, "toSide": sides, "fromEnd": ends, "toEnd": ends, "backgroundStyle": backgroundStyles,
	}
)

// checkKeys checks what can be checked without the canvas.
func (op *Op) checkKeys() *Refusal {
	switch op.verb {
	case addVerb:
		allowed := slices.Concat(commonKeys, ownKeys[op.kind])
		if refusal := op.onlyKeys("a "+op.kind+" card", allowed, "in", "near", "side"); refusal != nil {
			return refusal
		}
		for _, key := range ownKeys[op.kind] {
			if slices.Contains(requiredKeys, key) && op.Fields[key] == nil {
				return refuse(MissingField, "a %s card needs '%s'", op.kind, key)
			}
		}
		if (op.Fields["x"] == nil) != (op.Fields["y"] == nil) {
			return refuse(MissingField, "a card needs both x and y, or neither").WithHint("without them it is placed automatically")
		}
	case connectVerb:
		if refusal := op.onlyKeys("an edge", slices.DeleteFunc(slices.Clone(edgeKeys), func(key string) bool { return key == "fromNode" || key == "toNode" })); refusal != nil {
			return refusal
		}
	case removeVerb:
		if refusal := op.onlyKeys("remove", nil); refusal != nil {
			return refusal
		}
	}
	return op.checkValues()
}

// onlyKeys refuses keys that an object does not have.
func (op *Op) onlyKeys(what string, allowed []string, hints ...string) *Refusal {
	for _, key := range slices.Sorted(maps.Keys(op.Fields)) {
		if slices.Contains(allowed, key) {
			continue
		}
		refusal := refuse(BadValue, "%s has no key '%s'", what, key)
		if near := fault.Nearest(key, slices.Concat(allowed, hints)); near != "" {
			return refusal.WithHint("did you mean '%s'?", near)
		}
		if len(allowed) == 0 {
			return refusal.WithHint("leave it out")
		}
		return refusal.WithHint("its keys are: %s", strings.Join(slices.Concat(allowed, hints), ", "))
	}
	return nil
}

// checkValues checks the values of all keys.
func (op *Op) checkValues() *Refusal {
	for _, key := range slices.Sorted(maps.Keys(op.Fields)) {
		value := op.Fields[key]
		if string(value) == "null" {
			if slices.Contains(requiredKeys, key) {
				return refuse(MissingField, "'%s' cannot be removed", key)
			}
			continue
		}
		var refusal *Refusal
		switch key {
		case "x", "y", "width", "height":
			_, refusal = wholeNumber(key, value)
		default:
			refusal = checkText(key, value)
		}
		if refusal != nil {
			return refusal
		}
	}
	return nil
}

// farthest is the largest coordinate that an operation may give.
const farthest = 1_000_000_000

func wholeNumber(key string, value json.RawMessage) (float64, *Refusal) {
	number, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil || number != float64(int64(number)):
		return 0, refuse(NotInteger, "'%s' must be a whole number, not %s", key, value)
	case number < -farthest || number > farthest:
		return 0, refuse(BadValue, "'%s' must be between %d and %d", key, -farthest, farthest)
	case (key == "width" || key == "height") && number < 1:
		return 0, refuse(BadValue, "'%s' must be at least 1", key)
	}
	return number, nil
}

var color = regexp.MustCompile(`^(?:[1-6]|#[0-9a-fA-F]{6})$`)

func checkText(key string, value json.RawMessage) *Refusal {
	var text string
	isText := json.Unmarshal(value, &text) == nil
	switch {
	case key == "color" && (!isText || !color.MatchString(text)):
		return refuse(BadColor, "%s is not a color of a canvas", value).WithHint(`use "1" red, "2" orange, "3" yellow, "4" green, "5" cyan, "6" purple, or "#RRGGBB"`)
	case !isText:
		return refuse(BadValue, "'%s' must be a text", key)
	case choices[key] != nil && !slices.Contains(choices[key], text):
		return badChoice(key, text, choices[key])
	case key == "subpath" && !strings.HasPrefix(text, "#"):
		return refuse(BadValue, "'subpath' must begin with #").WithHint("such as #Heading or #^block")
	case key == "id" && text == "":
		return refuse(BadValue, "'id' must not be empty").WithHint("leave it out to get a new one")
	case text == "" && (key == "file" || key == "url"):
		return refuse(MissingField, "'%s' must not be empty", key)
	}
	return nil
}

func badChoice(key, value string, choices []string) *Refusal {
	return refuse(BadValue, "'%s' cannot be '%s'", key, value).WithHint("it is one of: %s", strings.Join(choices, ", "))
}
