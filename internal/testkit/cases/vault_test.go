package cases_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/cases"
)

// pathsOf returns the files of a case's vault, except hidden ones.
func pathsOf(vault map[string]string) *vpath.Set {
	var paths []vpath.Path
	for _, name := range sortedKeys(vault) {
		if path, err := vpath.Parse(name); err == nil {
			paths = append(paths, path)
		}
	}
	return vpath.NewSet(paths)
}

func TestResolveCases(t *testing.T) {
	type answer struct {
		Path    *string
		Subpath string
	}
	cases.Run(t, "resolve", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[struct{ Source, Linktext string }](c.Op)
		path, subpath := md.SplitTarget(op.Linktext)
		got := answer{Subpath: subpath}
		resolver := pathsOf(c.Vault).From(vpath.Path(op.Source))
		if found, ok := resolver.Resolve(path); ok {
			got.Path = new(string(found))
		}
		diff(t, c, cases.Decode[answer](c.Expect), got)
	})
}

func TestPropertyCases(t *testing.T) {
	type answer struct{ Content, Error string }
	cases.Run(t, "property", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[struct {
			Name, Path, Key string
			Value           json.RawMessage
		}](c.Op)
		src := []byte(c.Vault[op.Path])
		note, err := edit.Open(src)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			return
		}
		var splices []md.Splice
		if op.Name == "property_remove" {
			splices, err = edit.RemoveProperty(note, op.Key)
		} else {
			var value front.Value
			if value, err = front.FromJSON(op.Value); err == nil {
				splices, err = edit.SetProperty(note, op.Key, value)
			}
		}
		got := answer{Content: string(md.Apply(src, splices))}
		if _, invalid := errors.AsType[*front.Invalid](err); invalid {
			got.Error = "invalid_frontmatter"
		} else if err != nil {
			got.Error = err.Error()
		}
		diff(t, c, cases.Decode[answer](c.Expect), got)
	})
}

func TestRenameCases(t *testing.T) {
	cases.Run(t, "rename", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[struct{ From, To string }](c.Op)
		format := edit.Shortest
		if app, ok := c.Config["app"]; ok {
			format = edit.ParseLinkFormat(cases.Decode[struct{ NewLinkFormat string }](app).NewLinkFormat)
		}
		set := pathsOf(c.Vault)
		moves := edit.Moves(set, vpath.Path(op.From), vpath.Path(op.To))
		relink := edit.NewRelinker(set, moves, format)
		got := map[string]string{}
		for path := range set.All() {
			now := path
			if to, moved := moves[path]; moved {
				now = to
			}
			got[string(now)] = relinked(t, relink, path, c.Vault[string(path)])
		}
		diff(t, c, cases.Decode[struct{ Vault map[string]string }](c.Expect).Vault, got)
	})
}

func relinked(t cases.Reporter, relink *edit.Relinker, path vpath.Path, text string) string {
	t.Helper()
	src := []byte(text)
	switch {
	case path.IsNote():
		return string(md.Apply(src, relink.Note(path, md.Scan(src))))
	case path.IsCanvas():
		splices, err := relink.Canvas(path, src)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return string(md.Apply(src, splices))
	}
	return text
}

func TestGraphCases(t *testing.T) {
	cases.Run(t, "graph", nil, func(t cases.Reporter, c cases.Case) {
		op := cases.Decode[noteOp](c.Op)
		resolved, unresolved := linkMaps(t, c.Vault)
		switch op.Name {
		case "outgoing":
			type answer struct{ Resolved, Unresolved map[string]int }
			diff(t, c, cases.Decode[answer](c.Expect), answer{resolved[op.Path], unresolved[op.Path]})
		case "backlinks":
			got := map[string]int{}
			for source, targets := range resolved {
				if count := targets[op.Path]; count > 0 {
					got[source] = count
				}
			}
			diff(t, c, cases.Decode[struct{ Sources map[string]int }](c.Expect).Sources, got)
		default:
			t.Errorf("%s: unknown operation %s", c.ID, op.Name)
		}
	})
}

// linkMaps counts the links of every file of a vault: resolved ones by the file they lead to, the others by their path.
func linkMaps(t cases.Reporter, vault map[string]string) (resolved, unresolved map[string]map[string]int) {
	t.Helper()
	resolved, unresolved = map[string]map[string]int{}, map[string]map[string]int{}
	set := pathsOf(vault)
	for path := range set.All() {
		to, nowhere := map[string]int{}, map[string]int{}
		resolver := set.From(path)
		for _, link := range linkPaths(t, path, vault[string(path)]) {
			if found, ok := resolver.Resolve(link); ok {
				to[string(found)]++
			} else {
				nowhere[link]++
			}
		}
		resolved[string(path)], unresolved[string(path)] = to, nowhere
	}
	return resolved, unresolved
}

// linkPaths returns the paths of a file's links. Reference definitions do not count as links.
func linkPaths(t cases.Reporter, path vpath.Path, text string) []string {
	t.Helper()
	var paths []string
	inNote := func(note *md.Note) {
		for _, link := range note.Links {
			if link.Kind != md.Definition {
				paths = append(paths, link.Path(note.Source))
			}
		}
	}
	switch {
	case path.IsNote():
		note := md.Scan([]byte(text))
		if block := parse(note); block != nil {
			for _, link := range block.Links() {
				target, _ := md.SplitTarget(link.Target)
				paths = append(paths, target)
			}
		}
		inNote(note)
	case path.IsCanvas():
		texts, err := md.ScanCanvas([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, found := range texts {
			switch found.Kind {
			case md.CanvasMarkdown:
				inNote(md.ScanText([]byte(found.Value)))
			case md.CanvasFile, md.CanvasBackground:
				paths = append(paths, strings.TrimPrefix(found.Value, "/"))
			}
		}
	}
	return paths
}
