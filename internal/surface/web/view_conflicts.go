package web

import (
	"net/url"
	"strconv"

	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/text/amount"
)

func (p conflictList) view(f frame) html.Node {
	return html.Nodes{
		html.If(p.Resolved != "", html.P(html.Class("done"), html.Role("status"),
			html.Text("The conflict of "), html.Link(f.Base+noteURL(p.Resolved), html.Attr("dir", "auto"), html.Text(p.Resolved)),
			html.Text(" is resolved. "), html.Link(f.Base+"/changes", html.Text("The changes")), html.Text(" have what was dropped, and can undo it."))),
		help(html.Text("Notes and files that two devices changed at the same time. Look at the versions, then merge them or keep one.")),
		html.IfElse(len(p.All) == 0, empty("Nothing is in conflict."),
			html.Ul(html.Class("changes"), html.Each(p.All, func(row conflictRow) html.Node { return row.item(f, p) }))),
		html.If(p.Total > len(p.All), help(html.Text("These are the first "+amount.Number(len(p.All))+" of "+amount.Number(p.Total)+"."))),
	}
}

func (c conflictRow) item(f frame, list conflictList) html.Node {
	what := amount.Of(len(c.Sides), "version")
	if c.inCopies() {
		what += " in copies that a sync program made"
	}
	latest := c.Sides[0].Modified
	for _, side := range c.Sides {
		if side.Modified.After(latest) {
			latest = side.Modified
		}
	}
	return html.Li(html.Div(html.Class("what"), html.Link(f.conflictURL(c.Note), html.Attr("dir", "auto"), html.Text(c.Note)), html.Text(" "),
		html.Span(html.Class("by"), html.Text(what+" · "), since(list.Now, latest))))
}

func (f frame) conflictURL(note string) string {
	return f.Base + "/conflict?" + url.Values{"note": {note}}.Encode()
}

func (p conflictPage) view(f frame) html.Node {
	return html.Nodes{
		p.Problem.question(p.Confirm),
		html.If(p.Confirm != "", p.form(f, p.Chosen, "Yes, resolve it", "main")),
		help(html.Text("Lines that not all versions have are marked.")),
		html.Div(html.Class("sides"), html.Each(p.Sides, func(side shownSide) html.Node { return p.side(f, side) })),
		p.merge(f),
		html.P(html.Link(f.Base+"/conflicts", html.Text("All conflicts"))),
	}
}

// side shows one version, and the button that keeps it.
func (p conflictPage) side(f frame, side shownSide) html.Node {
	id := "side-" + strconv.Itoa(side.Number)
	return html.Section(id, html.Class("card"),
		html.H2(html.ID(id), html.Attr("dir", "auto"), html.Text(side.Title)),
		help(since(p.Now, side.Modified), html.Text(" · "+side.sizeOf()), html.If(!p.Row.inCopies(), html.Nodes{html.Text(" · "), code(side.ID)})),
		html.If(side.Problem != "", html.P(html.Text(side.Problem))),
		html.If(side.Problem == "", html.Pre(html.Class("diff"), html.Label("Text of this version"), html.Each(side.Lines, diffLine.view))),
		html.If(side.More > 0, help(html.Text("And "+amount.Of(side.More, "line")+" more."))),
		html.If(p.Resolves && !side.Deleted, p.form(f, side.ID, "Keep this version", "")))
}

func (l diffLine) view() html.Node { return html.Span(html.Class(l.Kind), html.Text(l.Text+"\n")) }

// merge shows what a merge would change in the note as it is.
func (p conflictPage) merge(f frame) html.Node {
	if p.Merge == nil {
		return nil
	}
	return html.Section("merge",
		html.H2(html.ID("merge"), html.Text("Merged")),
		p.Merge.Problem.question(""),
		html.If(p.Merge.Problem == nil, html.Nodes{
			help(html.Text("What the merge would change in the first version. Each line that either version added is kept.")),
			html.If(len(p.Merge.KeptBoth) > 0, html.Nodes{
				html.P(html.Text(amount.Of(len(p.Merge.KeptBoth), "line") + " could not be joined and would be there in both versions:")),
				html.Ul(html.Each(p.Merge.KeptBoth, func(line string) html.Node { return html.Li(html.Attr("dir", "auto"), html.Text(line)) })),
			}),
			html.IfElse(len(p.Merge.Lines) == 0, html.P(html.Text("Nothing: the first version has everything.")),
				html.Pre(html.Class("diff"), html.Label("What the merge changes"), html.Each(p.Merge.Lines, diffLine.view))),
			p.form(f, "merge", "Merge the versions", "main"),
		}))
}

// form is a button that resolves the conflict.
func (p conflictPage) form(f frame, choose, text, class string) html.Node {
	return html.Post(f.Base+"/conflict", f.token(), html.Hidden("note", p.Row.Note), html.Hidden("choose", choose),
		html.If(p.Hash != "", html.Hidden("hash", p.Hash)), html.If(p.Confirm != "", html.Hidden("confirm", p.Confirm)),
		html.Button(html.If(class != "", html.Class(class)), html.Text(text)))
}
