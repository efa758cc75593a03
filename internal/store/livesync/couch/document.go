package couch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/fault"
)

// Document is a revision of a document. A deletion is a revision too.
type Document struct {
	ID, Rev   string
	Deleted   bool
	Conflicts []string        // revisions of the other branches, if requested
	Ancestors []string        // earlier revisions, the latest first, if requested
	Body      json.RawMessage // the whole document, including CouchDB's own fields
}

// GetOptions select a revision of a document and what to return besides its body.
type GetOptions struct {
	Rev       string // default the winning revision
	Conflicts bool
	Ancestors bool
}

// Get reads one document. It returns fault.NotFound if the document is missing or deleted; with Rev set, a deletion is a
// document like any other.
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

// GetLocal reads the document "_local/" + name. CouchDB does not replicate such documents.
func (c *Client) GetLocal(ctx context.Context, name string) (Document, error) {
	return c.get(ctx, "_local/"+name, nil)
}

// GetLocals reads several local documents; one that is missing has no body. It is one request, unless the database is a cluster,
// where a list shows one node's copies, or something before the server does not let such a list pass.
func (c *Client) GetLocals(ctx context.Context, names ...string) ([]Document, error) {
	if !c.Clustered() && !c.noLocalLists.Load() {
		documents, err := c.listLocals(ctx, names)
		if err == nil || !isUnsupported(err) {
			return documents, err
		}
	}
	documents := make([]Document, len(names))
	group, ctx := errgroup.WithContext(ctx)
	for i, name := range names {
		group.Go(func() (err error) {
			documents[i], err = c.GetLocal(ctx, name)
			if errors.Is(err, fault.NotFound) {
				err = nil
			}
			return err
		})
	}
	err := group.Wait()
	if err == nil && !c.Clustered() {
		c.noLocalLists.Store(true)
	}
	return documents, err
}

// isUnsupported reports whether a server, or something before it, may refuse only this kind of request.
func isUnsupported(err error) bool {
	if errors.Is(err, ErrNotCouchDB) || errors.Is(err, errUnexpected) {
		return true
	}
	return !errors.Is(err, ErrLogin) && fault.KindOf(err) != fault.StoreUnavailable
}

func (c *Client) listLocals(ctx context.Context, names []string) ([]Document, error) {
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = "_local/" + name
	}
	rows, err := c.named(ctx, "_local_docs", ids, url.Values{"include_docs": {"true"}})
	if err != nil {
		return nil, err
	}
	documents := make([]Document, len(rows))
	for i, row := range rows {
		switch {
		case row.Err != nil:
			return nil, row.Err
		case row.Doc != nil:
			documents[i] = *row.Doc
		}
	}
	return documents, nil
}

// PutLocal writes the document "_local/" + name, and returns its new revision. To replace a document, the body must have
// its current _rev; CouchDB does not check it. If fewer nodes of a cluster than wanted have written it, the error is
// ErrLostAnswer, because other nodes may answer with the previous document.
func (c *Client) PutLocal(ctx context.Context, name string, body json.RawMessage) (rev string, err error) {
	parts, err := c.documentParts("_local/" + name)
	if err != nil {
		return "", err
	}
	var written struct{ Rev string }
	var accepted bool
	err = c.ask(ctx, request{
		method: http.MethodPut, at: c.endpoint(nil, parts...), about: "put local", body: body, writes: true, once: true, accepted: &accepted,
	}, &written)
	if err == nil && accepted {
		err = lost("too few nodes of the cluster have written a document")
	}
	return written.Rev, err
}

// DeleteLocal deletes the document "_local/" + name, whose current revision is rev. It returns fault.NotFound if the
// document is missing.
func (c *Client) DeleteLocal(ctx context.Context, name, rev string) error {
	if rev == "" {
		return fault.InvalidArgument.Errorf("deleting a local document needs its revision")
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

// askDocument sends a request about a document. CouchDB responds 404 if either the document or the database is missing,
// with texts that differ between servers, so a second request finds out which it was.
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

// parseDocument reads CouchDB's own fields. It returns an error for a document that is not an object or nests too deep.
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
		return Document{}, fault.StoreUnavailable.Errorf("the response from CouchDB contains no document")
	}
	document := Document{ID: head.ID, Rev: head.Rev, Deleted: head.Deleted, Conflicts: head.Conflicts, Body: body}
	for i, hash := range head.Revisions.IDs {
		if i > 0 {
			document.Ancestors = append(document.Ancestors, fmt.Sprintf("%d-%s", head.Revisions.Start-i, hash))
		}
	}
	return document, nil
}
