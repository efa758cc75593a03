package couch

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"obsidian-mcp/internal/fault"
)

// Row is a document in a list.
type Row struct {
	ID, Rev string
	Missing bool      // there is no such document, and never was
	Deleted bool      // there was one
	Doc     *Document // where documents were asked for and there is one
	Err     error     // this document cannot be had, though others can
}

// Query says which documents to list, in the order of their ids.
type Query struct {
	Start     string // the first id; "" is the very first
	Before    string // the id before which to end; "" is the very end
	Docs      bool   // the documents themselves too
	Conflicts bool   // and which conflicts they have
	Page      int    // rows in a request; 500
}

// AllDocs lists documents that are not deleted, page by page, each when the
// one before has been used. After an error the list ends.
func (c *Client) AllDocs(ctx context.Context, q Query) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		p := pager{Client: c, Query: q, size: cmp.Or(q.Page, 500)}
		for !p.done {
			rows, err := p.next(ctx)
			if err != nil {
				yield(Row{}, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// Fetch reads documents by their ids, any number of them, with their
// conflicts. There is one row for each id, in their order.
func (c *Client) Fetch(ctx context.Context, ids []string) ([]Row, error) {
	f := fetcher{Client: c, rows: make([]Row, 0, len(ids))}
	for some := range slices.Chunk(ids, 500) {
		if err := f.fetch(ctx, some); err != nil {
			return nil, err
		}
	}
	return f.rows, nil
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
	found, err := f.fetchOnce(ctx, ids)
	switch {
	case err == nil:
		f.rows = append(f.rows, found...)
		return nil
	case !isTooLarge(err):
		return err
	case len(ids) == 1:
		if f.tooLarge++; f.tooLarge > 3 {
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

func (c *Client) fetchOnce(ctx context.Context, ids []string) ([]Row, error) {
	body, err := encode(map[string][]string{"keys": ids})
	if err != nil {
		return nil, err
	}
	query := url.Values{"include_docs": {"true"}, "conflicts": {"true"}}
	rows, err := c.rows(ctx, request{method: http.MethodPost, at: c.endpoint(query, c.opt.Database, "_all_docs"), about: "fetch", body: body}, true)
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

// pager walks over a range of ids.
type pager struct {
	*Client
	Query
	size int    // rows of the next page
	last string // the id that the last page ended with
	done bool
}

// next is the next page. A page that is too large is asked for again in
// smaller pieces; a document that is too large by itself is a row without one.
func (p *pager) next(ctx context.Context) ([]Row, error) {
	rows, err := p.page(ctx, p.Docs)
	for isTooLarge(err) && p.size > 1 {
		p.size /= 2
		rows, err = p.page(ctx, p.Docs)
	}
	if isTooLarge(err) && p.Docs {
		tooLarge := err
		if rows, err = p.page(ctx, false); len(rows) > 0 {
			rows[0].Err = tooLarge
		}
	}
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	end := rows[len(rows)-1].ID
	if end == p.last {
		return nil, fault.StoreUnavailable.Errorf("CouchDB's list does not move on")
	}
	p.last = end
	return rows, nil
}

// page asks for rows after the last: those from the next id that there could
// be. Should a server have another order, in which that is the same id, the
// last row comes again and is left out.
func (p *pager) page(ctx context.Context, docs bool) ([]Row, error) {
	limit, start := p.size, p.Start
	if p.last != "" {
		limit, start = limit+1, p.last+"\x00"
	}
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if start != "" {
		query.Set("startkey", quote(start))
	}
	if p.Before != "" {
		query.Set("endkey", quote(p.Before))
		query.Set("inclusive_end", "false")
	}
	if docs {
		query.Set("include_docs", "true")
	}
	if docs && p.Conflicts {
		query.Set("conflicts", "true")
	}
	rows, err := p.rows(ctx, request{method: http.MethodGet, at: p.endpoint(query, p.opt.Database, "_all_docs"), about: "list"}, docs)
	if err != nil {
		return nil, err
	}
	p.done = len(rows) < limit
	if len(rows) > 0 && p.last != "" && rows[0].ID == p.last {
		rows = rows[1:]
	}
	return rows, nil
}

// rows asks for a list of documents. Those that must come with it and do not
// are rows with an error.
func (c *Client) rows(ctx context.Context, r request, docs bool) ([]Row, error) {
	var list struct{ Rows []listed }
	if err := c.ask(ctx, r, &list); err != nil {
		return nil, err
	}
	if list.Rows == nil {
		return nil, fault.StoreUnavailable.Errorf("CouchDB's answer holds no rows")
	}
	rows := make([]Row, len(list.Rows))
	for i, row := range list.Rows {
		rows[i] = row.read()
		if found := rows[i]; docs && found.Doc == nil && !found.Missing && !found.Deleted && found.Err == nil {
			rows[i].Err = fault.StoreUnavailable.Errorf("CouchDB's answer lacks the document '%s'", found.ID)
		}
	}
	return rows, nil
}

// listed is a row as CouchDB writes it.
type listed struct {
	ID, Key, Error string
	Value          struct {
		Rev     string
		Deleted bool
	}
	Doc json.RawMessage
}

func (l listed) read() Row {
	row := Row{ID: cmp.Or(l.ID, l.Key), Rev: l.Value.Rev, Deleted: l.Value.Deleted}
	switch {
	case l.Error == "not_found":
		row.Missing = true
	case l.Error != "":
		row.Err = fault.StoreUnavailable.Errorf("CouchDB cannot give the document '%s'", row.ID)
	case l.Doc != nil && string(l.Doc) != "null":
		document, err := parseDocument(l.Doc)
		if row.Err = err; err == nil {
			row.Doc = &document
		}
	}
	return row
}

// quote writes an id as the JSON that a key in a query is.
func quote(id string) string {
	quoted, _ := json.Marshal(id) // which no text fails
	return string(quoted)
}
