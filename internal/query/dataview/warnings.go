package dataview

import (
	"fmt"
	"slices"

	"obsidian-mcp/internal/fault"
)

// Warnings says what a query asks for that the notes do not have: fields, tags and folders that are probably misspelt. The
// plugin finds nothing there, and says nothing.
func (s *Set) Warnings(query *Query, origin string) []string {
	c := checker{set: s, kind: query.Kind, bound: []string{"rows", "key"}}
	c.source(&query.source)
	for _, step := range query.steps {
		if step.kind == groupBy || step.kind == flatten {
			c.bound = append(c.bound, step.field.Name)
		}
	}
	for _, step := range query.steps {
		c.expression(step.field.Expression)
		for _, key := range step.sort {
			c.expression(key.by)
		}
	}
	for _, column := range query.Columns {
		c.expression(column.Expression)
	}
	c.expression(query.Format)
	if c.usesThis && s.byPath[origin] == nil {
		c.warn("the query uses this, but was not asked from a note")
	}
	return c.warnings
}

// checker walks through a query.
type checker struct {
	set      *Set
	kind     Kind
	bound    []string // names that are not fields of pages
	usesThis bool
	hasTable bool // the fields are those of a CSV file too
	warnings []string
}

// mostWarnings is how many things are warned about.
const mostWarnings = 5

func (c *checker) warn(format string, values ...any) {
	if text := fmt.Sprintf(format, values...); len(c.warnings) < mostWarnings && !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

func (c *checker) source(from *source) {
	if from == nil {
		return
	}
	switch from.kind {
	case fromTag:
		if !slices.ContainsFunc(c.set.pages, func(page *Page) bool { return hasTag(page, from.text) }) {
			c.warn("no note has the tag %q%s", from.text, fault.DidYouMean(from.text, c.set.allTags()))
		}
	case fromFolder:
		if !slices.ContainsFunc(c.set.pages, c.set.folder(from.text)) {
			c.warn("no note is in the folder %q%s", from.text, fault.DidYouMean(from.text, c.set.allFolders()))
		}
	case fromIncoming, fromOutgoing:
		c.usesThis = c.usesThis || from.text == ""
	case fromCSV:
		c.hasTable = true
	}
	c.source(from.left)
	c.source(from.right)
}

func (c *checker) expression(e Expression) {
	switch e := e.(type) {
	case variable:
		c.field(e.name)
	case binary:
		c.expression(e.left)
		c.expression(e.right)
	case negation:
		c.expression(e.of)
	case index:
		if of, isVariable := e.of.(variable); isVariable && of.name == "file" && !slices.Contains(c.bound, "file") && c.kind != Task {
			if by, ok := e.by.(literal); ok {
				c.fileField(by)
				return
			}
		}
		c.expression(e.of)
		c.expression(e.by)
	case call:
		if _, isName := e.function.(variable); !isName {
			c.expression(e.function)
		}
		for _, argument := range e.arguments {
			c.expression(argument)
		}
	case lambda:
		outer := c.bound
		c.bound = slices.Concat(c.bound, e.names)
		c.expression(e.body)
		c.bound = outer
	case listOf:
		for _, item := range e.items {
			c.expression(item)
		}
	case objectOf:
		for _, item := range e.values {
			c.expression(item)
		}
	}
}

// field checks that a note, or an item of a list, has a field.
func (c *checker) field(name string) {
	switch {
	case name == "this":
		c.usesThis = true
		return
	case name == "file" || c.hasTable || slices.Contains(c.bound, name) || len(c.set.pages) == 0:
		return
	}
	for _, page := range c.set.pages {
		if _, ok := page.fields.Get(name); ok {
			return
		}
	}
	for _, page := range c.set.pages {
		for _, item := range page.items {
			if _, ok := item.fields.Get(name); ok {
				return
			}
			if _, ok := (itemFields{item, row{page, c.set}}).fixed(name); ok && c.kind == Task {
				return
			}
		}
	}
	c.warn("no note has a field %q%s", name, fault.DidYouMean(name, c.set.allFields()))
}

func (c *checker) fileField(by literal) {
	if name, ok := by.value.(string); ok && !slices.Contains(fileKeys, name) {
		c.warn("file has no field %q%s", name, fault.DidYouMean(name, fileKeys))
	}
}

func (s *Set) allFields() []string {
	return s.collect(func(page *Page) []string { return page.fields.Keys() })
}

func (s *Set) allTags() []string { return s.collect(func(page *Page) []string { return page.tags }) }

func (s *Set) allFolders() []string {
	return s.collect(func(page *Page) (folders []string) {
		for folder := folderOf(page.Path); folder != ""; folder = folderOf(folder) {
			folders = append(folders, folder)
		}
		return folders
	})
}

// collect lists what the pages have, each once.
func (s *Set) collect(of func(page *Page) []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, page := range s.pages {
		for _, name := range of(page) {
			if !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return all
}
