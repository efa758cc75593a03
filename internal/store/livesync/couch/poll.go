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

// chunkPrefix begins the id of every chunk. Chunks come with the note that
// names them, and would be most of the feed.
const chunkPrefix = "h:"

// withoutChunks selects by id, not by type: in CouchDB a condition on a field
// does not match a document without it, as the rest of a deletion is.
const withoutChunks = `{"selector":{"$nor":[{"_id":{"$regex":"^h:"}}]}}`

// changed is a change as CouchDB writes it.
type changed struct {
	ID      string
	Deleted bool
	Changes []struct{ Rev string }
	Doc     json.RawMessage
}

// poll waits for changes and hands them over. A poll that ends for want of any
// is no failure, but a reason to look whether the database is still there.
func (f *follower) poll(ctx context.Context) error {
	rows, last, failed := f.changes(ctx)
	switch {
	case failed == nil && last.behind(f.at.Seq):
		f.at = Position{} // the changes of another incarnation
		return fault.StoreUnavailable.Errorf("CouchDB's changes begin anew")
	case failed == nil:
		return f.report(ctx, rows, last)
	case errors.Is(failed.err, errQuiet):
		f.checked = false
		return nil
	case f.selects && isTooLarge(failed.err):
		f.selects = false // to get ids, and then documents in small portions
		return nil
	case f.selects && failed.status >= 400 && failed.status < 500 && !errors.Is(failed.err, fault.PermissionDenied):
		f.selects, f.checked = false, false // the server knows no selector, or the database is gone
		return nil
	case failed.status == http.StatusBadRequest:
		f.at = Position{} // which the server does not understand
	}
	return failed.err
}

// changes is one long poll. It ends by itself when something has changed; some
// servers know no other end, so we have our own.
func (f *follower) changes(ctx context.Context) ([]changed, Seq, *failure) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.Poll, errQuiet)
	defer cancel()
	query := url.Values{
		"feed": {"longpoll"}, "since": {string(f.at.Seq)}, "style": {"all_docs"}, "limit": {strconv.Itoa(f.Limit)},
		"heartbeat": {strconv.FormatInt(max(f.Heartbeat.Milliseconds(), 1), 10)},
	}
	r := request{method: http.MethodGet, about: "changes", live: true}
	if f.selects {
		r.method, r.body = http.MethodPost, []byte(withoutChunks)
		query.Set("filter", "_selector")
		query.Set("include_docs", "true")
		query.Set("conflicts", "true")
	}
	r.at = f.endpoint(query, f.opt.Database, "_changes")
	var answer struct {
		Results []changed
		Last    Seq `json:"last_seq"`
	}
	failed := f.exchange(ctx, r, min(f.opt.Timeout, 3*f.Heartbeat), &answer)
	if failed == nil && (answer.Results == nil || answer.Last == "") {
		failed = &failure{err: fault.StoreUnavailable.Errorf("CouchDB's answer holds no changes")}
	}
	return answer.Results, answer.Last, failed
}

// report hands over the changes of a poll.
func (f *follower) report(ctx context.Context, rows []changed, last Seq) error {
	if len(rows) == 0 {
		// Some servers end a poll like this after a while, and a broken one might
		// at once.
		f.checked = false
		return f.opt.Sleep(ctx, 500*time.Millisecond)
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

// patience is how often a document that cannot be had is asked for before the
// feed goes on without it.
const patience = 4

// tried counts the attempts to get documents, and gives the reason to try
// again.
func (f *follower) tried(rows []Row) error {
	var reason error
	for _, row := range rows {
		if row.Err == nil {
			continue
		}
		if f.attempts[row.ID]++; f.attempts[row.ID] < patience {
			reason = row.Err
		}
	}
	return reason
}

// complete adds the documents, where the feed came without. What was deleted
// since is a deletion, and what CouchDB does not know is an error: it has just
// told of it.
func (f *follower) complete(ctx context.Context, changes []Change) error {
	var ids []string
	for _, change := range changes {
		if !change.Deleted {
			ids = append(ids, change.ID)
		}
	}
	rows, err := f.Fetch(ctx, ids)
	if err == nil {
		err = f.tried(rows)
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
			changes[i].Err = fault.StoreUnavailable.Errorf("CouchDB lacks the document '%s' that it told of", row.ID)
		}
	}
	return nil
}
