package web

import (
	"cmp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/surface/web/html"
)

func (p taskPage) view(f frame) html.Node {
	return html.Nodes{
		html.El("form", html.Role("search"), html.Attr("method", "get"), html.Attr("action", f.Base+"/tasks"),
			html.El("label", html.Attr("for", "q"), html.Text("Which tasks")),
			html.Div(html.Class("line"),
				html.Input(html.ID("q"), html.Name("q"), html.Attr("type", "search"), html.Value(p.Query), html.Attr("autocomplete", "off"),
					html.Attr("autocapitalize", "off"), html.Attr("spellcheck", "false"), html.Attr("maxlength", "1000"),
					html.Attr("aria-describedby", "tasks-status")),
				html.Text(" "), html.Button(html.Class("plain"), html.Text("Show")))),
		help(html.Text("In the language of the plugin Tasks, for example "), code("not done; due before tomorrow"), html.Text(" or "),
			code("done; sort by done reverse; limit 20"), html.Text(".")),
		help(html.ID("tasks-status"), html.Role("status"), html.Text(p.Status)),
		html.IfElse(p.Problem != nil, p.Problem.question(""), p.Tasks.view(f)),
	}
}

func (t taskItems) view(f frame) html.Node {
	return html.If(len(t.All) > 0, html.Ul(html.Class("tasks"), html.Each(t.All, func(row taskRow) html.Node { return t.item(f, row) })))
}

func (t taskItems) item(f frame, row taskRow) html.Node {
	where := row.Path
	if row.Heading != "" {
		where += " › " + row.Heading
	}
	return html.Li(t.box(f, row),
		html.Div(html.Class("what"), html.Span(html.Attr("dir", "auto"), html.Text(row.Text)), html.Text(" "), html.Each(row.facts(), tag),
			html.Span(html.Class("by"), html.Link(f.Base+noteURL(row.Path), html.Text(where)))))
}

// box is the box of a task: a button, if the caller may press it.
func (t taskItems) box(f frame, row taskRow) html.Node {
	checked, mark := "false", strings.TrimSpace(row.Symbol)
	if row.Type == "DONE" {
		checked, mark = "true", "✓"
	} else if mark != "" {
		checked = "mixed"
	}
	box := []html.Node{html.Class("box"), html.Role("checkbox"), html.Attr("aria-checked", checked), html.Label(cmp.Or(row.Text, "empty task")), html.Text(mark)}
	if !t.Ticks {
		return html.Span(append(box, html.Attr("aria-disabled", "true"))...)
	}
	var back html.Nodes
	for _, name := range []string{"to", "q", "date"} {
		if t.Back.Has(name) {
			back = append(back, html.Hidden(name, t.Back.Get(name)))
		}
	}
	return html.Post(f.Base+"/tasks/tick", f.token(), back, html.Hidden("path", row.Path), html.Hidden("line", strconv.Itoa(row.Line)),
		html.Hidden("text", row.Text), html.Button(box...))
}

// facts are the fields of a task that decide when it is done.
func (r taskRow) facts() []string {
	var facts []string
	for _, fact := range []struct{ name, value string }{
		{"due", r.Due}, {"scheduled", r.Scheduled}, {"starts", r.Start}, {"priority", r.Priority}, {"repeats", r.Recurrence},
	} {
		if fact.value != "" {
			facts = append(facts, fact.name+" "+fact.value)
		}
	}
	if len(r.BlockedBy) > 0 {
		facts = append(facts, "waits for another")
	}
	return facts
}
