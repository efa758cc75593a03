package livesync

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// Documents that are written together are first written down in the database
// itself, in documents that CouchDB does not replicate, so that no device ever
// sees them. Each server has a journal of its own; a list names all that there
// are, so that any server can finish what another began and could not. The
// journal holds documents as they are sent: what is encrypted is encrypted
// there too.
const journalPrefix = "obsidian-mcp-journal-"

// page is a document of a journal. The first has number 0; if there are more,
// it is written last, so that a journal which is there is there whole.
type page struct {
	Rev    string       `json:"_rev,omitempty"`
	Open   bool         `json:"open"`            // there is something to finish
	Pages  int          `json:"pages,omitempty"` // how many there are beside the first
	Began  int64        `json:"began,omitempty"` // tells one use of a journal from the next; below 2^53, which is as far as JavaScript counts
	Undo   bool         `json:"undo,omitempty"`  // it is to be taken back
	Writes []pagedWrite `json:"writes,omitempty"`
}

type pagedWrite struct {
	ID   string          `json:"id"`
	Base string          `json:"base,omitempty"`
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new"`
	Last bool            `json:"last,omitempty"`
}

// pageBytes bounds a document of a journal, as uploadBytes does a request.
const pageBytes = 700 << 10

// journal is one use of a server's journal.
type journal struct {
	couch  *couch.Client
	owner  string
	revs   map[int]string // of its pages, as far as they are known
	first  page           // as it was written or read last
	writes []*write
	undo   bool // it is to be taken back
	others bool // it is another server's, who may begin the next use at any time
}

func newOwner() string {
	id := make([]byte, 8)
	rand.Read(id)
	return hex.EncodeToString(id)
}

// name is the name of a page.
func (j *journal) name(number int) string {
	if number == 0 {
		return journalPrefix + j.owner
	}
	return journalPrefix + j.owner + "-" + strconv.Itoa(number)
}

// record writes the journal down.
func (j *journal) record(ctx context.Context, began int64) error {
	size := func(one pagedWrite) int { return len(one.New) + len(one.Old) + 200 }
	var all []pagedWrite
	for _, one := range j.writes {
		all = append(all, pagedWrite{one.id, one.base, one.old, one.body, one.last})
	}
	portions := slices.Collect(portionsOf(all, pageBytes, size))
	first := page{Open: true, Began: began}
	if len(portions) == 1 {
		first.Writes = all
		return j.putFirst(ctx, first)
	}
	for i, some := range portions {
		if err := j.put(ctx, i+1, page{Began: began, Writes: some}); err != nil {
			return err
		}
	}
	first.Pages = len(portions)
	return j.putFirst(ctx, first)
}

func (j *journal) putFirst(ctx context.Context, first page) error {
	j.first = first
	return j.put(ctx, 0, first)
}

// puttings is how often a page is written whose answer is lost, or that has
// another revision than was thought.
const puttings = 5

// put writes a page over the one that is there.
func (j *journal) put(ctx context.Context, number int, content page) error {
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
		if attempt == puttings || j.others && errors.Is(err, fault.Conflict) || !errors.Is(err, fault.Conflict) && !errors.Is(err, couch.ErrLostAnswer) {
			return err
		}
		if _, err := j.get(ctx, number); err != nil {
			return err
		}
	}
}

// get reads a page; one that is absent is empty.
func (j *journal) get(ctx context.Context, number int) (page, error) {
	there, err := j.couch.GetLocal(ctx, j.name(number))
	if errors.Is(err, fault.NotFound) {
		delete(j.revs, number)
		return page{}, nil
	}
	if err != nil {
		return page{}, err
	}
	j.revs[number] = there.Rev
	var content page
	if err := json.Unmarshal(there.Body, &content); err != nil {
		return page{}, fault.StoreUnavailable.Errorf("the journal %s is damaged: %w", j.name(number), err)
	}
	return content, nil
}

// readJournal reads what a server has written down; nil: nothing is open.
func readJournal(ctx context.Context, client *couch.Client, owner string) (*journal, error) {
	j := &journal{couch: client, owner: owner, revs: map[int]string{}, others: true}
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
			return nil, nil // it is being written anew at this moment
		}
		all = append(all, next.Writes...)
	}
	for _, one := range all {
		j.writes = append(j.writes, &write{id: one.ID, base: one.Base, old: one.Old, body: one.New, last: one.Last})
	}
	return j, nil
}

// use is what has become of one use of a journal: its owner, or another server,
// may have dealt with it, and even begun the next.
type use uint8

const (
	inUse    use = iota
	finished     // by somebody else
	undone       // by somebody else, or somebody is at it
	replaced     // nobody knows any more
)

// look reads the first page again, and tells what has become of this use.
func (j *journal) look(ctx context.Context) (use, error) {
	now, err := j.get(ctx, 0)
	switch {
	case err != nil:
		return inUse, err
	case now.Began != j.first.Began:
		return replaced, nil
	case now.Undo && !j.undo:
		return undone, nil
	case now.Open:
		return inUse, nil
	case now.Undo:
		return undone, nil
	}
	return finished, nil
}

// overtaken is a Conflict if somebody else deals with this use of the journal.
func (j *journal) overtaken(ctx context.Context) error {
	state, err := j.look(ctx)
	if err == nil && state != inUse {
		err = fault.Conflict.Errorf("another server has dealt with the change")
	}
	return err
}

// recordUndo writes down that the change is to be taken back. Whoever else is
// at it then does the same, so it comes before any document is taken back.
func (j *journal) recordUndo(ctx context.Context) error {
	if j.first.Undo {
		return nil
	}
	first := j.first
	first.Undo = true
	return j.putFirst(ctx, first)
}

// close says that all is done, and how.
func (j *journal) close(ctx context.Context) error {
	if err := j.put(ctx, 0, page{Began: j.first.Began, Undo: j.undo}); err != nil {
		return err
	}
	for number := 1; number <= j.first.Pages; number++ {
		if rev := j.revs[number]; rev != "" && j.couch.DeleteLocal(ctx, j.name(number), rev) == nil {
			delete(j.revs, number)
		}
	}
	return nil
}
