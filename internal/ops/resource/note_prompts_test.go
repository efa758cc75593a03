package resource_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// openPrompts opens a vault whose prompts are in Prompts/.
func openPrompts(t *testing.T, files map[string]string, options resource.Options, deny ...string) (*resource.Catalog, *mem.Store) {
	t.Helper()
	s := mem.New(files)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	open, err := scope.New(nil, deny)
	if err != nil {
		t.Fatal(err)
	}
	options.VaultID, options.Prompts = "v", "Prompts"
	return resource.New(v.View(open), options), s
}

// signature is a prompt in short: its name, then its arguments, those that are required with a !.
func signature(prompt resource.Prompt) string {
	text := prompt.Name
	for _, argument := range prompt.Arguments {
		text += " " + argument.Name
		if argument.Required {
			text += "!"
		}
	}
	return text
}

func signatures(t *testing.T, c *resource.Catalog) []string {
	t.Helper()
	prompts, err := c.Prompts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, prompt := range prompts {
		all = append(all, signature(prompt))
	}
	return all
}

func TestNotesArePrompts(t *testing.T) {
	t.Parallel()
	c, _ := openPrompts(t, map[string]string{
		"Prompts/Weekly review.md":      "---\ndescription: Look back\n---\nLook at {{week}}, {{ Week }} and {{tag}}.",
		"Prompts/Work/Über — uns!.md":   "",
		"prompts/lower.md":              "a twin of the folder",
		"Prompts/adr.md":                "a built-in name",
		"Prompts/A b.md":                "",
		"Prompts/a-b.md":                "",
		"Prompts/🎉.md":                  "",
		"Prompts/Strings.md":            "---\narguments: [topic, \"two words\", \"no{good\", topic]\n---\n{{other}} {{topic}} {{date:YYYY}} {{#each}}",
		"Prompts/Details.md":            "---\narguments:\n  - name: topic\n    description: what it is\n    required: true\n  - name: tone\n    required: true\n    default: dry\n  - short: a description\n  - {x: 1, y: 2}\n---\n",
		"Prompts/Map.md":                "---\narguments:\n  topic: what it is\n  n: {required: yes}\n---\n",
		"Prompts/Text.md":               "---\narguments: a, b\n---\n",
		"Prompts/Broken.md":             "---\narguments: [a\nb: {{\n---\nStill {{here}}.",
		"Prompts/closed/Secret plan.md": "{{secret}}",
		"Prompts/picture.png":           "x",
		"Elsewhere/Prompts/x.md":        "{{x}}",
		"Prompts.md":                    "{{x}}",
	}, resource.Options{}, "Prompts/closed/")
	want := []string{
		"a-b", "a-b-2", "adr-2", "broken here", "details topic! tone short", "lower", "map topic n!", "prompt",
		"strings topic two words other", "text a b", "weekly-review week tag", "work-über-uns",
	}
	if got := signatures(t, c); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	prompts, _ := c.Prompts(t.Context())
	review, details := prompts[10], prompts[4]
	if review.Title != "Weekly review" || review.About != "Look back" || prompts[3].About == "" {
		t.Errorf("%+v", review)
	}
	if details.Arguments[0].About != "what it is" || details.Arguments[1].Default != "dry" || details.Arguments[2].About != "a description" {
		t.Errorf("%+v", details.Arguments)
	}
}

func TestPromptsFollowTheVault(t *testing.T) {
	t.Parallel()
	c, s := openPrompts(t, map[string]string{"Prompts/A.md": "{{x}}"}, resource.Options{})
	changes := c.Changes(t.Context())
	if got := signatures(t, c); !slices.Equal(got, []string{"a x"}) {
		t.Fatalf("%q", got)
	}
	s.Outside("Prompts/A.md", []byte("{{y}}"))
	s.Outside("Prompts/B.md", []byte("b"))
	for got := []string(nil); !slices.Equal(got, []string{"a y", "b"}); got = signatures(t, c) {
		if changed, ok := <-changes; !ok || !c.TouchesPrompts(changed) {
			t.Fatalf("%v", changed)
		}
	}
	s.Outside("Other.md", []byte("{{z}}"))
	if changed := <-changes; c.TouchesPrompts(changed) {
		t.Errorf("%v is not about prompts", changed)
	}
}

func TestPromptsAreBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{"Prompts/000 large.md": strings.Repeat("x", 1_000_001), "Prompts/000 allowed.md": strings.Repeat("x", 1_000_000)}
	for i := range 220 {
		files[fmt.Sprintf("Prompts/P %03d.md", i)] = ""
	}
	var log bytes.Buffer
	c, s := openPrompts(t, files, resource.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	changes := c.Changes(t.Context())
	got := signatures(t, c)
	if len(got) != 200 || got[0] != "000-allowed" || got[199] != "p-198" {
		t.Errorf("%d prompts, from %q to %q", len(got), got[0], got[len(got)-1])
	}
	s.Outside("Other.md", []byte("x"))
	<-changes
	signatures(t, c)
	if lines := strings.Count(log.String(), "left out"); lines != 22 {
		t.Errorf("%d lines in the log, want one for each note:\n%s", lines, log.String())
	}
}

func TestPromptText(t *testing.T) {
	t.Parallel()
	c, s := openPrompts(t, map[string]string{
		"Prompts/P.md": "---\ndescription: d\narguments: [{name: topic, required: true}, {name: tone, default: dry}]\n---\n\n" +
			"On {{topic}}, {{TOPIC}}, {{ tone }}: {{none}}.\n\n![[Plan]]\n\n![[{{note}}]]\n\n{{date:YYYY}}\n\n",
		"Plan.md":          "---\nx: y\n---\nA {{topic}}.\n",
		"A note.md":        "Noted.\n",
		"closed/Secret.md": "secret",
	}, resource.Options{}, "closed/")
	prompts, err := c.Prompts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	get := func(arguments map[string]string) (string, error) {
		filled, err := prompts[0].Fill(arguments)
		if err != nil {
			return "", err
		}
		return prompts[0].Text(t.Context(), filled)
	}
	const plan = "> [!embed] Plan.md\n> A {{topic}}.\n\n"
	for _, c := range []struct {
		arguments map[string]string
		want      string
	}{
		{map[string]string{"topic": " {{tone}} ![[Plan]] $1", "note": "A note", "unknown": "x"},
			"On  {{tone}} ![[Plan]] $1,  {{tone}} ![[Plan]] $1, dry: .\n\n" + plan + "> [!embed] A note.md\n> Noted.\n\n{{date:YYYY}}"},
		{map[string]string{"topic": "T", "tone": "wet", "note": "x]] ![[Plan]] ![[y"},
			"On T, T, wet: .\n\n" + plan + "> [!embed] ![[x]] ![[Plan]] ![[y]] not found\n\n{{date:YYYY}}"},
		{map[string]string{"topic": "T", "note": "closed/Secret"},
			"On T, T, dry: .\n\n" + plan + "> [!embed] ![[closed/Secret]] not found\n\n{{date:YYYY}}"},
	} {
		if got, err := get(c.arguments); err != nil || got != c.want {
			t.Errorf("%v: %v\ngot  %q\nwant %q", c.arguments, err, got, c.want)
		}
	}
	for _, arguments := range []map[string]string{nil, {"topic": " \n"}} {
		if _, err := get(arguments); !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), "'topic'") {
			t.Errorf("%v: %v", arguments, err)
		}
	}
	s.Outside("Prompts/P.md", nil)
	if _, err := get(map[string]string{"topic": "T"}); !errors.Is(err, fault.NotFound) {
		t.Errorf("a deleted prompt: %v", err)
	}
}

func TestPromptArgumentsAreCompleted(t *testing.T) {
	t.Parallel()
	c, settings := openPrompts(t, map[string]string{
		"Prompts/P.md":    "---\narguments: [{name: who, complete: \"property: Owner\"}, {name: place, complete: folders}, {name: label, complete: tags}, {name: state, complete: statuses}]\n---\n{{template}} {{note}} {{heading}} {{Folder}} {{date}} {{status}} {{nothing}}",
		"work/a/Plan.md":  "---\nstatus: draft\nowner: Ann\ntags: [red]\n---\n# Goals\n",
		"Forms/Day.md":    "",
		"Ideas.md":        "---\nStatus: [done, Draft]\n---\n",
		"closed/Other.md": "---\nstatus: secret\nowner: Eve\ntags: [hidden]\n---\n",
	}, resource.Options{Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}, "closed/")
	settings.SetConfig("templates.json", `{"folder":"Forms"}`)
	prompts, err := c.Prompts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, completion := range []struct {
		argument, value string
		want            []string
	}{
		{"who", "", []string{"Ann"}},
		{"place", "", []string{"Forms", "Prompts", "work", "work/a"}},
		{"label", "", []string{"red"}},
		{"note", "pl", []string{"Plan"}},
		{"heading", "", []string{"Goals"}},
		{"Folder", "a", []string{"work/a"}},
		{"date", "tod", []string{"2026-03-01"}},
		{"date", "yes", []string{"2026-02-28"}},
		{"date", "2026-03", []string{"2026-03-01", "2026-03-02"}},
		{"status", "", []string{"Draft", "done"}},
		{"nothing", "", nil},
		{"template", "", []string{"Day"}},
		{"state", "in", []string{"In Progress"}},
		{"state", "canc", []string{"Cancelled"}},
	} {
		argument, ok := prompts[0].Argument(completion.argument)
		got, err := c.Complete(t.Context(), resource.Incomplete{Of: argument.Completes, Property: argument.Property, Value: completion.value, Note: "Plan"})
		if !ok || err != nil || !slices.Equal(got.Values, completion.want) {
			t.Errorf("%s=%q: got %q, want %q; %v", completion.argument, completion.value, got.Values, completion.want, err)
		}
	}
}
