package couch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"obsidian-mcp/internal/fault"
)

// BulkOptions say how documents are written.
type BulkOptions struct {
	// Repeatable says that writing the documents twice does no harm, as with
	// chunks, whose id is their content: the second time finds them there. They
	// are then written again after a lost answer.
	Repeatable bool
}

// Outcome is what became of one document.
type Outcome struct {
	ID  string
	Rev string // the new revision, if it was written
	// Err is nil if it was written, fault.Conflict if the document has another
	// revision than the one written over, fault.PermissionDenied if the account
	// may not, and of another kind for any other reason.
	Err error
}

// BulkDocs writes documents in one request, each for itself: some may be
// written and others not. There is one outcome for each, in their order. An
// error means that nothing was written, unless it is ErrLostAnswer.
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
		method: http.MethodPost, at: c.endpoint(nil, c.opt.Database, "_bulk_docs"), about: "write", body: body, writes: true, once: !o.Repeatable,
	}, &written); err != nil {
		return nil, err
	}
	return outcomes, c.fill(outcomes, written)
}

// result is an outcome as CouchDB writes it.
type result struct{ ID, Rev, Error, Reason string }

// fill completes the outcomes. CouchDB gives them in the order of the request;
// if it did not, nobody could say which document was written.
func (c *Client) fill(outcomes []Outcome, written []result) error {
	if len(written) != len(outcomes) {
		return lost("CouchDB answered for %d of %d documents", len(written), len(outcomes))
	}
	for i, result := range written {
		if result.ID != outcomes[i].ID {
			return lost("CouchDB answered for other documents than those written")
		}
		outcomes[i].Rev, outcomes[i].Err = result.Rev, c.outcome(result)
		if outcomes[i].Err == nil && result.Rev == "" {
			return lost("CouchDB did not say what became of a document")
		}
	}
	return nil
}

// outcome is the fault for what became of one document. The words of
// CouchDB's code are the same everywhere, those of its reason are not.
func (c *Client) outcome(r result) error {
	switch r.Error {
	case "":
		return nil
	case "conflict":
		return fault.Conflict.Errorf("the document '%s' has changed meanwhile", r.ID)
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

// encode writes JSON as it is stored: < and & stay what they are.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fault.InvalidArgument.Errorf("what is to be sent to CouchDB is no JSON: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
