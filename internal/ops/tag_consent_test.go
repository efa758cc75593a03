package ops_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// openTagged opens a vault with one tag.
func openTagged(t *testing.T, policy ops.TagPolicy) *tool.Registry {
	t.Helper()
	v := vault.Open(mem.New(map[string]string{"A.md": "---\ntags: [old]\n---\n"}), slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: policy, Secret: []byte("x")})
	return tools
}

// TestNewTagsNeedConsent: each tool that can create tags in frontmatter refuses that at first, and says how the user's
// consent is passed on. The id is for this call and this caller.
func TestNewTagsNeedConsent(t *testing.T) {
	for name, arguments := range map[string]map[string]any{
		"add_tag":         {"name": "A", "tag": "new"},
		"set_frontmatter": {"name": "A", "key": "tags", "value": `["new"]`},
		"create_note":     {"name": "B", "content": "---\ntags: [new]\n---\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tools := openTagged(t, ops.TagsNotes)
			with := func(confirm, note string) map[string]any {
				copied := map[string]any{"confirm": confirm}
				for key, value := range arguments {
					copied[key] = value
				}
				if note != "" {
					copied["name"] = note
				}
				return copied
			}
			answer, err := invoke(t.Context(), t, tools, name, arguments)
			needs, ok := errors.AsType[*tool.NeedsConfirm](err)
			if !ok || fault.KindOf(err) != fault.TagNotAllowed || err.Error() != "Tags not in allowed list: ['new']. Allowed: ['old']. Ask user before creating new tags." {
				t.Fatalf("%v", err)
			}
			hint := "Nothing has changed. Ask the user; if they agree, repeat with confirm='" + needs.ID + "'."
			if lines := answer.HintLines(); len(lines) != 1 || lines[0] != hint {
				t.Errorf("the hints are %q", lines)
			}
			other := call.WithCaller(t.Context(), call.Caller{Token: "somebody else"})
			if _, err := invoke(other, t, tools, name, with(needs.ID, "")); err == nil {
				t.Error("another caller can use the id")
			}
			if name == "create_note" {
				if _, err := invoke(t.Context(), t, tools, name, with(needs.ID, "C")); err == nil {
					t.Error("another call can use the id")
				}
			}
			if _, err := invoke(t.Context(), t, tools, name, with(needs.ID, "")); err != nil {
				t.Errorf("with consent: %v", err)
			}
		})
	}
}

// TestStrictPolicyAcceptsNoConsent: with the policy strict, nobody can agree to a new tag.
func TestStrictPolicyAcceptsNoConsent(t *testing.T) {
	answer, err := invoke(t.Context(), t, openTagged(t, ops.TagsStrict), "add_tag", map[string]any{"name": "A", "tag": "new"})
	if _, asks := errors.AsType[*tool.NeedsConfirm](err); err == nil || asks || strings.Contains(strings.Join(answer.HintLines(), ""), "confirm=") {
		t.Errorf("%v, %q", err, answer.HintLines())
	}
}

// TestRefusalsWithoutConsentAskNobody: note_upsert takes no confirmation, so a client that can ask its user must not be
// told to.
func TestRefusalsWithoutConsentAskNobody(t *testing.T) {
	_, err := invoke(t.Context(), t, openTagged(t, ops.TagsStrict), "note_upsert", map[string]any{"path": "A.md", "content": "#new"})
	if _, asks := errors.AsType[*tool.NeedsConfirm](err); fault.KindOf(err) != fault.TagNotAllowed || asks {
		t.Errorf("%v", err)
	}
}

// TestAddingBackNeedsNoConsent: a tag whose last use a session removed is not new to that session, but it is to others.
func TestAddingBackNeedsNoConsent(t *testing.T) {
	for _, c := range []struct {
		name      string
		arguments map[string]any
		removes   string
	}{
		{"remove_tag", map[string]any{"name": "A", "tag": "rare"}, "rare"},
		{"update_note", map[string]any{"name": "A", "content": "no tag"}, "inline"},
		{"set_frontmatter", map[string]any{"name": "A", "key": "tags", "value": "[]"}, "rare"},
		{"create_note", map[string]any{"name": "A", "content": "new", "overwrite": true}, "rare"},
		{"delete_note", map[string]any{"name": "A"}, "rare"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := vault.Open(mem.New(map[string]string{
				"A.md": "---\ntags: [rare, old]\n---\n#inline\n", "B.md": "---\ntags: [old]\n---\n",
			}), slog.New(slog.DiscardHandler), vault.Options{})
			t.Cleanup(func() { v.Close() })
			_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsStrict, Secret: []byte("x")})
			mine := call.WithMemories(t.Context(), new(call.Memory))
			if _, err := invoke(mine, t, tools, c.name, c.arguments); err != nil {
				t.Fatal(err)
			}
			addBack := map[string]any{"name": "B", "tag": strings.ToUpper(c.removes)}
			if _, err := invoke(call.WithMemories(t.Context(), new(call.Memory)), t, tools, "add_tag", addBack); err == nil {
				t.Error("another session may add the tag")
			}
			if _, err := invoke(mine, t, tools, "add_tag", addBack); err != nil {
				t.Errorf("the same session may not: %v", err)
			}
		})
	}
}
