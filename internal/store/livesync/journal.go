package livesync

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// Before a change of several documents is made, it is recorded in a journal: documents in the database itself that
// CouchDB does not replicate, so that no device ever sees them. Each server has its own journal, and a list names all of
// them, so that any server can finish what another could not. A journal contains documents as they are sent, so
// encrypted documents are encrypted in the journal too.
const journalPrefix = "obsidian-mcp-journal-"

// journalPage is a document of a journal. If there is more than one, the first, number 0, is written last, so that a
// journal never appears incomplete.
type journalPage struct {
	Rev    string         `json:"_rev,omitempty"`
	Open   bool           `json:"open"`            // the change is not settled yet
	Pages  int            `json:"pages,omitempty"` // number of pages besides the first
	Began  int64          `json:"began,omitempty"` // identifies the change; below 2^53, the largest integer in JavaScript
	Undo   bool           `json:"undo,omitempty"`  // the change is being undone
	Writes []journalWrite `json:"writes,omitempty"`
}

type journalWrite struct {
	ID      string          `json:"id"`
	Base    string          `json:"base,omitempty"`
	Old     json.RawMessage `json:"old,omitempty"`
	New     json.RawMessage `json:"new"`
	Removal bool            `json:"last,omitempty"`
}

// pageBytes is the maximum size of a page.
const pageBytes = 700 << 10

// journal is a server's journal while it records one change.
type journal struct {
	couch   *couch.Client
	owner   string
	revs    map[int]string // revisions of its pages, as far as they are known
	first   journalPage    // as last written or read
	writes  []*docWrite
	undo    bool // the change is to be undone
	foreign bool // it belongs to another server, which may record its next change at any time
}

func newOwner() string {
	id := make([]byte, 8)
	rand.Read(id)
	return hex.EncodeToString(id)
}

// name returns the name of a page.
func (j *journal) name(number int) string {
	if number == 0 {
		return journalPrefix + j.owner
	}
	return journalPrefix + j.owner + "-" + strconv.Itoa(number)
}

// record writes the journal to the database.
func (j *journal) record(ctx context.Context, began int64) error {
	size := func(write journalWrite) int { return len(write.New) + len(write.Old) + 200 }
	var all []journalWrite
	for _, write := range j.writes {
		all = append(all, journalWrite{write.id, write.base, write.old, write.body, write.removal})
	}
	portions := slices.Collect(portionsOf(all, pageBytes, size))
	first := journalPage{Open: true, Began: began}
	if len(portions) == 1 {
		first.Writes = all
		return j.putFirst(ctx, first)
	}
	for i, some := range portions {
		if err := j.put(ctx, i+1, journalPage{Began: began, Writes: some}); err != nil {
			return err
		}
	}
	first.Pages = len(portions)
	return j.putFirst(ctx, first)
}

func (j *journal) putFirst(ctx context.Context, first journalPage) error {
	j.first = first
	return j.put(ctx, 0, first)
}

// maxPutAttempts is how often a page is written if the response is lost or its revision turns out to be outdated.
const maxPutAttempts = 5

// put replaces a page.
func (j *journal) put(ctx context.Context, number int, content journalPage) error {
	for attempt := 1; ; attempt++ {
		content.Rev = j.revs[number]
		body, err := json.Marshal(content)
		if err != nil {
			return fault.Internal.Errorf("the journal: %w", err)
		}
		rev, err := j.couch.PutLocal(ctx, j.name(number), body)
		if err == nil {
			j.revs[number] = rev
			return nil
		}
		conflict, lost := errors.Is(err, fault.Conflict), errors.Is(err, couch.ErrLostAnswer)
		if attempt == maxPutAttempts || conflict && j.foreign || !conflict && !lost {
			return err
		}
		if lost {
			sleep(ctx, time.Duration(attempt)*100*time.Millisecond) // a part of a cluster may not respond
		}
		if _, err := j.get(ctx, number); err != nil {
			return err
		}
	}
}

// get reads a page. A missing page is empty.
func (j *journal) get(ctx context.Context, number int) (journalPage, error) {
	stored, err := j.couch.GetLocal(ctx, j.name(number))
	if errors.Is(err, fault.NotFound) {
		delete(j.revs, number)
		return journalPage{}, nil
	}
	if err != nil {
		return journalPage{}, err
	}
	j.revs[number] = stored.Rev
	var content journalPage
	if err := json.Unmarshal(stored.Body, &content); err != nil {
		return journalPage{}, fault.StoreUnavailable.Errorf("the journal %s is damaged: %w", j.name(number), err)
	}
	return content, nil
}

// readJournal reads a server's journal. It returns nil if no change is open.
func readJournal(ctx context.Context, client *couch.Client, owner string) (*journal, error) {
	j := &journal{couch: client, owner: owner, revs: map[int]string{}, foreign: true}
	var err error
	if j.first, err = j.get(ctx, 0); err != nil || !j.first.Open {
		return nil, err
	}
	j.undo = j.first.Undo
	all := j.first.Writes
	for number := 1; number <= j.first.Pages; number++ {
		next, err := j.get(ctx, number)
		if err != nil {
			return nil, err
		}
		if next.Began != j.first.Began {
			return nil, nil // the server is recording its next change right now
		}
		all = append(all, next.Writes...)
	}
	for _, write := range all {
		j.writes = append(j.writes, &docWrite{id: write.ID, base: write.Base, old: write.Old, body: write.New, removal: write.Removal})
	}
	return j, nil
}

// journalStatus is the state of a recorded change. Its owner or another server may have settled it, and the owner may
// have recorded the next.
type journalStatus uint8

const (
	active   journalStatus = iota
	finished               // by another server
	undone                 // another server has undone it, or is undoing it
	reused                 // the owner has recorded another change: the outcome is unknown
)

// status reads the first page again, and returns the state of the change.
func (j *journal) status(ctx context.Context) (journalStatus, error) {
	now, err := j.get(ctx, 0)
	switch {
	case err != nil:
		return active, err
	case now.Began != j.first.Began:
		return reused, nil
	case now.Undo && !j.undo:
		return undone, nil
	case now.Open:
		return active, nil
	case now.Undo:
		return undone, nil
	}
	return finished, nil
}

// overtaken returns fault.Conflict if another server is settling the change.
func (j *journal) overtaken(ctx context.Context) error {
	state, err := j.status(ctx)
	if err == nil && state != active {
		err = fault.Conflict.Errorf("another server has settled the change")
	}
	return err
}

// recordUndo records that the change is being undone, so that every other server that settles it undoes it too. This
// must happen before any document is reverted.
func (j *journal) recordUndo(ctx context.Context) error {
	if j.first.Undo {
		return nil
	}
	first := j.first
	first.Undo = true
	return j.putFirst(ctx, first)
}

// close records that the change is settled, and how.
func (j *journal) close(ctx context.Context) error {
	if err := j.put(ctx, 0, journalPage{Began: j.first.Began, Undo: j.undo}); err != nil {
		return err
	}
	for number := 1; number <= j.first.Pages; number++ {
		if rev := j.revs[number]; rev != "" && j.couch.DeleteLocal(ctx, j.name(number), rev) == nil {
			delete(j.revs, number)
		}
	}
	return nil
}
