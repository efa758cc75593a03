package dataview

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// filter returns whether a page belongs to a source.
func (x *execution) filter(from *source) (func(*Page) bool, error) {
	switch from.kind {
	case fromTag:
		return func(page *Page) bool { return hasTag(page, from.text) }, nil
	case fromFolder:
		return x.set.folder(from.text), nil
	case fromIncoming, fromOutgoing:
		return x.linked(from)
	case fromCSV:
		return func(*Page) bool { return false }, nil // appendTable reads it
	}
	left, err := x.filter(from.left)
	if err != nil {
		return nil, err
	}
	if from.kind == fromOthers {
		return func(page *Page) bool { return !left(page) }, nil
	}
	right, err := x.filter(from.right)
	if from.kind == fromBoth {
		return func(page *Page) bool { return left(page) && right(page) }, err
	}
	return func(page *Page) bool { return left(page) || right(page) }, err
}

// hasTag reports whether a page has a tag or one below it.
func hasTag(page *Page, tag string) bool {
	return slices.ContainsFunc(page.tags, func(has string) bool { return value.IsTagOrBelow(has, tag) })
}

// folder finds the pages in a folder or, if there is no such folder, the page with that path.
func (s *Set) folder(name string) func(*Page) bool {
	isRoot := name == "" || name == "/"
	inFolder := func(page *Page) bool { return isRoot || strings.HasPrefix(page.Path, name+"/") }
	if slices.ContainsFunc(s.pages, inFolder) {
		return inFolder
	}
	return func(page *Page) bool { return page.Path == name || page.Path == name+".md" }
}

// linked finds the pages that link to a note, or that a note links to.
func (x *execution) linked(from *source) (func(*Page) bool, error) {
	target := x.set.Resolve(from.text, x.origin)
	if from.text == "" {
		target = x.origin
	}
	paths := map[string]bool{}
	page := x.set.byPath[target]
	switch {
	case target == "" || from.kind == fromIncoming:
		if target == "" {
			target = from.text
		}
		for _, link := range x.set.linksTo(target) {
			paths[link.(value.Link).Path] = true
		}
	case page != nil:
		for _, link := range page.links {
			paths[x.set.Resolve(link.Path, page.Path)] = true
		}
	}
	return func(page *Page) bool { return paths[page.Path] }, nil
}
