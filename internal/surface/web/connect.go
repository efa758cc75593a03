package web

// Connection describes how to set up a client.
type Connection struct {
	ID, Name string
	Remote   *Block // over HTTP; nil if the client does not support it
	Local    *Block // over stdio on the server's own machine; nil if not supported, or hidden from the caller
	After    string // what to do after pasting
}

// Block is a text to paste and where it goes.
type Block struct{ Where, Text string }

// connectPage says how to set up each client.
type connectPage struct {
	Connections []Connection
	NeedsToken  bool
}

func (v *visit) connect() error {
	body := connectPage{v.page.options.Server.Connections(v.r, v.who), !v.page.options.Guard.Open()}
	v.show("Connect a client", body.view)
	return nil
}
