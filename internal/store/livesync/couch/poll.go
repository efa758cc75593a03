package couch

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
)

// chunkPrefix starts the id of every chunk. Chunks arrive with the note that names them, and would be most of the feed.
const chunkPrefix = "h:"

// withoutChunks selects by id, not by type: in CouchDB a condition on a field never matches a document without that
// field, and a deletion has none.
const withoutChunks = `{"selector":{"$nor":[{"_id":{"$regex":"^h:"}}]}}`

// changed is a change in CouchDB's JSON.
type changed struct {
	ID      string
	Deleted bool
	Changes []struct{ Rev string }
	Doc     json.RawMessage
}

// poll waits for changes and delivers them. A poll without changes is not a failure, but a reason to check that the
// database still exists.
func (f *follower) poll(ctx context.Context) error {
	rows, last, failed := f.changes(ctx)
	switch {
	case failed == nil && !f.client.Clustered() && last.behind(f.at.Seq):
		f.at = Position{} // the changes belong to another incarnation
		return fault.StoreUnavailable.Errorf("CouchDB's changes started over")
	case failed == nil:
		return f.report(ctx, rows, last)
	case errors.Is(failed.err, errQuiet):
		f.checked = false
		return nil
	case f.selects && isTooLarge(failed.err):
		f.selects = false // request ids, then documents in small portions
		return nil
	case f.selects && failed.status >= 400 && failed.status < 500 && !errors.Is(failed.err, fault.PermissionDenied):
		f.selects, f.checked = false, false // the server does not support selectors, or the database is gone
		return nil
	case failed.status == http.StatusBadRequest:
		f.at = Position{} // the server does not understand it
	}
	return failed.err
}

// changes makes one long poll. The server ends it when something has changed; some servers never end it otherwise, so it
// has a timeout of our own.
func (f *follower) changes(ctx context.Context) ([]changed, Seq, *failure) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.opt.Poll, errQuiet)
	defer cancel()
	query := url.Values{
		"feed": {"longpoll"}, "since": {string(f.at.Seq)}, "style": {"all_docs"}, "limit": {strconv.Itoa(f.opt.Limit)},
		"heartbeat": {strconv.FormatInt(max(f.opt.Heartbeat.Milliseconds(), 1), 10)},
	}
	r := request{method: http.MethodGet, about: "changes", live: true}
	if f.selects {
		r.method, r.body = http.MethodPost, []byte(withoutChunks)
		query.Set("filter", "_selector")
		query.Set("include_docs", "true")
		query.Set("conflicts", "true")
	}
	r.at = f.client.endpoint(query, f.client.opt.Database, "_changes")
	var answer struct {
		Results []changed
		Last    Seq `json:"last_seq"`
	}
	failed := f.client.exchange(ctx, r, min(f.client.opt.Timeout, 3*f.opt.Heartbeat), &answer)
	if failed == nil && (answer.Results == nil || answer.Last == "") {
		failed = &failure{err: fault.StoreUnavailable.Errorf("the response from CouchDB contains no changes")}
	}
	return answer.Results, answer.Last, failed
}

// report delivers the changes of a poll.
func (f *follower) report(ctx context.Context, rows []changed, last Seq) error {
	if len(rows) == 0 {
		// Some servers end a poll without changes after a while; a broken one might do so at once.
		f.checked = false
		return f.client.opt.Sleep(ctx, 500*time.Millisecond)
	}
	rows = slices.DeleteFunc(rows, func(row changed) bool { return strings.HasPrefix(row.ID, chunkPrefix) })
	at := Position{f.at.Instance, last}
	if len(rows) == 0 {
		f.at = at
		return nil
	}
	changes := make([]Change, len(rows))
	for i, row := range rows {
		changes[i] = row.read()
	}
	if !f.selects {
		if err := f.complete(ctx, changes); err != nil {
			return err
		}
	}
	return f.deliver(Batch{Changes: changes, At: at})
}

func (row changed) read() Change {
	change := Change{ID: row.ID, Deleted: row.Deleted}
	for _, branch := range row.Changes {
		change.Revs = append(change.Revs, branch.Rev)
	}
	if row.Deleted || row.Doc == nil {
		return change
	}
	document, err := parseDocument(row.Doc)
	if change.Err = err; err == nil {
		change.Doc = &document
	}
	return change
}

// readAttempts is how often an unreadable document is requested before the feed continues without it.
const readAttempts = 4

// countAttempts counts failed attempts to read documents. It returns an error if they should be requested again.
func (f *follower) countAttempts(rows []Row) error {
	var reason error
	for _, row := range rows {
		if row.Err == nil {
			continue
		}
		if f.attempts[row.ID]++; f.attempts[row.ID] < readAttempts {
			reason = row.Err
		}
	}
	return reason
}

// complete adds the documents if the feed did not include them. A document that was deleted since becomes a deletion; a
// document that CouchDB does not have is an error, because it has just announced it.
func (f *follower) complete(ctx context.Context, changes []Change) error {
	var ids []string
	for _, change := range changes {
		if !change.Deleted {
			ids = append(ids, change.ID)
		}
	}
	rows, err := f.client.Fetch(ctx, ids)
	if err == nil {
		err = f.countAttempts(rows)
	}
	if err != nil {
		return err
	}
	for i := range changes {
		if changes[i].Deleted {
			continue
		}
		row := rows[0]
		rows = rows[1:]
		changes[i].Doc, changes[i].Deleted, changes[i].Err = row.Doc, row.Deleted, row.Err
		if row.Missing {
			changes[i].Err = fault.StoreUnavailable.Errorf("CouchDB announced the document '%s' but does not have it", row.ID)
		}
	}
	return nil
}
