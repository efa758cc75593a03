package edit_test

import (
	"errors"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

func TestParseLinkFormat(t *testing.T) {
	for setting, want := range map[string]edit.LinkFormat{
		"shortest": edit.Shortest, "relative": edit.Relative, "absolute": edit.Absolute, "": edit.Shortest,
		"other": edit.Shortest,
	} {
		if got := edit.ParseLinkFormat(setting); got != want {
			t.Errorf("ParseLinkFormat(%q) = %v, want %v", setting, got, want)
		}
	}
}

// TestNewLinkFollowsTheSettings also checks that each link resolves to its target.
func TestNewLinkFollowsTheSettings(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{
		"s.md", "a/Only.md", "a/Two.md", "b/Two.md", "b/My Note (1.md", "img/p.png", "a/x#y.md", "a/x[y].md",
	})
	for _, test := range []struct {
		name     string
		from, to vpath.Path
		style    edit.LinkStyle
		text     string
		want     string
	}{
		{"name if it is unique", "s.md", "a/Only.md", edit.LinkStyle{}, "", "[[Only]]"},
		{"path if the name is not unique", "s.md", "b/Two.md", edit.LinkStyle{}, "", "[[b/Two]]"},
		{"from the root", "s.md", "a/Only.md", edit.LinkStyle{Format: edit.Absolute}, "", "[[a/Only]]"},
		{"from the folder", "b/My Note (1.md", "a/Only.md", edit.LinkStyle{Format: edit.Relative}, "", "[[../a/Only]]"},
		{"with a text", "s.md", "a/Only.md", edit.LinkStyle{}, "shown", "[[Only|shown]]"},
		{"attachments keep their extension", "s.md", "img/p.png", edit.LinkStyle{}, "", "[[p.png]]"},
		{"Markdown", "s.md", "a/Only.md", edit.LinkStyle{Markdown: true}, "", "[Only](Only.md)"},
		{
			"Markdown with a text", "s.md", "b/My Note (1.md", edit.LinkStyle{Markdown: true, Format: edit.Absolute}, "shown",
			"[shown](b/My%20Note%20%281.md)",
		},
	} {
		got, err := edit.NewLink(set, test.from, test.to, test.style, test.text)
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
			continue
		}
		if note := md.Scan([]byte("see " + got)); !edit.LinksTo(set, test.from, note, test.to) {
			t.Errorf("%s: %s does not resolve to %s", test.name, got, test.to)
		}
	}
	for _, to := range []vpath.Path{"a/x#y.md", "a/x[y].md"} {
		link, err := edit.NewLink(set, "s.md", to, edit.LinkStyle{}, "")
		switch {
		case err != nil && (!errors.Is(err, fault.InvalidArgument) || fault.HintOf(err) == ""):
			t.Errorf("%s: %v", to, err)
		case err == nil && !edit.LinksTo(set, "s.md", md.Scan([]byte(link)), to):
			t.Errorf("%s does not resolve to %s", link, to)
		}
	}
	link, err := edit.NewLink(set, "s.md", "absent.md", edit.LinkStyle{}, "")
	if !errors.Is(err, fault.InvalidArgument) || fault.HintOf(err) == "" {
		t.Errorf("NewLink to a missing file = %q, %v; want an error with a hint", link, err)
	}
}

func TestLinksTo(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"s.md", "a/B.md", "C.md"})
	for src, want := range map[string]bool{
		"see [[B]]": true, "![[a/B#h|t]]": true, "[t](a/B.md)": true, "---\nup: \"[[B]]\"\n---\n": true,
		"---\nup: \"[[C]]\"\nx: \"[[a/B|b]]\"\n---\n": true,
		"B": false, "[[C]]": false, "`[[B]]`": false, "[B]: a/B.md\n": false, "": false,
		"---\na: b: \"[[B]]\"\n---\n": false, "---\nup: \"[[C]]\"\n---\n": false,
	} {
		if got := edit.LinksTo(set, "s.md", md.Scan([]byte(src)), "a/B.md"); got != want {
			t.Errorf("LinksTo(%q, a/B.md) = %v, want %v", src, got, want)
		}
	}
}
