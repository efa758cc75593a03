package ops_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
)

// insideNotes matches the canaries in the text and properties of notes that are not the
// name of a file, folder or tag.
var insideNotes = regexp.MustCompile(`(?i)qanary(body|block|text|canvas|instruction|logline|description|value|key|heading|alias|side|pixels|project2|target)\w*`)

// TestErrorsQuoteNoNotes makes every call of the table with all rights. An error may
// repeat what the caller wrote, a path, or the tags that the contract has it list, but no
// other word of a note: the author of a note cannot write our errors.
func TestErrorsQuoteNoNotes(t *testing.T) {
	c := openCanary(t, commonFiles, scope.Scope{}, nil)
	c.store.Diverge("private/Hidden Note.md", []byte(canarySide))
	refused := map[fault.Kind]int{}
	for _, called := range c.tools.All() {
		for _, args := range arguments(t, called) {
			_, err := c.call(c.tools, called.Name, args)
			if err == nil {
				c.restore()
				continue
			}
			refused[fault.KindOf(err)]++
			question, _ := json.Marshal(args)
			for _, text := range []string{err.Error(), fault.HintOf(err)} {
				for _, word := range insideNotes.FindAllString(text, -1) {
					if !strings.Contains(strings.ToLower(string(question)), strings.ToLower(word)) {
						t.Errorf("%s %s quotes %q of a note: %s", called.Name, question, word, text)
					}
				}
			}
		}
	}
	for _, kind := range []fault.Kind{fault.NotFound, fault.InvalidArgument, fault.PermissionDenied, fault.Conflict, fault.AmbiguousName, fault.AlreadyExists, fault.TagNotAllowed} {
		if refused[kind] == 0 && !testing.Short() {
			t.Errorf("no call was refused with %s", kind.Code())
		}
	}
	t.Logf("refused: %v", refused)
}
