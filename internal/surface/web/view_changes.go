package web

import (
	"net/url"
	"time"

	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/text/amount"
)

func (p changeList) view(f frame) html.Node {
	return html.Nodes{
		p.justUndone(f),
		p.about(f),
		html.If(p.Chooses, html.Div(html.Class("bar"),
			html.Post(f.Base+"/changes/undo", html.ID("several"), f.token(), html.Button(html.Text("Undo the chosen changes"))),
			html.If(p.Session != "", html.Post(f.Base+"/changes/undo", f.token(), html.Hidden("session", p.Session),
				html.Button(html.Text("Undo the whole session")))))),
		changeItems{Now: p.Now, Undoes: p.Undoes, All: p.Changes}.view(f),
		html.If(p.More, help(html.Text("These are the newest "+amount.Number(len(p.Changes))+". The tool "),
			html.Link(f.Base+"/tools/list_changes?limit=1000", html.Text("list_changes")),
			html.Text(" lists up to 1,000 and finds older ones by note and by client."))),
	}
}

// justUndone says what the person has just done.
func (p changeList) justUndone(f frame) html.Node {
	if p.Undone == "" {
		return nil
	}
	newest := html.Link(f.changeURL(p.Undone), html.Text(p.Undone))
	what := html.Nodes{html.Text("Change "), newest, html.Text(" was undone.")}
	if p.Several {
		what = html.Nodes{html.Text("Several changes were undone, the newest of them "), newest, html.Text(".")}
	}
	return html.P(html.Class("done"), html.Role("status"), what, html.Text(" The undo is first in the list and can itself be undone."))
}

func (p changeList) about(f frame) html.Node {
	if p.Session == "" {
		return help(html.Text("What tools have changed, newest first. Edits made in Obsidian are not listed."))
	}
	return help(html.Text("What session "), code(p.Session), html.Text(" has changed, newest first. "), f.allChanges())
}

func (f frame) allChanges() html.Node { return html.Link(f.Base+"/changes", html.Text("All changes")) }

func (f frame) changeURL(id string) string { return f.Base + "/changes/" + url.PathEscape(id) }

// changeItems is a list of changes.
type changeItems struct {
	Now    time.Time
	Undoes bool // each change has a button that undoes it
	All    []changeRow
}

func (c changeItems) view(f frame) html.Node {
	if len(c.All) == 0 {
		return empty("Nothing has changed yet. Changes made by tools are listed here and can be undone.")
	}
	return html.Ul(html.Class("changes"), html.Each(c.All, func(row changeRow) html.Node { return c.item(f, row) }))
}

func (c changeItems) item(f frame, row changeRow) html.Node {
	undo := html.If(c.Undoes, html.Post(f.changeURL(row.ID)+"/undo", f.token(),
		html.Button(html.Label("Undo: "+row.Summary), html.Text("Undo"))))
	return html.Li(
		html.If(row.Choose, html.Input(html.Attr("type", "checkbox"), html.Name("id"), html.Value(row.ID), html.Attr("form", "several"),
			html.Label("Choose: "+row.Summary)), html.Text(" ")),
		html.Div(html.Class("what"), html.Link(f.changeURL(row.ID), html.Text(row.Summary)), html.Text(" "),
			html.Span(html.Class("by"), since(c.Now, row.Time), html.If(row.Client != "", html.Text(" · "+row.Client)),
				html.Text(" · "+row.Tool), f.session(row.Session))),
		html.IfElse(row.Undone, tag("undone"), undo))
}

// session links to the changes of a session, if a change has one.
func (f frame) session(id string) html.Node {
	if id == "" {
		return nil
	}
	return html.Nodes{html.Text(" · "),
		html.Link(f.Base+"/changes?"+url.Values{"session": {id}}.Encode(), html.Text("session "+id))}
}

func (p change) view(f frame) html.Node {
	return html.Nodes{
		p.Problem.question(p.Confirm),
		help(since(p.Now, p.Time), html.If(p.Client != "", html.Text(" · "+p.Client)), html.Text(" · "+p.Tool+" · "), code(p.ID),
			f.session(p.Session)),
		p.undo(f),
		html.Pre(html.Class("diff"), html.Label("What the change did"), html.Each(p.Lines, diffLine.view)),
		html.P(f.allChanges()),
	}
}

// undo is the button that undoes a change, if it can be undone.
func (p change) undo(f frame) html.Node {
	switch {
	case p.Undone:
		return html.P(html.Class("done"), html.Text("This change was undone. "),
			html.Link(f.Base+"/changes", html.Text("The undo is listed among the changes")), html.Text(" and can itself be undone."))
	case !p.Undoes:
		return nil
	}
	text := "Undo this change"
	if p.Force {
		text = "Undo it anyway, over later changes"
	} else if p.Confirm != "" {
		text = "Yes, undo it"
	}
	return html.Post(f.changeURL(p.ID)+"/undo", f.token(), undoFields(p.Confirm, p.Force, text))
}

// undoFields are what each form that undoes something ends with.
func undoFields(confirm string, force bool, text string) html.Node {
	class := "main"
	if force {
		class = "danger"
	}
	return html.Nodes{
		html.If(confirm != "", html.Hidden("confirm", confirm)),
		html.If(force, html.Hidden("force", "true")),
		html.Button(html.Class(class), html.Text(text)),
	}
}

func (p severalChanges) view(f frame) html.Node {
	return html.Nodes{
		p.Problem.question(p.Confirm),
		html.IfElse(p.Nothing,
			html.P(html.Class("done"), html.Role("status"),
				html.Text("There is nothing to undo: the notes are as they were before these changes.")),
			p.form(f)),
		changeItems{Now: p.Now, Undoes: p.Undoes, All: p.Changes}.view(f),
		html.P(f.allChanges()),
	}
}

func (p severalChanges) form(f frame) html.Node {
	which := html.Node(html.Each(p.IDs, func(id string) html.Node { return html.Hidden("id", id) }))
	if p.Session != "" {
		which = html.Hidden("session", p.Session)
	}
	text := "Undo these changes"
	if p.Force {
		text = "Undo them anyway, over later changes"
	} else if p.Confirm != "" {
		text = "Yes, undo them"
	}
	return html.Nodes{
		help(html.Text("All of them are undone as one change, which can itself be undone.")),
		html.Post(f.Base+"/changes/undo", f.token(), which, undoFields(p.Confirm, p.Force, text)),
	}
}
