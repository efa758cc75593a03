package couch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"obsidian-mcp/internal/fault"
)

// Document is a revision of a document. Deleted ones are revisions too.
type Document struct {
	ID, Rev   string
	Deleted   bool
	Conflicts []string        // the other branches' revisions, where they were asked for
	Ancestors []string        // revisions before this one, the latest first, where they were asked for
	Body      json.RawMessage // the whole document, fields of CouchDB's included
}

// GetOptions say which revision of a document, and what to tell of it.
type GetOptions struct {
	Rev       string // "" is the winner of a conflict, whom everybody sees
	Conflicts bool
	Ancestors bool
}

// Get reads one document. One that is missing or deleted is fault.NotFound;
// with a revision that is asked for, a deletion is a document like others.
func (c *Client) Get(ctx context.Context, id string, o GetOptions) (Document, error) {
	query := url.Values{}
	if o.Rev != "" {
		query.Set("rev", o.Rev)
	}
	if o.Conflicts {
		query.Set("conflicts", "true")
	}
	if o.Ancestors {
		query.Set("revs", "true")
	}
	return c.get(ctx, id, query)
}

// GetLocal reads the document "_local/" + name, which is not replicated.
func (c *Client) GetLocal(ctx context.Context, name string) (Document, error) {
	return c.get(ctx, "_local/"+name, nil)
}

// PutLocal writes the document "_local/" + name, and gives its new revision.
// The body of one that exists has its current _rev: one server checks it, and
// another does not.
func (c *Client) PutLocal(ctx context.Context, name string, body json.RawMessage) (rev string, err error) {
	parts, err := c.documentParts("_local/" + name)
	if err != nil {
		return "", err
	}
	var written struct{ Rev string }
	err = c.ask(ctx, request{method: http.MethodPut, at: c.endpoint(nil, parts...), about: "put local", body: body, writes: true, once: true}, &written)
	return written.Rev, err
}

// DeleteLocal deletes the document "_local/" + name, of which rev is the
// current revision. One that is missing is fault.NotFound.
func (c *Client) DeleteLocal(ctx context.Context, name, rev string) error {
	if rev == "" {
		return fault.InvalidArgument.Errorf("a local document is deleted by its revision")
	}
	var written struct{ Rev string }
	return c.askDocument(ctx, "_local/"+name, url.Values{"rev": {rev}}, request{method: http.MethodDelete, about: "delete local", writes: true, once: true}, &written)
}

func (c *Client) get(ctx context.Context, id string, query url.Values) (Document, error) {
	var body json.RawMessage
	if err := c.askDocument(ctx, id, query, reading, &body); err != nil {
		return Document{}, err
	}
	return parseDocument(body)
}

// reading is the request for a document.
var reading = request{method: http.MethodGet, about: "get"}

// askDocument asks for a document, or for something below or about it. CouchDB answers 404 both
// without the document and without the database, in words that differ from
// server to server: which it was, the database itself says.
func (c *Client) askDocument(ctx context.Context, id string, query url.Values, r request, answer any) error {
	parts, err := c.documentParts(id)
	if err != nil {
		return err
	}
	r.at = c.endpoint(query, parts...)
	err = c.ask(ctx, r, answer)
	if !errors.Is(err, errNoSuch) {
		return err
	}
	if _, err := c.Info(ctx); err != nil {
		return err
	}
	return fault.NotFound.Errorf("CouchDB has no document '%s'", id)
}

// parseDocument reads the fields that are CouchDB's own. A document that is no
// object or too deep is damaged.
func parseDocument(body json.RawMessage) (Document, error) {
	var head struct {
		ID        string   `json:"_id"`
		Rev       string   `json:"_rev"`
		Deleted   bool     `json:"_deleted"`
		Conflicts []string `json:"_conflicts"`
		Revisions struct {
			Start int
			IDs   []string
		} `json:"_revisions"`
	}
	if tooDeep(body) {
		return Document{}, fault.StoreUnavailable.Errorf("a document nests deeper than %d levels", maxDepth)
	}
	if err := json.Unmarshal(body, &head); err != nil || head.ID == "" {
		return Document{}, fault.StoreUnavailable.Errorf("CouchDB's answer holds no document")
	}
	document := Document{ID: head.ID, Rev: head.Rev, Deleted: head.Deleted, Conflicts: head.Conflicts, Body: body}
	for i, hash := range head.Revisions.IDs {
		if i > 0 {
			document.Ancestors = append(document.Ancestors, fmt.Sprintf("%d-%s", head.Revisions.Start-i, hash))
		}
	}
	return document, nil
}
