package livesync

import (
	"sync"
	"time"

	"obsidian-mcp/internal/store/livesync/couch"
)

// justRead is how long something that was read counts as read for the edit that follows: it need not be requested again to be
// checked. CouchDB refuses an edit of anything but the current revision anyway.
const justRead = 2 * time.Second

// recentDocs are the documents of files that were read a moment ago. The zero value is empty.
type recentDocs struct {
	mu   sync.Mutex // guards byID
	byID map[string]recentDoc
}

type recentDoc struct {
	document couch.Document
	read     time.Time
}

// maxRecent is how many documents are remembered. An edit reads few.
const maxRecent = 32

// put remembers a document.
func (r *recentDocs) put(document couch.Document, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil || len(r.byID) >= maxRecent {
		r.byID = map[string]recentDoc{}
	}
	r.byID[document.ID] = recentDoc{document, now}
}

// take returns a document if this revision of it was read a moment ago, and forgets it.
func (r *recentDocs) take(id, rev string, now time.Time) (couch.Document, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.byID[id]
	delete(r.byID, id)
	return found.document, ok && found.document.Rev == rev && now.Sub(found.read) < justRead
}
