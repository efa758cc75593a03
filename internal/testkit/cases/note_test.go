package cases_test

import (
	"encoding/json"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/cases"
)

// noteOp is the operation of a case about one note.
type noteOp struct {
	Name    string
	Path    string
	Heading []string
	Subpath string
}

func diff(t cases.Reporter, c cases.Case, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: %s\nvault: %q\n(-want +got)\n%s", c.ID, c.Title, c.Vault, d)
	}
}

// parse parses a note's properties; nil if they are invalid.
func parse(note *md.Note) *front.Block {
	block, err := front.Parse(note)
	if err != nil {
		return nil
	}
	return block
}

func TestOutlineCases(t *testing.T) {
	type heading struct {
		Level int
		Text  string
		Line  int
	}
	cases.Run(t, "outline", nil, func(t cases.Reporter, c cases.Case) {
		note := md.Scan([]byte(c.Vault[cases.Decode[noteOp](c.Op).Path]))
		var got []heading
		for _, found := range note.Headings {
			got = append(got, heading{found.Level, string(found.Text.Of(note.Source)), found.Line - 1})
		}
		diff(t, c, cases.Decode[struct{ Headings []heading }](c.Expect).Headings, got)
	})
}

func TestSectionCases(t *testing.T) {
	cases.Run(t, "section", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[noteOp](c.Op)
		note := md.Scan([]byte(c.Vault[op.Path]))
		found := note.FindHeading(op.Heading)
		if found < 0 {
			t.Errorf("%s: section %q not found", c.ID, op.Heading)
			return
		}
		diff(t, c, cases.Decode[struct{ Lines []int }](c.Expect).Lines, lines(note, note.SectionOf(found).Span))
	})
}

// lines is a span as a half-open range of lines that count from 0.
func lines(note *md.Note, span md.Span) []int {
	end := note.LineOf(span.End) - 1
	if span.End == len(note.Source) && !strings.HasSuffix(string(note.Source), "\n") {
		end++
	}
	return []int{note.LineOf(span.Start) - 1, end}
}

func TestBlockCases(t *testing.T) {
	cases.Run(t, "block", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[noteOp](c.Op)
		note := md.Scan([]byte(c.Vault[op.Path]))
		if op.Name == "resolve_subpath" {
			checkSubpath(t, c, note, op.Subpath)
			return
		}
		type block struct {
			Type  string
			Lines []int
		}
		kinds := map[md.IDTarget]string{
			md.IDParagraph: "paragraph", md.IDListItem: "listItem", md.IDList: "list",
			md.IDQuote: "blockquote", md.IDTable: "table", md.IDHeading: "heading",
		}
		got := map[string]block{}
		for _, id := range note.IDs {
			span := lines(note, id.Block)
			if span[0] != id.Line-1 {
				t.Errorf("%s: id on line %d, its block on line %d", c.ID, id.Line-1, span[0])
			}
			got[string(id.Name.Of(note.Source))] = block{kinds[id.Target], span}
		}
		diff(t, c, cases.Decode[struct{ Blocks map[string]block }](c.Expect).Blocks, got)
	})
}

func checkSubpath(t cases.Reporter, c cases.Case, note *md.Note, subpath string) {
	t.Helper()
	type target struct {
		Type *string
		Line int
	}
	var got target
	if id, isBlock := strings.CutPrefix(subpath, "#^"); isBlock {
		if found := note.FindID(id); found >= 0 {
			got = target{new("block"), note.IDs[found].Line - 1}
		}
	} else if found := note.FindHeading(strings.Split(subpath[1:], "#")); found >= 0 {
		got = target{new("heading"), note.Headings[found].Line - 1}
	}
	diff(t, c, cases.Decode[target](c.Expect), got)
}

func TestExtractCases(t *testing.T) {
	type link struct {
		Key, Original, Link string
		Embed               bool
		Display             *string
	}
	cases.Run(t, "extract", nil, func(t cases.Reporter, c cases.Case) {
		note := md.Scan([]byte(c.Vault[cases.Decode[noteOp](c.Op).Path]))
		want := cases.Decode[struct {
			Links            []link
			FrontmatterLinks []link `json:"frontmatter_links"`
		}](c.Expect)
		got := []link{}
		for i, found := range note.Links {
			shown := link{Original: string(found.Of(note.Source)), Link: found.Target(note.Source), Embed: found.Embed}
			if i < len(want.Links) && want.Links[i].Display != nil {
				shown.Display = new(found.Display(note.Source))
			}
			got = append(got, shown)
		}
		diff(t, c, want.Links, got)
		inFront := []link{}
		if block := parse(note); block != nil {
			for _, found := range block.Links() {
				inFront = append(inFront, link{Key: found.Key, Original: found.Original(note.Source), Link: found.Target})
			}
		}
		diff(t, c, want.FrontmatterLinks, inFront)
	})
}

func TestTagsCases(t *testing.T) {
	cases.Run(t, "tags", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[noteOp](c.Op)
		if op.Name == "vault_tags" {
			diff(t, c, cases.Decode[struct{ Tags map[string]int }](c.Expect).Tags, countTags(c.Vault))
			return
		}
		diff(t, c, cases.Decode[struct{ Tags []string }](c.Expect).Tags, tagsOf(c.Vault[op.Path]))
	})
}

func tagsOf(text string) []string {
	note := md.Scan([]byte(text))
	tags := []string{}
	if block := parse(note); block != nil {
		for _, tag := range block.Tags() {
			tags = append(tags, "#"+tag)
		}
	}
	for _, span := range note.Tags {
		tags = append(tags, string(span.Of(note.Source)))
	}
	return tags
}

func countTags(vault map[string]string) map[string]int {
	spelling := map[vpath.Key]string{}
	counts := map[string]int{}
	for _, path := range sortedKeys(vault) {
		for _, tag := range tagsOf(vault[path]) {
			key := vpath.FoldKey(tag)
			if _, met := spelling[key]; !met {
				spelling[key] = tag
			}
			counts[spelling[key]]++
		}
	}
	return counts
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func TestFrontmatterCases(t *testing.T) {
	cases.Run(t, "frontmatter", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[noteOp](c.Op)
		if op.Name == "aliases" {
			got := map[string][]string{}
			for path, text := range c.Vault {
				got[path] = append([]string{}, parse(md.Scan([]byte(text))).Aliases()...)
			}
			diff(t, c, cases.Decode[struct{ Aliases map[string][]string }](c.Expect).Aliases, got)
			return
		}
		type answer struct {
			Frontmatter map[string]any
			Valid       bool
		}
		block := parse(md.Scan([]byte(c.Vault[op.Path])))
		got := answer{Valid: block != nil}
		if block != nil && !block.Empty() {
			got.Frontmatter = asJSON(block)
		}
		diff(t, c, cases.Decode[answer](c.Expect), got)
	})
}

// asJSON converts a block to what a JSON decoder would return.
func asJSON(block *front.Block) map[string]any {
	encoded, err := json.Marshal(front.Value{Kind: front.Map, Fields: block.Fields()})
	if err != nil {
		panic(err)
	}
	return cases.Decode[map[string]any](encoded)
}
