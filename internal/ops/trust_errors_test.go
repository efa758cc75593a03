package ops_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
)

// insideNotes are canaries that notes have in their text and properties, and
// that no file, folder or tag is called by.
var insideNotes = regexp.MustCompile(`(?i)qanary(body|block|text|canvas|instruction|logline|description|value|key|heading|alias|side|pixels|project2|target)\w*`)

// TestErrorsQuoteNoNotes makes every call of the table as somebody who may see
// all: what an error says is what the caller wrote, a path, or the tags that the
// contract has it list, but no other word of a note. Whoever writes notes cannot
// write our errors.
func TestErrorsQuoteNoNotes(t *testing.T) {
	c := openCanary(t, everybodysFiles, scope.Scope{}, nil)
	c.store.Diverge("private/Hidden Note.md", []byte(canarySide))
	refused := map[fault.Kind]int{}
	for _, one := range c.tools.All() {
		for _, args := range arguments(t, one) {
			_, err := c.call(c.tools, one.Name, args)
			if err == nil {
				c.restore()
				continue
			}
			refused[fault.KindOf(err)]++
			question, _ := json.Marshal(args)
			for _, text := range []string{err.Error(), fault.HintOf(err)} {
				for _, word := range insideNotes.FindAllString(text, -1) {
					if !strings.Contains(strings.ToLower(string(question)), strings.ToLower(word)) {
						t.Errorf("%s %s quotes %q of a note: %s", one.Name, question, word, text)
					}
				}
			}
		}
	}
	for _, kind := range []fault.Kind{fault.NotFound, fault.InvalidArgument, fault.PermissionDenied, fault.Conflict, fault.AmbiguousName, fault.AlreadyExists, fault.TagNotAllowed} {
		if refused[kind] == 0 {
			t.Errorf("no call was refused with %s", kind.Code())
		}
	}
	t.Logf("refused: %v", refused)
}
