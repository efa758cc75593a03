package couch

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/order"
)

// Leaves returns the latest revision of every branch of each document, with their ancestors, the winner first. It asks as
// many nodes of a cluster as it takes to see every write that was confirmed.
func (c *Client) Leaves(ctx context.Context, ids []string) ([][]Document, error) {
	return c.leaves(ctx, ids, true)
}

// RevisionID names a revision of a document.
type RevisionID struct {
	ID  string `json:"id"`
	Rev string `json:"rev,omitempty"` // "": all leaves
}

// bulkGet is the response to a request for revisions.
type bulkGet struct {
	Results []struct {
		ID   string
		Docs []struct {
			OK    json.RawMessage
			Error *struct{ Error string }
		}
	}
}

// Revisions reads revisions of documents. Those that CouchDB no longer has are left out.
func (c *Client) Revisions(ctx context.Context, wanted []RevisionID) (map[RevisionID]Document, error) {
	found := map[RevisionID]Document{}
	for some := range slices.Chunk(wanted, revisionsAtOnce) {
		answer, err := c.bulkGet(ctx, some, false)
		if err != nil {
			return nil, err
		}
		for _, result := range answer.Results {
			for _, copied := range result.Docs {
				if copied.OK == nil {
					continue
				}
				document, err := parseDocument(copied.OK)
				if err != nil {
					return nil, err
				}
				found[RevisionID{document.ID, document.Rev}] = document
			}
		}
	}
	return found, nil
}

// revisionsAtOnce is how many revisions one request asks for.
const revisionsAtOnce = 500

func (c *Client) bulkGet(ctx context.Context, wanted []RevisionID, ancestors bool) (answer bulkGet, err error) {
	body, err := encode(map[string][]RevisionID{"docs": wanted})
	if err != nil {
		return answer, err
	}
	query := url.Values{}
	if ancestors {
		query.Set("revs", "true")
	}
	at := c.endpoint(query, c.opt.Database, "_bulk_get")
	return answer, c.ask(ctx, request{method: http.MethodPost, at: at, about: "leaves", body: body}, &answer)
}

// leaves returns the leaves of each document, in the order of ids; none for a document that does not exist.
func (c *Client) leaves(ctx context.Context, ids []string, ancestors bool) ([][]Document, error) {
	docs := make([]RevisionID, len(ids))
	for i, id := range ids {
		docs[i].ID = id
	}
	answer, err := c.bulkGet(ctx, docs, ancestors)
	if err != nil {
		return nil, err
	}
	if len(answer.Results) != len(ids) {
		return nil, fault.StoreUnavailable.Errorf("CouchDB returned %d of %d documents", len(answer.Results), len(ids))
	}
	all := make([][]Document, len(ids))
	for i, result := range answer.Results {
		if result.ID != ids[i] {
			return nil, fault.StoreUnavailable.Errorf("CouchDB returned documents that were not requested")
		}
		for _, found := range result.Docs {
			if found.Error != nil && found.Error.Error != "not_found" {
				return nil, fault.StoreUnavailable.Errorf("CouchDB cannot read the document '%s'", result.ID)
			}
			if found.OK == nil {
				continue
			}
			document, err := parseDocument(found.OK)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], document)
		}
		order.By(all[i], func(a, b Document) int { return CompareLeaves(b, a) })
	}
	return all, nil
}

// CompareLeaves orders leaves as CouchDB does when it chooses the winner, which is the greatest: any revision comes before a
// deletion, a longer branch before a shorter one.
func CompareLeaves(a, b Document) int {
	if a.Deleted != b.Deleted {
		if a.Deleted {
			return -1
		}
		return 1
	}
	return compareRevs(a.Rev, b.Rev)
}

func compareRevs(a, b string) int {
	first, second := Generation(a), Generation(b)
	return cmp.Or(cmp.Compare(first, second), cmp.Compare(a, b))
}

// Generation returns the number at the start of a revision, which counts its ancestors.
func Generation(rev string) int {
	number, _, _ := strings.Cut(rev, "-")
	n, _ := strconv.Atoi(number)
	return n
}

// rowOf is the row of a document that has these leaves, the winner first.
func rowOf(id string, leaves []Document) Row {
	if len(leaves) == 0 {
		return Row{ID: id, Missing: true}
	}
	winner := leaves[0]
	row := Row{ID: id, Rev: winner.Rev, Deleted: winner.Deleted}
	if winner.Deleted {
		return row
	}
	for _, other := range leaves[1:] {
		if !other.Deleted {
			winner.Conflicts = append(winner.Conflicts, other.Rev)
		}
	}
	row.Doc, row.Err = &winner, nil
	if len(winner.Conflicts) > 0 {
		winner.Body, row.Err = withConflicts(winner.Body, winner.Conflicts)
	}
	return row
}

// withConflicts adds the field that a single document has if it was requested with its conflicts.
func withConflicts(body json.RawMessage, conflicts []string) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fault.StoreUnavailable.Errorf("the response from CouchDB contains no document")
	}
	revs, err := encode(conflicts)
	if err != nil {
		return nil, err
	}
	all["_conflicts"] = revs
	return encode(all)
}

// Spread writes revisions of documents as they are, with their ancestors, to every node of a cluster that does not have them.
// It reports whether as many nodes as a confirmed write needs have all of them now.
func (c *Client) Spread(ctx context.Context, revisions ...json.RawMessage) (confirmed bool, err error) {
	body, err := encode(map[string]any{"new_edits": false, "docs": revisions})
	if err != nil {
		return false, err
	}
	var accepted bool
	var failures []result
	at := c.endpoint(nil, c.opt.Database, "_bulk_docs")
	err = c.ask(ctx, request{method: http.MethodPost, at: at, about: "spread", body: body, writes: true, accepted: &accepted}, &failures)
	if err != nil {
		return false, err
	}
	for _, failed := range failures {
		if err := c.outcome(failed); err != nil {
			return false, err
		}
	}
	return !accepted, nil
}
