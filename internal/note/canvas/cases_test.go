package canvas_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/canvas"
	"obsidian-mcp/internal/testkit/cases"
)

// load reads the cases of a category. There must be at least one.
func load[T any](t testing.TB, category string) []T {
	t.Helper()
	text, err := os.ReadFile(cases.Path(t, "canvas/cases/"+category+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []T }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("%s: %d cases, %v", category, len(file.Cases), err)
	}
	return file.Cases
}

type outlineCase struct {
	ID, Title, Canvas string
	IDs               bool
	Expect            struct{ Outline string }
}

func TestOutlineCases(t *testing.T) {
	for _, c := range load[outlineCase](t, "outline") {
		t.Run(c.ID, func(t *testing.T) {
			got, err := canvas.Outline([]byte(c.Canvas), c.IDs)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.Expect.Outline, got); d != "" {
				t.Errorf("%s\n%s\n(-want +got)\n%s", c.Title, c.Canvas, d)
			}
		})
	}
}

type editCase struct {
	ID, Title, Before string
	Ops               []json.RawMessage
	Expect            struct {
		After        string
		ChangedLines []int `json:"changed_lines"`
		Error, Names string
	}
}

// counter returns ids that are easy to read.
func counter() func() string {
	count := 0
	return func() string {
		count++
		return fmt.Sprintf("%016x", count)
	}
}

func edit(before string, raw []json.RawMessage) (canvas.Edited, error) {
	ops, err := canvas.ReadOps(raw)
	if err != nil {
		return canvas.Edited{}, err
	}
	return canvas.Edit([]byte(before), ops, counter())
}

func TestEditCases(t *testing.T) {
	for _, c := range load[editCase](t, "edit") {
		t.Run(c.ID, func(t *testing.T) {
			edited, err := edit(c.Before, c.Ops)
			if c.Expect.Error != "" {
				checkRefusal(t, err, c.Expect.Error, c.Expect.Names)
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", c.Title, err)
			}
			want, got := strings.SplitAfter(c.Expect.After, "\n"), strings.SplitAfter(string(edited.Data), "\n")
			if len(want) != len(got) {
				t.Fatalf("%s (-want +got)\n%s", c.Title, cmp.Diff(c.Expect.After, string(edited.Data)))
			}
			for i := range want {
				if !slices.Contains(c.Expect.ChangedLines, i+1) && want[i] != got[i] {
					t.Errorf("%s: line %d is %q, want %q", c.Title, i+1, got[i], want[i])
				}
			}
			if d := cmp.Diff(decode(t, c.Expect.After), decode(t, string(edited.Data))); d != "" {
				t.Errorf("%s (-want +got)\n%s", c.Title, d)
			}
		})
	}
}

// checkRefusal checks the class of a refusal, that its message names what is wrong, and its kind.
func checkRefusal(t *testing.T, err error, class, names string) {
	t.Helper()
	refusal, ok := errors.AsType[*canvas.Refusal](err)
	if !ok || string(refusal.Class) != class || !strings.Contains(err.Error(), names) {
		t.Errorf("refused with %v; want the class %s, and %q in the message", err, class, names)
	}
	if ok && !errors.Is(err, fault.InvalidArgument) && !errors.Is(err, fault.AmbiguousName) {
		t.Errorf("the refusal has the kind %v", fault.KindOf(err))
	}
}

func decode(t *testing.T, text string) (value any) {
	t.Helper()
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return value
}
