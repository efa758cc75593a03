package web

import "obsidian-mcp/internal/surface/web/html"

func (p todayPage) view(f frame) html.Node {
	other := func(path *string, text string) html.Node {
		if path == nil {
			return nil
		}
		return html.Nodes{html.Text(" "), html.Link(f.Base+noteURL(*path), html.Class("button"), html.Text(text))}
	}
	return html.Nodes{
		html.Div(html.Class("bar"), html.If(p.Day == "today", html.Span(html.Class("where"), html.Text(p.Date))), other(p.Previous, "Earlier"), other(p.Next, "Later")),
		p.note(f),
		p.add(f),
		p.tasks(f, "here-head", "Open tasks in this note", p.Here),
		p.tasks(f, "due-head", "Due by then in other notes", p.Due),
	}
}

func (p todayPage) note(f frame) html.Node {
	if !p.Exists {
		return empty("There is no note for this day yet. It would be " + p.Path + ".")
	}
	return html.Div(html.Class("note-page"), p.Note.body(f))
}

// add is the form that adds a line, and makes the note if it does not exist.
func (p todayPage) add(f frame) html.Node {
	if !p.Writes {
		return nil
	}
	text := "Add to the note"
	if !p.Exists {
		text = "Create the note"
	}
	return html.Post(f.Base+"/today", f.token(), html.Hidden("date", p.Day),
		html.El("label", html.Attr("for", "line"), html.Text("A line to add")),
		html.Div(html.Class("line"),
			html.Input(html.ID("line"), html.Name("text"), html.Attr("autocomplete", "off"), html.Attr("maxlength", "10000")),
			html.Text(" "), html.Button(html.Class("plain"), html.Text(text))))
}

func (p todayPage) tasks(f frame, id, title string, items taskItems) html.Node {
	return html.If(len(items.All) > 0, html.Section(id, html.H2(html.ID(id), html.Text(title)), items.view(f)))
}
