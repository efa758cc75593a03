package task

import (
	"slices"
	"strings"
)

// sign is the character that starts a field.
type sign struct {
	text  string
	kind  Kind
	value string // what the sign alone means
}

// signs are the characters that start fields; of several of a kind, the first is the one that is written.
var signs = []sign{
	{"🔺", Priority, "highest"}, {"⏫", Priority, "high"}, {"🔼", Priority, "medium"}, {"🔽", Priority, "low"}, {"⏬", Priority, "lowest"},
	{"✅", DoneDate, ""}, {"❌", CancelledDate, ""}, {"📅", Due, ""}, {"📆", Due, ""}, {"🗓", Due, ""},
	{"⏳", Scheduled, ""}, {"⌛", Scheduled, ""}, {"🛫", Start, ""}, {"➕", Created, ""}, {"🔁", Recurrence, ""}, {"🏁", OnCompletion, ""},
	{"🆔", ID, ""}, {"⛔", DependsOn, ""},
}

// keys are the names of fields in Dataview's format.
var keys = map[string]Kind{
	"priority": Priority, "completion": DoneDate, "cancelled": CancelledDate, "due": Due, "scheduled": Scheduled, "start": Start,
	"created": Created, "repeat": Recurrence, "onCompletion": OnCompletion, "id": ID, "dependsOn": DependsOn,
}

// maxRounds is how often the plugin looks for one field of each kind.
const maxRounds = 21

// readFields takes fields and tags from the end of the body, as long as there are any, and leaves the description.
func (t *Task) readFields() {
	t.fields, t.trailing = nil, nil
	var trailing []string
	end, round, last := t.bodyEnd, 1, -1
	for {
		field, ok := t.lastField(end)
		if !ok {
			break
		}
		if at := slices.Index(kinds, field.Kind); at > last {
			last = at
		} else {
			round, last = round+1, at
		}
		if round > maxRounds {
			break
		}
		if field.Kind == tag {
			trailing, t.trailing = append(trailing, field.Value), append(t.trailing, field)
		} else {
			t.fields = append(t.fields, field)
		}
		end = t.bodyAt + len(strings.TrimRightFunc(t.Line[t.bodyAt:field.start], isSpace))
	}
	slices.Reverse(t.fields)
	slices.Reverse(trailing)
	t.Description, t.textEnd = t.Line[t.bodyAt:end], end
	if len(trailing) > 0 {
		t.Description = strings.TrimLeftFunc(t.Description+" "+strings.Join(trailing, " "), isSpace)
	}
}

// maxField is how long a field or tag may be. A longer line is not searched for one again and again.
const maxField = 2000

// lastField returns the field or tag that the body has at its end.
func (t *Task) lastField(end int) (Field, bool) {
	start := max(t.bodyAt, end-maxField)
	text := t.Line[start:end]
	field, ok := lastTag(text)
	if !ok {
		field, ok = lastSign(text)
	}
	if !ok {
		field, ok = lastInlineField(text)
	}
	if start > t.bodyAt && ok && field.start == 0 {
		return Field{}, false // it begins earlier
	}
	for _, at := range []*int{&field.start, &field.end, &field.valueAt, &field.valueEnd} {
		*at += start
	}
	return field, ok
}

// lastTag returns the tag at the end of a text.
func lastTag(text string) (Field, bool) {
	at := strings.LastIndexByte(text, '#')
	if at < 0 || at == len(text)-1 || strings.ContainsAny(text[at+1:], ` !@#$%^&*(),.?":{}|<>`) {
		return Field{}, false
	}
	before := text[:at]
	if before != "" && len(strings.TrimRightFunc(before, isSpace)) == len(before) {
		return Field{}, false
	}
	return Field{Kind: tag, Value: strings.TrimFunc(text[at:], isSpace), start: at, end: len(text)}, true
}

// lastSign returns the field with a sign at the end of a text.
func lastSign(text string) (Field, bool) {
	at, found := -1, sign{}
	for _, s := range signs {
		if i := strings.LastIndex(text, s.text); i > at {
			at, found = i, s
		}
	}
	if at < 0 {
		return Field{}, false
	}
	value := strings.TrimPrefix(text[at+len(found.text):], "\ufe0f")
	if found.value != "" {
		return Field{Kind: found.kind, Value: found.value, start: at, end: len(text), valueAt: at, valueEnd: at + len(found.text)}, value == ""
	}
	value = strings.TrimLeft(value, " ")
	if !isValue(found.kind, value) {
		return Field{}, false
	}
	return Field{Kind: found.kind, Value: cleanValue(found.kind, value), start: at, end: len(text), valueAt: len(text) - len(value), valueEnd: len(text)}, true
}

// lastInlineField returns the field such as [due:: 2026-11-16] at the end of a text.
func lastInlineField(text string) (Field, bool) {
	inside := strings.TrimSuffix(text, ",")
	if len(inside) < len(text) {
		inside = strings.TrimRight(inside, " ")
	}
	if inside == "" {
		return Field{}, false
	}
	opening := map[byte]byte{']': '[', ')': '('}[inside[len(inside)-1]]
	at := -1
	if opening != 0 {
		at = strings.LastIndexByte(inside, opening)
	}
	if at < 0 {
		return Field{}, false
	}
	content := inside[at+1 : len(inside)-1]
	key, value, ok := strings.Cut(content, "::")
	kind := keys[strings.TrimSpace(key)]
	trimmed := strings.TrimSpace(value)
	isKnown := kind != "" && isValue(kind, trimmed)
	if kind == Priority {
		isKnown = slices.Contains(priorities, trimmed) && trimmed != "none"
	}
	if !ok || !isKnown {
		return Field{}, false
	}
	valueAt := at + 1 + strings.Index(content, "::") + len("::") + len(value) - len(strings.TrimLeft(value, " \t"))
	return Field{Kind: kind, Value: cleanValue(kind, trimmed), inline: true, start: at, end: len(text), valueAt: valueAt, valueEnd: valueAt + len(trimmed)}, true
}

// priorities are the names of priorities, the highest first.
var priorities = []string{"highest", "high", "medium", "none", "low", "lowest"}

// Priorities are the names of priorities, the highest first.
func Priorities() []string { return slices.Clone(priorities) }

// Accepts reports whether a text can be the value of a field with a sign.
func (k Kind) Accepts(text string) bool { return isValue(k, text) }

// isValue reports whether a text can be the value of a field.
func isValue(kind Kind, text string) bool {
	switch {
	case text == "":
		return false
	case kind.IsDate():
		return isDateText(text)
	case kind == Recurrence:
		return strings.TrimFunc(text, func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune(", !", r) }) == ""
	case kind == OnCompletion:
		return strings.TrimFunc(text, func(r rune) bool { return isAlphanumeric(r) && (r < '0' || r > '9') }) == ""
	case kind == ID:
		return isID(text)
	case kind == DependsOn:
		for id := range strings.SplitSeq(text, ",") {
			if !isID(strings.Trim(id, " ")) {
				return false
			}
		}
		return true
	}
	return false
}

func isDateText(text string) bool {
	if len(text) != len("2006-01-02") || text[4] != '-' || text[7] != '-' {
		return false
	}
	return strings.Trim(text, "0123456789-") == "" && strings.Count(text, "-") == 2
}

func isID(text string) bool {
	return text != "" && strings.TrimFunc(text, func(r rune) bool { return isAlphanumeric(r) || r == '-' || r == '_' }) == ""
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// cleanValue returns a value as it is compared.
func cleanValue(kind Kind, value string) string {
	switch kind {
	case Recurrence:
		return strings.TrimSpace(value)
	case OnCompletion:
		return strings.ToLower(value)
	case DependsOn:
		ids := strings.Split(value, ",")
		for i := range ids {
			ids[i] = strings.Trim(ids[i], " ")
		}
		return strings.Join(ids, ",")
	}
	return value
}
