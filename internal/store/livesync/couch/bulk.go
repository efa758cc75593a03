package couch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"obsidian-mcp/internal/fault"
)

// BulkOptions configure BulkDocs.
type BulkOptions struct {
	// Repeatable says that writing the documents twice does no harm. That holds for chunks, whose id is derived from
	// their content. Such writes are retried after a lost response.
	Repeatable bool
}

// Outcome is the result of writing one document.
type Outcome struct {
	ID  string
	Rev string // the new revision, if the document was written
	// Accepted says that fewer nodes of a cluster than wanted have written the document. Another write of the same base may
	// have been confirmed elsewhere.
	Accepted bool
	// Err is nil if the document was written, fault.Conflict if its base is not the current revision,
	// fault.PermissionDenied if the account may not write it, or an error of another kind.
	Err error
}

// BulkDocs writes documents in one request, each independently: some may be written and others not. It returns one
// outcome per document, in order. After an error nothing was written, unless it is ErrLostAnswer.
func (c *Client) BulkDocs(ctx context.Context, documents []json.RawMessage, o BulkOptions) ([]Outcome, error) {
	outcomes := make([]Outcome, len(documents))
	for i, document := range documents {
		parsed, err := parseDocument(document)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("document %d of those to write: %w", i, err)
		}
		outcomes[i] = Outcome{ID: parsed.ID}
	}
	body, err := encode(map[string][]json.RawMessage{"docs": documents})
	if err != nil {
		return nil, err
	}
	var written []result
	if err := c.ask(ctx, request{
		method: http.MethodPost, at: c.endpoint(nil, c.opt.Database, "_bulk_docs"), about: "write",
		body: body, writes: true, once: !o.Repeatable,
	}, &written); err != nil {
		return nil, err
	}
	return outcomes, c.fill(outcomes, written)
}

// result is an outcome as CouchDB writes it.
type result struct {
	ID, Rev, Error, Reason string
	Accepted               bool
}

// fill completes the outcomes. CouchDB returns results in the order of the request; otherwise it would be unclear which
// document was written.
func (c *Client) fill(outcomes []Outcome, written []result) error {
	if len(written) != len(outcomes) {
		return lost("CouchDB reported on %d of %d documents", len(written), len(outcomes))
	}
	for i, result := range written {
		if result.ID != outcomes[i].ID {
			return lost("CouchDB reported on documents that were not written")
		}
		outcomes[i].Rev, outcomes[i].Accepted, outcomes[i].Err = result.Rev, result.Accepted, c.outcome(result)
		if outcomes[i].Err == nil && result.Rev == "" {
			return lost("CouchDB did not report whether it wrote a document")
		}
	}
	return nil
}

// outcome returns the error for one document. It looks at CouchDB's error code, which is the same on every server; the
// reason is not.
func (c *Client) outcome(r result) error {
	switch r.Error {
	case "":
		return nil
	case "conflict":
		return fault.Conflict.Errorf("the document '%s' has changed in the meantime", r.ID)
	case "forbidden":
		return fault.PermissionDenied.Errorf("CouchDB does not let '%s' write '%s' (%s)", c.opt.User, r.ID, c.scrub(r.Reason))
	case "unauthorized":
		return c.forbidden(true)
	case "too_large", "document_too_large", "request_entity_too_large":
		return fault.InvalidArgument.Errorf("the document '%s' is too large for CouchDB", r.ID)
	}
	return fault.StoreUnavailable.Errorf("CouchDB did not write '%s' (%s)", r.ID, c.scrub(r.Error+": "+r.Reason))
}

func lost(format string, args ...any) error {
	return &fault.Error{Kind: fault.StoreUnavailable, Message: fmt.Sprintf(format, args...), Err: ErrLostAnswer}
}

// encode marshals JSON without escaping < and &.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fault.InvalidArgument.Errorf("the request to CouchDB is not valid JSON: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
