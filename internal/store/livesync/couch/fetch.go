package couch

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"obsidian-mcp/internal/fault"
)

// idsAtOnce is how many documents one request names.
const idsAtOnce = 2000

// Fetch reads documents by their ids, any number of them, with their
// conflicts. There is one row for each id, in their order.
func (c *Client) Fetch(ctx context.Context, ids []string) ([]Row, error) {
	f := fetcher{Client: c, rows: make([]Row, 0, len(ids))}
	for some := range slices.Chunk(ids, idsAtOnce) {
		if err := f.fetch(ctx, some); err != nil {
			return nil, err
		}
	}
	return f.rows, nil
}

// Exists tells which documents there are and are not deleted, in the order of
// their ids. Where CouchDB does not say it for certain of each, it is an error.
func (c *Client) Exists(ctx context.Context, ids []string) ([]bool, error) {
	exist := make([]bool, 0, len(ids))
	for some := range slices.Chunk(ids, idsAtOnce) {
		rows, err := c.byIDs(ctx, some, false)
		if err != nil {
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

// fetcher collects documents. One that is too large by itself is a row without
// one, but a server for which all are too large is broken.
type fetcher struct {
	*Client
	rows     []Row
	tooLarge int
}

// fetch halves what is too much for one answer.
func (f *fetcher) fetch(ctx context.Context, ids []string) error {
	found, err := f.byIDs(ctx, ids, true)
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

// byIDs asks for documents in one request, or only about them.
func (c *Client) byIDs(ctx context.Context, ids []string, docs bool) ([]Row, error) {
	body, err := encode(map[string][]string{"keys": ids})
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	if docs {
		query = url.Values{"include_docs": {"true"}, "conflicts": {"true"}}
	}
	rows, err := c.rows(ctx, request{method: http.MethodPost, at: c.endpoint(query, c.opt.Database, "_all_docs"), about: "fetch", body: body}, docs)
	if err != nil {
		return nil, err
	}
	if len(rows) != len(ids) {
		return nil, fault.StoreUnavailable.Errorf("CouchDB answered with %d of %d documents", len(rows), len(ids))
	}
	for i, id := range ids {
		if rows[i].ID != id {
			return nil, fault.StoreUnavailable.Errorf("CouchDB answered with other documents than those asked for")
		}
	}
	return rows, nil
}
