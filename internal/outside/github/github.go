// Package github puts files into a repository by GitHub's REST API, as GitHub, GitHub Enterprise and compatible hosts
// offer it: on a branch of their own with a pull request, or directly as a commit.
//
// A call either completes or leaves the repository as it was, as far as the host allows; where it cannot, the error says
// what is left and how to go on. Errors name the setting to look at. The token is read from its file for each call, is
// sent in a header to the configured host only, and appears in no error.
package github

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options say where a Client publishes.
type Options struct {
	API       string // the base address, such as https://api.github.com
	Repo      string // owner/name
	Mode      Mode
	Branch    string // the branch to commit to, or for PullRequest a template with {slug}; "" for the default
	TokenFile string
	Version   string        // of this program, for the User-Agent
	Timeout   time.Duration // of one request; 0: 15 seconds
}

// Mode says how a file gets into the repository.
type Mode string

// The modes.
const (
	PullRequest Mode = "pr"
	Commit      Mode = "commit"
)

// defaultBranch is the template for branches.
const defaultBranch = "adr/{slug}"

// Client publishes files in one repository.
type Client struct {
	opt  Options
	base *url.URL
	http *http.Client
}

// New returns a client. The configuration has checked the options.
func New(opt Options) *Client {
	base, err := url.Parse(opt.API)
	if err != nil {
		base = &url.URL{} // no request reaches anything
	}
	opt.Timeout = cmp.Or(opt.Timeout, 15*time.Second)
	if opt.Mode == PullRequest {
		opt.Branch = cmp.Or(opt.Branch, defaultBranch)
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{opt, base, &http.Client{CheckRedirect: refuse, Timeout: opt.Timeout}}
}

// host is the name of the host that the client talks to.
func (c *Client) host() string { return c.base.Host }

// owner is whose repository it is.
func (c *Client) owner() string {
	owner, _, _ := strings.Cut(c.opt.Repo, "/")
	return owner
}
