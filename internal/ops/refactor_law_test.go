package ops_test

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// lawVault is a vault in memory whose links are checked after every refactoring.
type lawVault struct {
	t     *testing.T
	store *mem.Store
	tools *tool.Registry
}

func newLawVault(t *testing.T, files map[string]string) *lawVault {
	t.Helper()
	s := mem.New(files)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("x"), VaultID: "v"})
	return &lawVault{t, s, tools}
}

// do makes a call that must succeed, and returns the files after it.
func (v *lawVault) do(name string, arguments map[string]any) map[string]string {
	v.t.Helper()
	if _, err := invoke(v.t.Context(), v.t, v.tools, name, arguments); err != nil {
		v.t.Fatalf("%s %v: %v", name, arguments, err)
	}
	return withoutTrash(v.store.Files())
}

// place is what a link leads to: a file, and the number of a heading or the id of a block in it.
type place struct{ file, part string }

// placesOf lists what the links of every note lead to, in order. Links to nothing are left out.
func placesOf(files map[string]string) map[string][]place {
	var paths []vpath.Path
	notes := map[vpath.Path]*md.Note{}
	for name, text := range files {
		if hidden := strings.Contains("/"+name, "/."); !hidden {
			paths = append(paths, vpath.Path(name))
			if strings.HasSuffix(name, ".md") {
				notes[vpath.Path(name)] = md.Scan([]byte(text))
			}
		}
	}
	set := vpath.NewSet(paths)
	places := map[string][]place{}
	for name, note := range notes {
		resolver := set.From(name)
		for _, link := range note.Links {
			target, subpath := md.SplitTarget(link.Target(note.Source))
			file := name
			if target != "" {
				found, ok := resolver.Resolve(target)
				if !ok {
					continue
				}
				file = found
			}
			places[string(name)] = append(places[string(name)], place{string(file), partOf(notes[file], subpath)})
		}
	}
	return places
}

// partOf identifies a part of a note in a way that survives its renaming.
func partOf(note *md.Note, subpath string) string {
	if note == nil || subpath == "" {
		return subpath
	}
	if id, isID := strings.CutPrefix(subpath, "#^"); isID {
		return fmt.Sprint("^", note.FindID(id))
	}
	heading := note.FindHeading(strings.Split(subpath[1:], "#"))
	if heading < 0 {
		return "#"
	}
	return fmt.Sprint("#", heading)
}

// moved renames the files of places.
func moved(places map[string][]place, to func(string) string) map[string][]place {
	renamed := map[string][]place{}
	for name, list := range places {
		for _, link := range list {
			renamed[to(name)] = append(renamed[to(name)], place{to(link.file), link.part})
		}
	}
	return renamed
}

func stay(name string) string { return name }

// checkLinks compares what links lead to before and after a refactoring.
func checkLinks(t *testing.T, what string, before, after map[string]string, to func(string) string) {
	t.Helper()
	if diff := cmp.Diff(moved(placesOf(before), to), placesOf(after), cmp.AllowUnexported(place{})); diff != "" {
		t.Fatalf("%s: links lead elsewhere:\n%s", what, diff)
	}
}

// thereAndBack renames something twice, checks the links each time, and returns the files in the end.
func (v *lawVault) thereAndBack(there, back map[string]any, to func(string) string) map[string]string {
	v.t.Helper()
	before := withoutTrash(v.store.Files())
	middle := v.do("rename_in_vault", there)
	checkLinks(v.t, fmt.Sprint(there), before, middle, to)
	after := v.do("rename_in_vault", back)
	checkLinks(v.t, fmt.Sprint(there, " and back"), before, after, stay)
	return after
}

func renameArguments(kind, from, to, note string) map[string]any {
	return map[string]any{"kind": kind, "from": from, "to": to, "note": note}
}

// inFolder moves the files of a folder.
func inFolder(from, to string) func(string) string {
	return func(name string) string {
		if rest, ok := strings.CutPrefix(name, from); ok {
			return to + rest
		}
		return name
	}
}

// TestRefactoringKeepsLinks makes random vaults whose links have Obsidian's own form. Renaming there and back changes no
// byte, and no link leads elsewhere in between.
func TestRefactoringKeepsLinks(t *testing.T) {
	t.Parallel()
	rounds := mode.Pick(60, 300, 5000)
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		random := mode.Rand(uint64(round))
		files := randomNotes(random)
		v := newLawVault(t, files)
		same := func(what string, after map[string]string) {
			t.Helper()
			if diff := cmp.Diff(files, after); diff != "" {
				t.Fatalf("round %d: %s there and back:\n%s", round, what, diff)
			}
		}
		same("tag", v.thereAndBack(renameArguments("tag", "one", "other/one", ""), renameArguments("tag", "other/one", "one", ""), stay))
		same("property", v.thereAndBack(renameArguments("property", "up", "parent", ""), renameArguments("property", "parent", "up", ""), stay))
		same("heading", v.thereAndBack(renameArguments("heading", "First", "Changed", "a/N0"), renameArguments("heading", "Changed", "First", "a/N0"), stay))
		same("block", v.thereAndBack(renameArguments("block", "b1", "b9", "a/N0"), renameArguments("block", "b9", "b1", "a/N0"), stay))
		same("folder", v.thereAndBack(renameArguments("folder", "a/", "c/deep/", ""), renameArguments("folder", "c/deep/", "a/", ""), inFolder("a/", "c/deep/")))
		v.checkComposition(files)
	}
}

// randomNotes makes notes in folders a and b, with links among them in the shortest form.
func randomNotes(random *rand.Rand) map[string]string {
	names := []string{"a/N0.md", "a/N1.md", "a/sub/N2.md", "b/N3.md", "N4.md", "b/Same.md", "a/Same.md"}
	files := map[string]string{}
	for _, name := range names {
		link := func() string {
			target := strings.TrimSuffix(names[random.IntN(len(names))], ".md")
			if path.Base(target) != "Same" {
				target = path.Base(target)
			}
			part := []string{"", "", "#First", "#Second", "#First#Inner", "#^b1", "#Third one"}[random.IntN(7)]
			switch random.IntN(5) {
			case 0:
				return "![[" + target + part + "]]"
			case 1:
				return "[[" + target + part + "|shown]]"
			case 2:
				return "[shown](" + target + ".md" + strings.ReplaceAll(part, " ", "%20") + ")"
			case 3:
				return "[[" + []string{"#First", "#Second", "#^b1"}[random.IntN(3)] + "]]"
			}
			return "[[" + target + part + "]]"
		}
		tag := []string{"#one", "#one/two", "#onetwo", "`#one`", "#three"}[random.IntN(5)]
		files[name] = "---\ntags: [" + []string{"one", "one/x, three", "three"}[random.IntN(3)] + "]\nup: \"[[" + link()[2:4] + "]]\"\n---\n" +
			link() + " " + tag + "\n\n# First\n\n" + link() + " block of " + name + " ^b1\n\n## Inner\n\n- " + link() + "\n\n# Second\n\n" + link() + "\n\n# Third #one\n\n" + link() + "\n"
	}
	files["a/N0.md"] += "#one\n"
	return files
}

// checkComposition extracts, splits and merges a note. Links follow their text, and no line is lost.
func (v *lawVault) checkComposition(files map[string]string) {
	t := v.t
	t.Helper()
	after := v.do("compose_notes", map[string]any{"action": "extract", "note": "a/N0", "section": "Second", "target": "new/Taken", "leave": "none"})
	v.sameTargets("extract", files, after)
	v.sameLines("extract", files, after)
	after = v.do("compose_notes", map[string]any{"action": "merge", "note": "new/Taken", "target": "a/N0"})
	v.sameTargets("merge", files, after)
	v.sameLines("merge", files, after)
	v.do("compose_notes", map[string]any{"action": "split", "note": "a/N1", "level": 1, "target": "parts", "leave": "none"})
	v.do("compose_notes", map[string]any{"action": "merge", "note": "parts/First", "target": "a/N1"})
	after = v.do("compose_notes", map[string]any{"action": "merge", "note": "parts/Second", "target": "a/N1"})
	v.sameTargets("split and merge", files, after)
	v.sameLines("split and merge", files, after)
	after = v.do("compose_notes", map[string]any{"action": "merge", "note": "a/N1", "target": "a/N0"})
	blocks := func(files map[string]string) map[string]int {
		lines := linkedLines(files)
		maps.DeleteFunc(lines, func(line string, _ int) bool { return !blockName.MatchString(line) })
		return lines
	}
	if diff := cmp.Diff(blocks(files), blocks(after)); diff != "" {
		t.Fatalf("merge of two notes with the same block id: links lead elsewhere:\n%s", diff)
	}
}

// sameTargets compares the texts that links lead to, wherever these are now.
func (v *lawVault) sameTargets(what string, before, after map[string]string) {
	v.t.Helper()
	if diff := cmp.Diff(linkedLines(before), linkedLines(after)); diff != "" {
		v.t.Fatalf("%s: links lead elsewhere:\n%s", what, diff)
	}
}

// blockName is what the blocks of random notes are called.
var blockName = regexp.MustCompile(`block of \S+`)

// linkedLines counts the texts that links lead to: the line of a heading or block, or the name of a whole note.
func linkedLines(files map[string]string) map[string]int {
	lines := map[string]int{}
	for _, places := range placesOf(files) {
		for _, to := range places {
			note := md.Scan([]byte(files[to.file]))
			var at int
			switch {
			case strings.HasPrefix(to.part, "#") && len(to.part) > 1:
				fmt.Sscan(to.part[1:], &at)
				lines[string(note.Headings[at].Text.Of(note.Source))]++
			case to.part == "^-1":
				lines["a block that is missing"]++
			case strings.HasPrefix(to.part, "^"):
				fmt.Sscan(to.part[1:], &at)
				lines[string(blockName.Find(note.IDs[at].Block.Of(note.Source)))]++
			default:
				lines[path.Base(to.file)]++
			}
		}
	}
	return lines
}

// sameLines compares the lines of all notes together, whatever their order, without links and properties.
func (v *lawVault) sameLines(what string, before, after map[string]string) {
	v.t.Helper()
	if diff := cmp.Diff(linesWithoutLinks(before), linesWithoutLinks(after)); diff != "" {
		v.t.Fatalf("%s: lines are lost or added:\n%s", what, diff)
	}
}

func linesWithoutLinks(files map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		note := md.Scan([]byte(files[name]))
		var gone []md.Splice
		for _, link := range note.Links {
			gone = append(gone, md.Splice{Span: link.Dest})
		}
		for line := range strings.Lines(string(md.Apply(note.Source, gone))[note.Body:]) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// TestRealVaultsAreRefactored renames every tag, folder, heading and property of real vaults there and back: no link leads
// elsewhere, and all text but links stays the same.
func TestRealVaultsAreRefactored(t *testing.T) {
	skipIfShort(t)
	for _, name := range []string{"vaults/tasks-demo/vault", "vaults/kepano-obsidian"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := readVault(t, cases.Shared(t, name))
			v := newLawVault(t, files)
			every := mode.Pick(12, 3, 1)
			count := 0
			for i, there := range refactorings(files) {
				if i%every != 0 && there["kind"] != "folder" {
					continue
				}
				count++
				back := maps.Clone(there)
				back["from"], back["to"] = there["to"], there["from"]
				to := stay
				if there["kind"] == "folder" {
					to = inFolder(there["from"].(string), there["to"].(string))
				}
				before := withoutTrash(v.store.Files())
				after := v.thereAndBack(there, back, to)
				if diff := cmp.Diff(foldedWithoutLinks(before), foldedWithoutLinks(after)); diff != "" {
					t.Fatalf("%v and back:\n%s", there, diff)
				}
			}
			t.Logf("%d refactorings", count)
		})
	}
}

// foldedWithoutLinks returns the files without the destinations of links, and without letter case: a tag or key that was
// spelt in several ways is spelt in one way in the end.
func foldedWithoutLinks(files map[string]string) map[string]string {
	folded := map[string]string{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		note := md.Scan([]byte(text))
		var gone []md.Splice
		for _, link := range note.Links {
			gone = append(gone, md.Splice{Span: link.Dest})
		}
		front, body := string(note.Source[:note.Body]), string(md.Apply(note.Source, gone)[note.Body:])
		folded[name] = strings.ToLower(front + body)
		if strings.Contains(front, "[[") || strings.Contains(front, ".md") {
			folded[name] = strings.ToLower(body) // links in properties
		}
	}
	return folded
}

// refactorings lists a renaming of every tag, folder and heading.
func refactorings(files map[string]string) []map[string]any {
	tags, folders := map[string]bool{}, map[string]bool{}
	var all []map[string]any
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.Contains("/"+name, "/.") {
			continue
		}
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			folders[folder+"/"] = true
		}
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		note := md.Scan([]byte(files[name]))
		for _, tag := range note.Tags {
			tags[strings.ToLower(string(note.Source[tag.Start+1:tag.End]))] = true
		}
		seen := map[string]int{}
		for _, heading := range note.Headings {
			text := string(heading.Text.Of(note.Source))
			seen[md.FoldHeading(text)]++
		}
		for i, heading := range note.Headings {
			text := string(heading.Text.Of(note.Source))
			if seen[md.FoldHeading(text)] == 1 && text != "" && !strings.ContainsAny(text, "/[]") {
				all = append(all, renameArguments("heading", text, fmt.Sprint("Renamed heading ", i), name))
			}
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, renameArguments("tag", tag, "renamed-tag", ""))
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		all = append(all, renameArguments("folder", folder, "Renamed folder/"+folder, ""))
	}
	return all
}
