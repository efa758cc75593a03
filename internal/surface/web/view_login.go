package web

import "obsidian-mcp/internal/surface/web/html"

// loginPage is the form that asks for a token.
type loginPage struct {
	Why  string // why the last one was refused
	Next string // where to go after the login
}

func (p loginPage) view(f frame) html.Node {
	return html.Post(f.Base+"/login", html.Class("card narrow"), f.token(), html.Hidden("next", p.Next),
		html.If(p.Why != "", html.P(html.Class("problem"), html.Role("alert"), html.Text(p.Why))),
		html.El("label", html.Attr("for", "token"), html.Text("Token")), html.Text(" "),
		html.Input(html.ID("token"), html.Name("token"), html.Attr("type", "password"), html.Attr("autocomplete", "current-password"),
			html.Flag("required"), html.Flag("autofocus"), html.Attr("aria-describedby", "token-help")),
		help(html.ID("token-help"), html.Text("The bearer token that AI clients use, from OBSIDIAN_MCP_TOKEN or the config file; "+
			"with OAuth, an access token. It stays in the server's memory until you log out.")),
		html.Button(html.Class("main"), html.Text("Log in")))
}
