package github

import "context"

// Checked is what a check has found.
type Checked struct {
	Repo          string // owner/name
	DefaultBranch string
	TokenShared   bool // other users of this machine may read the token
}

// Check reads the token and looks at the repository with it. It writes nothing.
func (c *Client) Check(ctx context.Context) (Checked, error) {
	s, err := c.begin()
	if err != nil {
		return Checked{}, err
	}
	about, err := s.repository(ctx)
	if err != nil {
		return Checked{}, err
	}
	return Checked{c.opt.Repo, about.DefaultBranch, othersMayRead(c.opt.TokenFile)}, s.mayWrite(about)
}
