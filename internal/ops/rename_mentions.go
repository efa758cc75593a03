package ops

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// queryLanguages are the languages of code blocks in which plugins ask about notes.
var queryLanguages = []string{"tasks", "dataview", "dataviewjs", "base", "query"}

// mentionQueries lists the bases and the queries in notes that name what is renamed, right after one of the marks if any
// are given. They are not changed: what a name means in a query depends on the query.
func (r *renaming) mentionQueries(ctx context.Context, name, marks string) error {
	var bases []vpath.Path
	r.s.Files(func(path vpath.Path) bool {
		if path.Ext() == ".base" {
			bases = append(bases, path)
		}
		return true
	})
	word := mention(name, marks)
	asks := func(path vpath.Path, data []byte) bool {
		if !path.IsNote() {
			return word.Match(data)
		}
		note := md.Scan(data)
		return slices.ContainsFunc(note.Regions, func(region md.Region) bool {
			return region.Kind == md.CodeBlock && isQuery(region.Of(data)) && word.Match(region.Of(data))
		})
	}
	for batch := range slices.Chunk(slices.Concat(bases, r.withQueries(name)), readBatch) {
		for i, read := range r.plan.vault.ReadMany(ctx, batch, maxPart) {
			if read.Err == nil && asks(batch[i], read.Data) {
				r.mentioned[batch[i]] = true
			}
		}
	}
	return ctx.Err()
}

// withQueries lists the notes that contain a name and may contain queries.
func (r *renaming) withQueries(name string) []vpath.Path {
	may := map[vpath.Path]bool{}
	for _, language := range queryLanguages {
		for _, path := range r.s.Containing(language) {
			may[path] = true
		}
	}
	return slices.DeleteFunc(r.s.Containing(name), func(path vpath.Path) bool { return !may[path] })
}

// mention matches a name as a whole word, in any letter case.
func mention(name, marks string) *regexp.Regexp {
	before := `(?:^|[^\pL\pN_/-])`
	if marks != "" {
		before = "[" + regexp.QuoteMeta(marks) + "]"
	}
	return regexp.MustCompile("(?i)" + before + regexp.QuoteMeta(name) + `(?:$|[^\pL\pN_-])`)
}

// isQuery reports whether a code block is in a language of queries.
func isQuery(block []byte) bool {
	line, _, _ := bytes.Cut(block, []byte("\n"))
	language, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(string(line)), "`~")), " ")
	return slices.Contains(queryLanguages, strings.ToLower(language))
}

// mentions lists what was found, by path.
func (r *renaming) mentions() []string {
	list := []string{}
	for path := range r.mentioned {
		list = append(list, string(path))
	}
	slices.Sort(list)
	return list
}
