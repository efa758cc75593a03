package ops_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// TestClosedEmbedsLookMissing: an embed of a closed note reads like one of a note that does not exist, for every form.
func TestClosedEmbedsLookMissing(t *testing.T) {
	const text = "![[Secret]]\n\n![[Secret#Part]]\n\n![[Secret#^id]]\n\nsee ![[private/Secret]] and ![x](private/Secret.md)\n\n![[Open]]\n\n![[secret.png]]\n"
	open := "open\n\n![[Secret]]\n"
	full := openCanary(t, map[string]string{
		"Plan.md": text, "Open.md": open, "private/Secret.md": "# Part\nhidden ^id\n", "private/secret.png": "png",
	}, withoutPrivate(t), nil)
	without := openCanary(t, map[string]string{"Plan.md": text, "Open.md": open}, withoutPrivate(t), nil)
	args := map[string]any{"name": "Plan", "embeds": true}
	got, want := full.mustCall("read_note", args), without.mustCall("read_note", args)
	if got != want || !strings.Contains(got, "![[Secret#^id]] not found\n") || !strings.Contains(got, "> open\n") {
		t.Errorf("with closed notes: %s\nwithout them: %s", got, want)
	}
}

// TestEmbedsCountAsShown: a note that is read with its embeds was shown whole, and so were the embedded notes.
func TestEmbedsCountAsShown(t *testing.T) {
	v := openStale(t, backends[0], "first\n\n![[Other]]\n", 100)
	mine, theirs := v.session(), v.session()
	must := func(answer tool.Answer, err error) tool.Answer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	must(theirs("create_note", map[string]any{"name": "Other", "content": "# Part\n\nother\n"}))
	if read := must(mine("read_note", map[string]any{"name": "Plan", "embeds": true})); !strings.Contains(read.Text, "> other") {
		t.Fatalf("read_note: %s", read.Text)
	}
	must(mine("update_note", map[string]any{"name": "Plan", "content": "mine"}))
	must(theirs("append_note", map[string]any{"name": "Other", "text": "theirs"}))
	if _, err := mine("update_section", map[string]any{"name": "Other", "section": "Part", "content": "mine"}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an embedded note that has changed since is replaced: %v", err)
	}
}

// TestEmbedsKeepTheReadLimit: the limit cuts the note's own lines first, and what it leaves is for embeds.
func TestEmbedsKeepTheReadLimit(t *testing.T) {
	v := openStale(t, backends[0], "![[Big]]\n\n![[Small]]\n\n"+strings.Repeat("own line\n", 40), 300)
	session := v.session()
	for name, text := range map[string]string{"Big": strings.Repeat("big ", 100), "Small": "small"} {
		if _, err := session("create_note", map[string]any{"name": name, "content": text}); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := session("read_note", map[string]any{"name": "Plan", "embeds": true})
	if err != nil || len(whole.Text) > 300 || !strings.Contains(strings.Join(whole.HintLines(), "\n"), "continue with start_line=") {
		t.Errorf("%d characters, hints %q, %v", len(whole.Text), whole.HintLines(), err)
	}
	part, err := session("read_note", map[string]any{"name": "Plan", "embeds": true, "max_lines": 4})
	if err != nil || len(part.Text) > 300 || !strings.Contains(part.Text, "![[Big]] not expanded: its 400 characters do not fit") || !strings.Contains(part.Text, "> small\n") ||
		!strings.Contains(strings.Join(part.HintLines(), "\n"), "stay as links: 1.") {
		t.Errorf("%q, hints %q, %v", part.Text, part.HintLines(), err)
	}
}
