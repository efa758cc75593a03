package couch

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
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
	var list listing
	if err := c.ask(ctx, r, &list); err != nil {
		return nil, err
	}
	if list.rows == nil {
		return nil, fault.StoreUnavailable.Errorf("CouchDB's answer holds no rows")
	}
	for i, found := range list.rows {
		if docs && found.Doc == nil && !found.Missing && !found.Deleted && found.Err == nil {
			list.rows[i].Err = fault.StoreUnavailable.Errorf("CouchDB's answer lacks the document '%s'", found.ID)
		}
	}
	return list.rows, nil
}

// listing is an answer with rows; nil, if it has no list of them.
type listing struct{ rows []Row }

// decode reads the rows one by one. It begins anew with each attempt.
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

// expect reads the next token, which must be this one.
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
