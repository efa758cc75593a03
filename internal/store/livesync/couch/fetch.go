package couch

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// idsAtOnce is how many documents one request asks for.
const idsAtOnce = 2000

// Fetch reads any number of documents by their ids, with their conflicts. It returns one row per id, in order. In a cluster
// it sees every confirmed write.
func (c *Client) Fetch(ctx context.Context, ids []string) ([]Row, error) {
	f := fetcher{client: c, rows: make([]Row, 0, len(ids))}
	for batch := range slices.Chunk(ids, idsAtOnce) {
		if err := f.fetch(ctx, batch); err != nil {
			return nil, err
		}
	}
	return f.rows, nil
}

// Exists reports which documents exist and are not deleted, in the order of ids. It returns an error unless CouchDB
// gives a definite answer for each.
func (c *Client) Exists(ctx context.Context, ids []string) ([]bool, error) {
	exist := make([]bool, 0, len(ids))
	for batch := range slices.Chunk(ids, idsAtOnce) {
		rows, err := c.byIDs(ctx, batch, false)
		if err != nil {
			return nil, err
		}
		if err := c.lookAgain(ctx, rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Err == nil && !row.Missing && row.Rev == "" {
				row.Err = fault.StoreUnavailable.Errorf("CouchDB does not say whether the document '%s' exists", row.ID)
			}
			if row.Err != nil {
				return nil, row.Err
			}
			exist = append(exist, !row.Missing && !row.Deleted)
		}
	}
	return exist, nil
}

// fetcher collects documents. A document that is too large by itself becomes a row with an error; but if that happens
// for most documents, the server is broken.
type fetcher struct {
	client   *Client
	rows     []Row
	tooLarge int
}

// fetch halves a request whose response would be too large.
func (f *fetcher) fetch(ctx context.Context, ids []string) error {
	found, err := f.client.current(ctx, ids)
	switch {
	case err == nil:
		f.rows = append(f.rows, found...)
		return nil
	case !isTooLarge(err):
		return err
	case len(ids) == 1:
		if f.tooLarge++; f.tooLarge > 3 && f.tooLarge > len(f.rows) {
			return err
		}
		f.rows = append(f.rows, Row{ID: ids[0], Err: err})
		return nil
	}
	half := len(ids) / 2
	if err := f.fetch(ctx, ids[:half]); err != nil {
		return err
	}
	return f.fetch(ctx, ids[half:])
}

// current requests documents. A chunk never changes, so any copy of it will do; of other documents, a cluster may have
// copies of different age.
func (c *Client) current(ctx context.Context, ids []string) ([]Row, error) {
	isChunk := func(id string) bool { return strings.HasPrefix(id, chunkPrefix) }
	if c.Clustered() && !slices.ContainsFunc(ids, isChunk) {
		return c.newest(ctx, ids)
	}
	rows, err := c.byIDs(ctx, ids, true)
	if err == nil {
		err = c.lookAgain(ctx, rows)
	}
	return rows, err
}

// newest requests documents from as many nodes of a cluster as it takes to see every confirmed write.
func (c *Client) newest(ctx context.Context, ids []string) ([]Row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := c.leaves(ctx, ids, false)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(ids))
	for i, id := range ids {
		rows[i] = rowOf(id, found[i])
	}
	return rows, nil
}

// lookAgain requests the documents that a node of a cluster does not have from others too.
func (c *Client) lookAgain(ctx context.Context, rows []Row) error {
	if !c.Clustered() {
		return nil
	}
	var ids []string
	for _, row := range rows {
		if row.Missing || row.Deleted {
			ids = append(ids, row.ID)
		}
	}
	found, err := c.newest(ctx, ids)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if row.Missing || row.Deleted {
			rows[i], found = found[0], found[1:]
		}
	}
	return nil
}

// byIDs requests documents by id, or without docs only their revisions.
func (c *Client) byIDs(ctx context.Context, ids []string, docs bool) ([]Row, error) {
	query := url.Values{}
	if docs {
		query = url.Values{"include_docs": {"true"}, "conflicts": {"true"}}
	}
	return c.named(ctx, "_all_docs", ids, query)
}

// named requests the rows of some documents from a list.
func (c *Client) named(ctx context.Context, list string, ids []string, query url.Values) ([]Row, error) {
	body, err := encode(map[string][]string{"keys": ids})
	if err != nil {
		return nil, err
	}
	at := c.endpoint(query, c.opt.Database, list)
	rows, err := c.rows(ctx, request{method: http.MethodPost, at: at, about: "fetch", body: body}, query.Has("include_docs"))
	if err != nil {
		return nil, err
	}
	if len(rows) != len(ids) {
		return nil, fault.StoreUnavailable.Errorf("%w: %d of %d documents", errUnexpected, len(rows), len(ids))
	}
	for i, id := range ids {
		if rows[i].ID != id {
			return nil, fault.StoreUnavailable.Errorf("%w: documents that were not requested", errUnexpected)
		}
	}
	return rows, nil
}
