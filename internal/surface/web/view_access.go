package web

import (
	"strings"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/surface/web/html"
)

func (p accessPage) view(frame) html.Node {
	return html.Nodes{
		html.Section("you",
			html.H2(html.ID("you"), html.Text("You")),
			html.P(p.you()),
			html.Details(html.If(!p.Owner, html.Flag("open")),
				html.Summary(html.Text("Tools you may use")), html.P(html.Text(p.Tools)))),
		html.If(p.Owner, p.everybody()),
	}
}

// you says what the caller may do.
func (p accessPage) you() html.Node {
	if p.Open {
		may := "read everything, and change nothing"
		if p.Writes {
			may = "read and change everything"
		}
		return html.Nodes{html.Text("No login is needed here: anyone who can reach this server may " + may + ". Set "),
			code("OBSIDIAN_MCP_TOKEN"), html.Text(" to require one.")}
	}
	return html.Nodes{html.Text("Logged in as "), html.Strong(html.Text(p.Name)),
		html.If(!p.Until.IsZero(), html.Text(", until "), moment(p.Until, stamp(p.Until))), html.Text(". "), p.limits()}
}

func (p accessPage) limits() html.Node {
	switch {
	case p.Owner && p.Writes:
		return html.Text("Without limits.")
	case p.Owner:
		return html.Text("You have no limits of your own, but this server is read-only: tools that write are left out.")
	}
	may, where := "only read", html.Node(html.Text("the vault"))
	if p.Writes {
		may = "read and change"
	}
	if len(p.Only) > 0 {
		where = html.Nodes{html.Text("only "), listed(p.Only), html.Text("; nothing else is shown to you")}
	} else if p.Part {
		where = html.Text("a part of the vault; nothing else is shown to you")
	}
	return html.Nodes{html.Text("With limits: you may " + may + " "), where, html.Text(".")}
}

// listed returns folders separated by commas.
func listed(folders []vpath.Path) html.Node {
	var all html.Nodes
	for i, folder := range folders {
		all = append(all, html.If(i > 0, html.Text(", ")), code(string(folder)))
	}
	return all
}

// everybody lists who has access.
func (p accessPage) everybody() html.Node {
	table := html.P(html.Text("No tokens are set."))
	if len(p.All) > 0 {
		head := html.Each([]string{"Name", "Set in", "May", "Only in", "Not in", "Toolsets", "Until"}, func(text string) html.Node {
			return html.El("th", html.Attr("scope", "col"), html.Text(text))
		})
		table = html.Div(html.Class("scroll"), html.TabStop(), html.Role("region"), html.Label("Table of who has access"),
			html.El("table", html.Class("wide"), html.El("thead", html.Tr(head)), html.El("tbody", html.Each(p.All, p.row))))
	}
	return html.Section("all",
		html.H2(html.ID("all"), html.Text("Who has access")),
		table,
		help(html.Text("Tokens are set in the config file and cannot be changed here. "), code("obsidian-mcp token new"),
			html.Text(" makes one and prints its entry.")))
}

func (p accessPage) row(who Access) html.Node {
	may := "read and write"
	if who.ReadOnly {
		may = "read"
	}
	toolsets := "as served"
	if len(who.Toolsets) > 0 {
		toolsets = strings.Join(who.Toolsets, " ")
	}
	until := html.Node(html.Text("no end"))
	if !who.Expires.IsZero() {
		until = html.Nodes{moment(who.Expires, who.Expires.UTC().Format("2006-01-02 15:04")+" UTC"),
			html.If(who.Expires.Before(p.Now), html.Text(" "), html.Span(html.Class("tag danger"), html.Text("expired")))}
	}
	return html.Tr(html.El("th", html.Attr("scope", "row"), html.Text(who.Name)), html.Td(html.Text(who.From)), html.Td(html.Text(may)),
		html.Td(patterns(who.Allow, "everywhere")), html.Td(patterns(who.Deny, "–")), html.Td(html.Text(toolsets)), html.Td(until))
}

// patterns returns patterns of paths, or a word if there are none.
func patterns(all []string, none string) html.Node {
	if len(all) == 0 {
		return html.Text(none)
	}
	return html.Each(all, func(pattern string) html.Node { return html.Nodes{code(pattern), html.Text(" ")} })
}
