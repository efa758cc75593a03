package web

import "obsidian-mcp/internal/surface/web/html"

func (p liveSyncPage) view(f frame) html.Node {
	unfilled := html.Attr("autocomplete", "off")
	plain := html.Nodes{unfilled, html.Attr("spellcheck", "false")}
	password := html.Nodes{html.Attr("type", "password"), unfilled}
	return html.Nodes{
		help(html.Text("Tests step by step whether this server can use a Self-hosted LiveSync database: the address, the login, "+
			"the passphrase, the format. Nothing is stored here or written there; "),
			html.Code(html.Text("obsidian-mcp livesync setup")), html.Text(" writes what a link says into the config file."),
			html.If(p.Served, html.Text(" Leave the secrets empty to test with those that this server uses."))),
		html.Post(f.Base+"/livesync", html.Class("card"), html.Attr("hx-post", f.Base+"/livesync"), html.Attr("hx-target", "#checks"),
			html.Attr("hx-swap", "innerHTML"), html.Attr("hx-disabled-elt", "find button"),
			f.renewable(),
			html.Div(html.Class("field"), html.El("label", html.Attr("for", "link"), html.Text("Setup link of the plugin")),
				html.El("textarea", html.ID("link"), html.Name("link"), html.Number("rows", 2), plain,
					html.Attr("placeholder", "obsidian://setuplivesync?settings=…"))),
			databaseField("link_passphrase", "Passphrase of the link", password),
			html.P(html.Text("Or by hand:")),
			databaseField("url", "CouchDB address", html.Attr("type", "url"),
				html.Attr("placeholder", "https://couch.example.com"), html.Value(p.Given.URL), unfilled),
			databaseField("database", "Database", html.Value(p.Given.Name), plain),
			databaseField("user", "User", html.Value(p.Given.User), plain),
			databaseField("password", "Password", password),
			databaseField("passphrase", "End-to-end encryption passphrase", password),
			html.Button(html.Class("main"), html.Text("Test the connection"))),
		html.El("section", html.ID("checks"), html.Attr("aria-live", "polite"), html.Label("Test results"), p.checks(f)),
	}
}

func databaseField(name, label string, parts ...html.Node) html.Node {
	return html.Div(html.Class("field"), html.El("label", html.Attr("for", name), html.Text(label)),
		html.Input(append([]html.Node{html.ID(name), html.Name(name)}, parts...)...))
}

// checks is the outcome of the test.
func (p liveSyncPage) checks(frame) html.Node {
	return html.Nodes{
		p.Problem.beside(),
		html.If(p.Tested, html.Ul(html.Class("checks"), html.Each(p.Checks, func(check Check) html.Node {
			return html.Li(mark(check.Mark), html.Text(" "), html.Span(html.Text(check.Text)))
		}))),
	}
}
