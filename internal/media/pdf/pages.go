package pdf

// page is a page and what it inherits.
type page struct {
	contents  any
	resources dict
}

const maxPages = 100_000

// findPages lists the pages in the order of the document. If the tree of pages is damaged, they are taken in the order in
// which they are stored.
func (f *file) findPages() []page {
	pages := f.walkPages()
	if len(pages) == 0 && !f.repaired {
		f.repair()
		pages = f.walkPages()
	}
	if len(pages) > 0 {
		return pages
	}
	for _, number := range f.numbers() {
		if found := f.dict(reference{number: number}); found["Type"] == name("Page") && len(pages) < maxPages {
			pages = append(pages, page{found["Contents"], f.dict(found["Resources"])})
		}
	}
	return pages
}

func (f *file) walkPages() []page {
	var pages []page
	seen := map[reference]bool{}
	var walk func(node any, inherited dict, depth int)
	walk = func(node any, inherited dict, depth int) {
		if ref, ok := node.(reference); ok {
			if seen[ref] {
				return
			}
			seen[ref] = true
		}
		found := f.dict(node)
		if found == nil || depth > maxDepth || len(pages) >= maxPages || !f.spent.step() {
			return
		}
		if resources := f.dict(found["Resources"]); resources != nil {
			inherited = resources
		}
		kids, isNode := f.resolve(found["Kids"]).(array)
		if !isNode {
			if found["Type"] != name("Pages") {
				pages = append(pages, page{found["Contents"], inherited})
			}
			return
		}
		for _, kid := range kids {
			walk(kid, inherited, depth+1)
		}
	}
	walk(f.dict(f.trailer["Root"])["Pages"], nil, 0)
	return pages
}
