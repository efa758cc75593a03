package web

import "obsidian-mcp/internal/surface/web/html"

func (p connectPage) view(frame) html.Node {
	return html.Nodes{
		help(html.Text("What to paste, and where, to connect an AI client to this vault."),
			html.If(p.NeedsToken, html.Text(" Replace "), code("YOUR_TOKEN"), html.Text(" by your token; "), code("obsidian-mcp token new"),
				html.Text(" makes another one, with limits if you like.")),
			html.Text(" On the machine where it runs, "), code("obsidian-mcp install"), html.Text(" does this for you.")),
		html.Each(p.Connections, Connection.view),
	}
}

func (c Connection) view() html.Node {
	return html.Section("client-"+c.ID, html.Class("card"),
		html.H2(html.ID("client-"+c.ID), html.Text(c.Name)),
		c.block("remote", "By its address", c.Remote),
		c.block("local", "As a program on this server's machine", c.Local),
		html.If(c.After != "", help(html.Text("Then "+c.After+"."))))
}

// block shows a text to paste with a button that copies it.
func (c Connection) block(way, title string, block *Block) html.Node {
	if block == nil {
		return nil
	}
	id := c.ID + "-" + way
	return html.Nodes{
		html.H3(html.Text(title)),
		html.Div(html.Class("bar"), html.Span(html.Class("where"), html.Text("In "+block.Where+":")), html.Text(" "),
			copyButton(id, "Copy", html.Label("Copy: "+c.Name+", "+title))),
		html.Pre(html.ID(id), html.Text(block.Text)),
	}
}
