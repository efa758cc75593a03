package bases_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/testkit/cases"
)

var now = time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)

// vault reads the vault of the cases.
func vault(t *testing.T) *bases.Vault {
	t.Helper()
	dir := cases.Path(t, "bases/vault")
	type times struct{ CTime, MTime string }
	var pretended struct {
		Default times
		Files   map[string]times
	}
	read := func(name string, into any) {
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read(cases.Path(t, "bases/times.json"), &pretended)
	var settings struct{ Types map[string]front.Type }
	read(filepath.Join(dir, ".obsidian/types.json"), &settings)
	at := func(text string) time.Time { when, _ := time.Parse("2006-01-02T15:04:05", text); return when }
	byPath := map[string]*bases.File{}
	var paths []vpath.Path
	var files []*bases.File
	v := &bases.Vault{Excluded: func(path string) bool { return strings.HasPrefix(path, "Archive/") }}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(dir, name)
		if err != nil || entry.IsDir() || strings.HasPrefix(relative, ".") {
			return err
		}
		text, err := os.ReadFile(name)
		path := filepath.ToSlash(relative)
		when, ok := pretended.Files[path]
		if !ok {
			when = pretended.Default
		}
		file := &bases.File{Path: path, Size: int64(len(text)), Created: at(when.CTime), Modified: at(when.MTime)}
		if strings.HasSuffix(path, ".md") {
			note := md.Scan(text)
			page := dataview.Import(dataview.Source{Path: path, Note: note}, dataview.Clock{Now: now})
			file.Tags, file.Links = page.Tags(), page.Links()
			for _, link := range file.Links {
				if link.Embed {
					file.Embeds = append(file.Embeds, link)
				}
			}
			file.Properties = bases.Properties(front.Fields(note), func(name string) front.Type { return settings.Types[name] }, time.UTC, nil)
		}
		byPath[path] = file
		paths = append(paths, vpath.Path(path))
		files = append(files, file)
		return err
	})
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	v.SetFiles(files)
	set := vpath.NewSet(paths)
	v.Resolve = func(target, from string) string {
		resolver := set.From(vpath.Path(from))
		found, _ := resolver.Resolve(target)
		return string(found)
	}
	v.ByPath = func(path string) *bases.File { return byPath[path] }
	v.Backlinks = func(path string) (from []string) {
		for _, file := range files {
			if slices.ContainsFunc(file.Links, func(link value.Link) bool { return v.Resolve(link.Path, file.Path) == path }) {
				from = append(from, file.Path)
			}
		}
		return from
	}
	return v
}

// plain turns a value into the JSON of the cases.
func plain(v value.Value) any {
	switch v := v.(type) {
	case error:
		return map[string]any{"error": v.Error()}
	case bases.Tag:
		return string(v)
	case value.Date:
		return map[string]any{"date": bases.Text(v)}
	case value.Duration:
		return map[string]any{"duration_ms": v.Millis()}
	case value.Link:
		link := map[string]any{"link": v.Path}
		if v.Display != "" {
			link["display"] = v.Display
		}
		return link
	case *bases.File:
		return map[string]any{"file": v.Path}
	case bases.Rich:
		return map[string]any{v.Kind: v.Text}
	case value.List:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = plain(element)
		}
		return list
	case value.Fields:
		object := map[string]any{}
		for _, key := range v.Keys() {
			field, _ := v.Get(key)
			object[key] = plain(field)
		}
		return map[string]any{"object": object}
	case float64:
		return math.Round(v*1e9) / 1e9
	}
	return v
}

// near lets numbers differ by what their last digits may.
var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a)) })

func TestEvalCases(t *testing.T) {
	v := vault(t)
	for _, test := range cases.List[struct {
		ID, File, Expr, Confidence string
		Expect                     struct {
			Value any
			Error *string
		}
	}](t, "bases/cases/eval.json") {
		t.Run(test.ID, func(t *testing.T) {
			text := fmt.Sprintf("filters: 'file.path == %q'\nformulas:\n  x: %s\nviews:\n  - type: table\n    name: V\n    order: [formula.x]\n", test.File, front.Quoted(test.Expr))
			base, err := bases.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			result, err := base.Run(t.Context(), v, bases.Asking{Wanted: value.All, Now: now, Random: func() float64 { return 0.5 }})
			if err != nil || len(result.Rows) != 1 {
				t.Fatalf("%s: %+v, %v", test.Expr, result, err)
			}
			got := result.Rows[0].Cells[0]
			failed, isError := got.(error)
			if test.Expect.Error != nil {
				if !isError || !strings.Contains(failed.Error(), *test.Expect.Error) {
					t.Errorf("%s is %v, want an error with %q", test.Expr, got, *test.Expect.Error)
				}
				return
			}
			if diff := cases.DiffJSON(plain(got), test.Expect.Value, near); diff != "" {
				t.Errorf("%s, wanted (-), got (+):\n%s", test.Expr, diff)
			}
		})
	}
}

type viewCase struct {
	ID, Base, View, This, Confidence string
	BaseFile                         string `json:"base_file"`
	Block                            *struct {
		Note  string
		Index int
	}
	Expect struct {
		View, Error   *string
		Columns       []string
		Headers       []string
		Total         *int
		Ordered       *bool
		Rows          [][]any
		GroupsOrdered any `json:"groups_ordered"`
		Groups        []struct {
			Key       any
			Rows      []string
			Summaries map[string]any
		}
		Summaries map[string]any
	}
}

func TestViewCases(t *testing.T) {
	v := vault(t)
	dir := cases.Path(t, "bases/vault")
	for _, test := range cases.List[viewCase](t, "bases/cases/views.json") {
		t.Run(test.ID, func(t *testing.T) {
			text, this := []byte(test.Base), test.This
			switch {
			case test.BaseFile != "":
				read, err := os.ReadFile(filepath.Join(dir, test.BaseFile))
				if err != nil {
					t.Fatal(err)
				}
				text = read
				if this == "" {
					this = test.BaseFile
				}
			case test.Block != nil:
				read, err := os.ReadFile(filepath.Join(dir, test.Block.Note))
				if err != nil {
					t.Fatal(err)
				}
				text = []byte(strings.Split(strings.Split(string(read), "```base\n")[test.Block.Index+1], "```")[0])
				if this == "" {
					this = test.Block.Note
				}
			}
			result, err := run(t, v, text, test.View, v.ByPath(this))
			test.check(t, result, err)
		})
	}
}

func run(t *testing.T, v *bases.Vault, text []byte, view string, this *bases.File) (*bases.Result, error) {
	base, err := bases.Parse(text)
	if err != nil {
		return nil, err
	}
	return base.Run(t.Context(), v, bases.Asking{View: view, Wanted: value.All, This: this, Now: now, Random: func() float64 { return 0.5 }})
}

func (test viewCase) check(t *testing.T, result *bases.Result, err error) {
	t.Helper()
	want := test.Expect
	if want.Error != nil {
		if err == nil || !strings.Contains(err.Error(), *want.Error) {
			t.Errorf("error %v, want %q", err, *want.Error)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if want.View != nil && result.View != *want.View || want.Total != nil && result.Total != *want.Total {
		t.Errorf("view %q, total %d", result.View, result.Total)
	}
	if want.Columns != nil {
		if diff := cmp.Diff(want.Columns, result.Columns); diff != "" {
			t.Error(diff)
		}
	}
	if want.Headers != nil {
		if diff := cmp.Diff(want.Headers, result.Headers); diff != "" {
			t.Error(diff)
		}
	}
	if want.Rows != nil {
		var rows [][]any
		for _, row := range result.Rows {
			cells := []any{row.Path}
			for _, cell := range row.Cells {
				cells = append(cells, plain(cell))
			}
			rows = append(rows, cells)
		}
		if want.Ordered != nil && !*want.Ordered {
			byPath := func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) }
			slices.SortFunc(rows, byPath)
			slices.SortFunc(want.Rows, byPath)
		}
		blankErrors(want.Rows, rows)
		if diff := cases.DiffJSON(append([][]any{}, rows...), want.Rows, near); diff != "" {
			t.Errorf("wanted (-), got (+):\n%s", diff)
		}
	}
	test.checkGroups(t, result)
	for column, wanted := range want.Summaries {
		at := slices.IndexFunc(result.Summaries, func(s bases.Summary) bool { return s.Column == column })
		if at < 0 {
			t.Fatalf("no summary of %s", column)
		}
		if diff := cases.DiffJSON(plain(result.Summaries[at].Value), wanted, near); diff != "" {
			t.Errorf("summary of %s, wanted (-), got (+):\n%s", column, diff)
		}
	}
}

// blankErrors removes the text of errors where the case does not care.
func blankErrors(want, got [][]any) {
	for i, row := range want {
		for j, cell := range row {
			expected, ok := cell.(map[string]any)
			if !ok || expected["error"] != "" || i >= len(got) || j >= len(got[i]) {
				continue
			}
			if failed, ok := got[i][j].(map[string]any); ok && failed["error"] != nil {
				failed["error"] = ""
			}
		}
	}
}

func (test viewCase) checkGroups(t *testing.T, result *bases.Result) {
	t.Helper()
	want := test.Expect.Groups
	if want == nil {
		return
	}
	if len(want) != len(result.Groups) {
		t.Fatalf("%d groups, want %d", len(result.Groups), len(want))
	}
	for i, wanted := range want {
		at := slices.IndexFunc(result.Groups, func(g bases.Group) bool { return cases.DiffJSON(plain(g.Key), wanted.Key, near) == "" })
		if at < 0 || test.Expect.GroupsOrdered == true && at != i {
			t.Fatalf("group %v is at %d, want %d", wanted.Key, at, i)
		}
		var paths []string
		for _, row := range result.Groups[at].Rows {
			paths = append(paths, row.Path)
		}
		if diff := cmp.Diff(wanted.Rows, paths); diff != "" {
			t.Errorf("group %v: %s", wanted.Key, diff)
		}
		for column, value := range wanted.Summaries {
			found := slices.IndexFunc(result.Groups[at].Summaries, func(s bases.Summary) bool { return s.Column == column })
			if found < 0 || cases.DiffJSON(plain(result.Groups[at].Summaries[found].Value), value, near) != "" {
				t.Errorf("group %v: summary of %s in %v, want %v", wanted.Key, column, result.Groups[at].Summaries, value)
			}
		}
	}
}
