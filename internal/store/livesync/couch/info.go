package couch

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Seq is a place in the order of changes. It is opaque: a number on one
// server, a long text on another, for that server alone to read.
type Seq string

// UnmarshalJSON takes what a server writes.
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

// behind reports whether s is certainly an earlier place than other. All
// servers begin with a number that counts the changes; beyond that guess
// nothing is read from a Seq.
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

// Info is what a database says of itself.
type Info struct {
	Name      string `json:"db_name"`
	Documents int64  `json:"doc_count"`
	UpdateSeq Seq    `json:"update_seq"`
	// Started is when this incarnation of the database came to be, if the server
	// knows, and "" otherwise. Some servers give the time of their own start.
	Started string `json:"instance_start_time"`
}

// Info asks the database about itself. A database that is not there is
// fault.VaultNotFound.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var info Info
	if err := c.ask(ctx, request{method: http.MethodGet, at: c.endpoint(nil, c.opt.Database), about: "info"}, &info); err != nil {
		return Info{}, err
	}
	if info.Name == "" || info.UpdateSeq == "" {
		return Info{}, fault.StoreUnavailable.Errorf("what answers at %s is no CouchDB", c.server)
	}
	if info.Started == "0" { // as servers say that do not know
		info.Started = ""
	}
	return info, nil
}
