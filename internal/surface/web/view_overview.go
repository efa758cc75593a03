package web

import (
	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/text/amount"
)

func (p overview) view(f frame) html.Node {
	return html.Nodes{
		html.Div(html.ID("now"), html.Attr("hx-get", f.Base+"/now"), html.Attr("hx-trigger", "every 5s"),
			html.Attr("hx-include", "find input"), html.Attr("hx-swap", "innerHTML"), p.now(f)),
		html.If(p.History, html.Section("changes-head", html.ID("recent"), html.Attr("hx-get", f.Base+"/recent"),
			html.Attr("hx-trigger", "history-changed from:body"), html.Attr("hx-swap", "innerHTML"), p.recent(f))),
	}
}

// recent is the part that lists the newest changes.
func (p overview) recent(f frame) html.Node {
	return html.Nodes{
		html.H2(html.ID("changes-head"), html.Text("Recent changes")),
		html.IfElse(p.Status.Ready, changeItems{Now: p.Now, Undoes: p.Undoes, All: p.Changes}.view(f),
			empty("Changes are listed once the index is built.")),
		html.If(len(p.Changes) > 0, html.P(f.allChanges())),
	}
}

// now is the part that is refreshed every few seconds.
func (p overview) now(f frame) html.Node {
	return html.Nodes{
		html.Hidden("seen", p.Seen),
		html.If(p.NoCalls, whatNext(f)),
		html.Section("vault-head", html.H2(html.ID("vault-head"), html.Text("Vault")), html.El("dl", html.Class("facts"), p.vault())),
		p.server(),
	}
}

// whatNext says how to connect a first client.
func whatNext(f frame) html.Node {
	return html.Section("next-head", html.Class("card"),
		html.H2(html.ID("next-head"), html.Text("What to do next")),
		html.P(html.Text("The server is running, and no client has called it in the last hour.")),
		html.El("ol",
			html.Li(html.Link(f.Base+"/connect", html.Text("Connect an AI client")),
				html.Text(": what to paste for Claude, ChatGPT, Cursor and others. "),
				code("obsidian-mcp install"), html.Text(" does it for you.")),
			html.Li(html.Text("Ask it something about your notes, such as “What did I write last week?”")),
			html.Li(html.Text("Or try it here: "), html.Link(f.Base+"/search", html.Text("search your notes")), html.Text(", or "),
				html.Link(f.Base+"/tools", html.Text("run a tool")), html.Text(" by hand."))))
}

func (p overview) vault() html.Node {
	status, whole := p.Status, p.Status.Whole
	facts := html.Nodes{fact("Vault", html.Text(status.Vault), html.If(status.ReadOnly, html.Text(" "), tag("read-only")),
		html.If(whole == nil, html.Text(" "), tag("limited")))}
	if whole != nil {
		facts = append(facts, fact("Store", html.Text(whole.Store)), html.Div(html.Class("wide"), html.El("dt", html.Text("Location")),
			html.El("dd", html.Class("path"), html.Text(whole.Place))))
	}
	facts = append(facts, fact("State", state(status)))
	if status.Ready {
		facts = append(facts, fact("Index", html.Text(amount.Of(status.Notes, "note")+" "),
			html.El("small", html.Text(amount.Of(status.Files, "file")+", "+amount.Of(status.Tags, "tag")))),
			html.If(!status.Changed.IsZero(), fact("Index updated", since(p.Now, status.Changed))))
	}
	return facts
}

// fact is an entry in a list of facts.
func fact(what string, parts ...html.Node) html.Node {
	return html.Div(html.El("dt", html.Text(what)), html.El("dd", parts...))
}

func state(status Status) html.Node {
	switch {
	case status.Problem != "":
		return html.Nodes{mark("failed"), html.Text(" " + status.Problem)}
	case status.Ready:
		return html.Nodes{mark("ok"), html.Text(" ready")}
	}
	return html.Nodes{mark("busy"), html.Text(" indexing, " + amount.Of(status.Seen, "file") + " so far")}
}

// server shows the state of the server as a whole, to those who may see it.
func (p overview) server() html.Node {
	whole := p.Status.Whole
	if whole == nil {
		return nil
	}
	return html.Section("server-head",
		html.H2(html.ID("server-head"), html.Text("Server")),
		html.El("dl", html.Class("facts"),
			html.Div(html.Class("wide"), html.El("dt", html.Text("Version")), html.El("dd", html.Text(whole.Version))),
			fact("Started", since(p.Now, whole.Started)),
			fact("Sessions", html.Text(amount.Number(whole.Sessions))),
			fact("Calls in flight", html.Text(amount.Number(whole.InFlight))),
			html.If(whole.History != "", fact("History", html.Text(whole.History))),
			p.sync(), whole.Meaning.view()),
		html.Div(html.Class("plots"), p.Calls.view(), p.Latency.view()))
}

// view shows by what notes are found by meaning, and whether notes leave the machine.
func (m *Meaning) view() html.Node {
	if m == nil {
		return nil
	}
	return html.Div(html.Class("wide"), html.El("dt", html.Text("Search by meaning")), html.El("dd", html.Text(m.Model),
		html.If(m.Leaves, html.Nodes{html.Text(". "), html.El("strong", html.Text("The texts of all notes leave this machine: they are sent to that server."))}),
		html.If(m.Problem != "", html.Nodes{html.Text(" "), mark("failed"), html.Text(" " + m.Problem)})))
}

// sync shows when the vault was last synced, and what went wrong.
func (p overview) sync() html.Node {
	last := p.Status.Whole.Sync
	switch {
	case last == nil:
		return nil
	case last.Time.IsZero():
		return fact("Last sync", html.Text("not yet"))
	case last.Problem != "":
		return html.Div(html.Class("wide"), html.El("dt", html.Text("Last sync")),
			html.El("dd", mark("failed"), html.Text(" "), since(p.Now, last.Time), html.Text(": "+last.Problem)))
	}
	return fact("Last sync", mark("ok"), html.Text(" "), since(p.Now, last.Time))
}

func (p *plot) view() html.Node {
	return html.El("figure", html.Class("plot"),
		html.El("figcaption", html.Span(html.Text(p.Title)), html.Text(" "), html.Span(html.Class("now"), html.Text(p.Now))),
		html.El("svg", viewBox(p.Width, p.Tall), html.Role("img"), html.Label(p.Title+": "+p.About),
			html.Attr("preserveAspectRatio", "none"), html.Each(p.Bars, bar.view)))
}

func (b bar) view() html.Node {
	if b.Height == 0 {
		return nil
	}
	return html.El("g", html.El("title", html.Text(b.Tip)), rectangle(b.X, b.Y, barWidth-1, b.Height),
		html.If(b.Failed != 0, rectangle(b.X, b.FailedY, barWidth-1, b.Failed, html.Class("failed"))))
}
