package cases_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/testkit/cases"
)

// The tests here compare our answers with Obsidian's own, for a whole vault.

// newerThanDump is the only note that was edited after the links were dumped.
const newerThanDump = "How To/Find tasks in notes with particular tag.md"

func readJSON[T any](t *testing.T, path string) T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return value
}

// readVault reads a folder's files. Only notes and canvases need their text.
func readVault(t *testing.T, root string) map[string]string {
	t.Helper()
	vault := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		vault[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil || len(vault) == 0 {
		t.Fatalf("%s: %d files, %v", root, len(vault), err)
	}
	return vault
}

func TestGoldenLinkMaps(t *testing.T) {
	demo := cases.Shared(t, "vaults/tasks-demo")
	vault := readVault(t, filepath.Join(demo, "vault"))
	resolved, unresolved := linkMaps(t, vault)
	wantResolved := readJSON[map[string]map[string]int](t, filepath.Join(demo, "golden", "resolvedLinks.json"))
	wantUnresolved := readJSON[map[string]map[string]int](t, filepath.Join(demo, "golden", "unresolvedLinks.json"))
	compared := 0
	for path := range wantResolved {
		if _, there := vault[path]; !there {
			t.Errorf("%s is in the dump but not in the vault", path)
			continue
		}
		if path == newerThanDump {
			if cmp.Equal(wantResolved[path], resolved[path]) {
				t.Errorf("%s equals the dump now: remove the exception", path)
			}
			continue
		}
		compared++
		if d := cmp.Diff(wantResolved[path], resolved[path]); d != "" {
			t.Errorf("%s: resolved links (-Obsidian +ours)\n%s", path, d)
		}
		if d := cmp.Diff(wantUnresolved[path], unresolved[path]); d != "" {
			t.Errorf("%s: unresolved links (-Obsidian +ours)\n%s", path, d)
		}
	}
	t.Logf("%d files compared with Obsidian's link maps", compared)
}

// position is where Obsidian found something; lines count from 0.
type position struct {
	Start, End struct{ Line, Col, Offset int }
}

// golden is the entry of one note in Obsidian's cache.
type golden struct {
	FileContents   string
	FilePath       string
	GetAllTags     []string
	CachedMetadata struct {
		Frontmatter      map[string]any
		FrontmatterLinks []struct{ Key, Link, Original string }
		Headings         []struct {
			Heading  string
			Level    int
			Position position
		}
		Links, Embeds []struct {
			Link, Original, DisplayText string
			Position                    position
		}
		Tags []struct {
			Tag      string
			Position position
		}
		Sections []struct {
			Type     string
			Position position
		}
		ListItems []struct {
			Parent   int
			Task     *string
			Position position
		}
		Blocks map[string]struct{ Position position }
	}
}

func TestGoldenNotes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(cases.Shared(t, "vaults/tasks-demo/golden/files"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			want := readJSON[golden](t, file)
			checkGolden(t, want, md.Scan([]byte(want.FileContents)))
		})
	}
	t.Logf("%d notes compared with Obsidian's cache", len(files))
}

func checkGolden(t *testing.T, want golden, note *md.Note) {
	same := func(what string, want, got any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-Obsidian +ours)\n%s", what, d)
		}
	}
	cache := want.CachedMetadata
	same("headings", goldenHeadings(want), ourHeadings(note))
	same("links", goldenLinks(want), ourLinks(note))
	same("tags", want.GetAllTags, tagsOf(want.FileContents))
	var inBody []string
	for _, tag := range cache.Tags {
		inBody = append(inBody, tag.Tag)
	}
	var ourTags []string
	for _, span := range note.Tags {
		ourTags = append(ourTags, string(span.Of(note.Source)))
	}
	same("tags of the body", inBody, ourTags)

	block := parse(note)
	if block == nil {
		t.Fatal("the frontmatter is not valid")
	}
	var properties map[string]any
	if !block.Empty() {
		properties = asJSON(block)
	}
	same("frontmatter", cache.Frontmatter, properties)
	type link struct{ Key, Link, Original string }
	var wantLinks, gotLinks []link
	for _, found := range cache.FrontmatterLinks {
		wantLinks = append(wantLinks, link(found))
	}
	for _, found := range block.Links() {
		gotLinks = append(gotLinks, link{found.Key, found.Target, found.Original(note.Source)})
	}
	same("frontmatter links", wantLinks, gotLinks)

	same("sections", goldenSections(want), ourSections(note))
	same("list items", goldenItems(want), ourItems(note))
	ids := map[string]int{}
	for id, found := range cache.Blocks {
		ids[id] = found.Position.Start.Line
	}
	ourIDs := map[string]int{}
	for _, id := range note.IDs {
		ourIDs[string(id.Name.Of(note.Source))] = id.Line - 1
	}
	same("block ids", ids, ourIDs)
}

type goldenHeading struct {
	Text        string
	Level, Line int
}

func goldenHeadings(want golden) (headings []goldenHeading) {
	for _, found := range want.CachedMetadata.Headings {
		headings = append(headings, goldenHeading{found.Heading, found.Level, found.Position.Start.Line})
	}
	return headings
}

func ourHeadings(note *md.Note) (headings []goldenHeading) {
	for _, found := range note.Headings {
		headings = append(headings, goldenHeading{string(found.Text.Of(note.Source)), found.Level, found.Line - 1})
	}
	return headings
}

type goldenLink struct {
	Original, Link, Display string
	Offset                  int
	Embed                   bool
}

func goldenLinks(want golden) (links []goldenLink) {
	for _, found := range want.CachedMetadata.Links {
		links = append(links, goldenLink{found.Original, found.Link, found.DisplayText, found.Position.Start.Offset, false})
	}
	for _, found := range want.CachedMetadata.Embeds {
		links = append(links, goldenLink{found.Original, found.Link, found.DisplayText, found.Position.Start.Offset, true})
	}
	sort.Slice(links, func(i, j int) bool { return links[i].Offset < links[j].Offset })
	return links
}

func ourLinks(note *md.Note) (links []goldenLink) {
	src := note.Source
	for _, found := range note.Links {
		links = append(links, goldenLink{string(found.Of(src)), found.Target(src), found.Display(src), utf16Offset(src, found.Start), found.Embed})
	}
	return links
}

// utf16Offset converts a byte offset to Obsidian's UTF-16 units.
func utf16Offset(src []byte, offset int) (units int) {
	for _, r := range string(src[:offset]) {
		if units++; r > 0xffff {
			units++
		}
	}
	return units
}

type goldenSection struct {
	Type       string
	Start, End int
}

func goldenSections(want golden) (sections []goldenSection) {
	for _, found := range want.CachedMetadata.Sections {
		sections = append(sections, goldenSection{found.Type, found.Position.Start.Line, found.Position.End.Line})
	}
	return sections
}

func ourSections(note *md.Note) (sections []goldenSection) {
	names := map[md.BlockKind]string{
		md.YAML: "yaml", md.HeadingBlock: "heading", md.Paragraph: "paragraph", md.List: "list", md.Quote: "blockquote",
		md.CalloutBlock: "callout", md.Code: "code", md.Table: "table", md.HTML: "html", md.Comment: "comment",
		md.Math: "math", md.Rule: "thematicBreak", md.FootnoteBlock: "footnoteDefinition",
	}
	for _, block := range note.Blocks {
		if name, isSection := names[block.Kind]; isSection {
			text := strings.TrimRight(string(block.Of(note.Source)), "\r\n")
			sections = append(sections, goldenSection{name, block.Line - 1, block.Line - 1 + strings.Count(text, "\n")})
		}
	}
	return sections
}

type goldenItem struct {
	Line, Parent int
	Task         string
}

func goldenItems(want golden) (items []goldenItem) {
	for _, found := range want.CachedMetadata.ListItems {
		item := goldenItem{Line: found.Position.Start.Line, Parent: found.Parent}
		if found.Task != nil {
			item.Task = *found.Task
		}
		items = append(items, item)
	}
	return items
}

func ourItems(note *md.Note) (items []goldenItem) {
	for _, found := range note.Items {
		item := goldenItem{Line: found.Line - 1, Task: string(found.Task.Of(note.Source))}
		if found.Parent >= 0 {
			item.Parent = note.Items[found.Parent].Line - 1
		} else if item.Parent = -(note.Items[found.First].Line - 1); item.Parent == 0 {
			item.Parent = -1 // Obsidian cannot write minus zero
		}
		items = append(items, item)
	}
	return items
}
