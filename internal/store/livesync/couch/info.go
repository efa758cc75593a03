package couch

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Seq is a position in the sequence of changes. It is opaque: a number on one server, a long text on another.
type Seq string

// UnmarshalJSON accepts a text or a number.
func (s *Seq) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = Seq(text)
		return nil
	}
	var number json.Number
	err := json.Unmarshal(data, &number)
	*s = Seq(number)
	return err
}

// behind reports whether s is certainly earlier than other, both of a server that is not a cluster. There, a Seq starts with
// a number that counts the changes; nothing else is read from it. The nodes of a cluster count differently.
func (s Seq) behind(other Seq) bool {
	mine, ok := s.count()
	theirs, comparable := other.count()
	return ok && comparable && mine < theirs
}

func (s Seq) count() (int64, bool) {
	digits, _, _ := strings.Cut(string(s), "-")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// Info is CouchDB's description of a database.
type Info struct {
	Name      string `json:"db_name"`
	Documents int64  `json:"doc_count"`
	UpdateSeq Seq    `json:"update_seq"`
	// Started is when this incarnation of the database was created, or "" if the server does not say. Some servers
	// give the time of their own start.
	Started string `json:"instance_start_time"`
	Cluster struct {
		Copies int `json:"n"` // of each document; 0 if the server does not say
	} `json:"cluster"`
}

// Info asks for the database's description. It returns fault.VaultNotFound if the database does not exist.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var info Info
	if err := c.ask(ctx, request{method: http.MethodGet, at: c.endpoint(nil, c.opt.Database), about: "info"}, &info); err != nil {
		return Info{}, err
	}
	if info.Name == "" || info.UpdateSeq == "" {
		return Info{}, c.notCouchDB(fault.StoreUnavailable, "the server at %s is not CouchDB", c.server)
	}
	if info.Started == "0" { // sent by servers that do not know
		info.Started = ""
	}
	c.clustered.Store(info.Cluster.Copies > 1)
	return info, nil
}

// Clustered reports whether the database, as Info last described it, has several copies on the nodes of a cluster. A list or
// the feed then shows one copy, which may lag behind.
func (c *Client) Clustered() bool { return c.clustered.Load() }

// Version asks for the server's version, such as 3.5.0. A proxy may refuse that even if the database can be used.
func (c *Client) Version(ctx context.Context) (string, error) {
	var welcome struct{ Version string }
	err := c.ask(ctx, request{method: http.MethodGet, at: c.endpoint(nil, ""), about: "version"}, &welcome)
	return welcome.Version, err
}
