package web

// Connection tells how a client is set up.
type Connection struct {
	ID, Name string
	Remote   *Block // over HTTP; nil: this client cannot
	Local    *Block // on the server's own machine, over stdio; nil: it cannot, or the caller may not know
	After    string // what to do then
}

// Block is what a person pastes, and where.
type Block struct{ Where, Text string }

func (v *visit) connect() error {
	v.show("connect", "Connect a client", struct {
		Connections []Connection
		NeedsToken  bool
	}{v.page.options.Server.Connections(v.r, v.who), !v.page.options.Guard.Open()})
	return nil
}
