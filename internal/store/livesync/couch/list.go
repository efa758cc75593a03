package couch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"obsidian-mcp/internal/fault"
)

// Row is a document in a list.
type Row struct {
	ID, Rev string
	Missing bool      // the document never existed
	Deleted bool      // the document existed
	Doc     *Document // the document, if requested and not deleted
	Err     error     // why this document could not be read, though others could
}

// Query selects documents by a range of ids.
type Query struct {
	Start     string // the first id; "" for the very first
	Before    string // the id to stop before; "" for the very end
	Docs      bool   // include the documents
	Conflicts bool   // include their conflicts
	Page      int    // rows per request; default 500
}

// AllDocs lists documents that are not deleted, in the order of their ids. It requests each page when the one before has
// been consumed. After an error the sequence ends.
func (c *Client) AllDocs(ctx context.Context, q Query) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		p := pager{client: c, query: q, size: cmp.Or(q.Page, 500)}
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

// pager walks over a range of ids.
type pager struct {
	client *Client
	query  Query
	size   int    // rows of the next page
	last   string // the last id of the previous page
	done   bool
}

// next returns the next page. If a page is too large it requests smaller ones; a document that is too large by itself
// becomes a row with an error.
func (p *pager) next(ctx context.Context) ([]Row, error) {
	rows, err := p.page(ctx, p.query.Docs)
	for isTooLarge(err) && p.size > 1 {
		p.size /= 2
		rows, err = p.page(ctx, p.query.Docs)
	}
	if isTooLarge(err) && p.query.Docs {
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
		return nil, fault.StoreUnavailable.Errorf("CouchDB repeats the same page of a list")
	}
	p.last = end
	return rows, nil
}

// page requests the rows from the smallest possible id after the last one. If a server orders ids so that both are the
// same, the last row comes again and is dropped.
func (p *pager) page(ctx context.Context, docs bool) ([]Row, error) {
	limit, start := p.size, p.query.Start
	if p.last != "" {
		limit, start = limit+1, p.last+"\x00"
	}
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if start != "" {
		query.Set("startkey", quote(start))
	}
	if p.query.Before != "" {
		query.Set("endkey", quote(p.query.Before))
		query.Set("inclusive_end", "false")
	}
	if docs {
		query.Set("include_docs", "true")
	}
	if docs && p.query.Conflicts {
		query.Set("conflicts", "true")
	}
	at := p.client.endpoint(query, p.client.opt.Database, "_all_docs")
	rows, err := p.client.rows(ctx, request{method: http.MethodGet, at: at, about: "list"}, docs)
	if err != nil {
		return nil, err
	}
	p.done = len(rows) < limit
	if len(rows) > 0 && p.last != "" && rows[0].ID == p.last {
		rows = rows[1:]
	}
	return rows, nil
}

// errUnexpected is in the chain of an error because a list does not have what was requested.
var errUnexpected = errors.New("CouchDB returned something unexpected")

// rows requests a list of documents. A row that should include its document but does not gets an error.
func (c *Client) rows(ctx context.Context, r request, docs bool) ([]Row, error) {
	var list listing
	if err := c.ask(ctx, r, &list); err != nil {
		return nil, err
	}
	if list.rows == nil {
		return nil, fault.StoreUnavailable.Errorf("%w: no rows", errUnexpected)
	}
	for i, found := range list.rows {
		if docs && found.Doc == nil && !found.Missing && !found.Deleted && found.Err == nil {
			list.rows[i].Err = fault.StoreUnavailable.Errorf("%w: the document '%s' is not included", errUnexpected, found.ID)
		}
	}
	return list.rows, nil
}

// listing is a response with rows; rows is nil if the response has no list of them.
type listing struct{ rows []Row }

// decode reads the rows one by one. Every attempt starts from scratch.
func (l *listing) decode(from *json.Decoder) error {
	l.rows = nil
	if err := expect(from, json.Delim('{')); err != nil {
		return err
	}
	for from.More() {
		key, err := from.Token()
		if err != nil {
			return err
		}
		if key == "rows" {
			err = l.decodeRows(from)
		} else {
			err = from.Decode(&json.RawMessage{})
		}
		if err != nil {
			return err
		}
	}
	return expect(from, json.Delim('}'))
}

func (l *listing) decodeRows(from *json.Decoder) error {
	if err := expect(from, json.Delim('[')); err != nil {
		return err
	}
	l.rows = []Row{}
	for from.More() {
		var row listed
		if err := from.Decode(&row); err != nil {
			return err
		}
		l.rows = append(l.rows, row.read())
	}
	return expect(from, json.Delim(']'))
}

// expect reads the next token, which must be want.
func expect(from *json.Decoder, want json.Delim) error {
	if got, err := from.Token(); err != nil || got != want {
		return errNotJSON
	}
	return nil
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
		row.Err = fault.StoreUnavailable.Errorf("CouchDB cannot read the document '%s'", row.ID)
	case l.Doc != nil && string(l.Doc) != "null":
		document, err := parseDocument(l.Doc)
		if row.Err = err; err == nil {
			row.Doc = &document
		}
	}
	return row
}

// quote encodes an id as JSON for a key in a query.
func quote(id string) string {
	quoted, _ := json.Marshal(id) // never fails for a string
	return string(quoted)
}
