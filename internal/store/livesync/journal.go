package livesync

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// Documents that are written together are first written down in the database
// itself, in documents that CouchDB does not replicate, so that no device ever
// sees them. Each server has a journal of its own; a list names all that there
// are, so that any server can finish what another began and could not. The
// journal holds documents as they are sent: what is encrypted is encrypted
// there too.
const (
	journalList   = "obsidian-mcp-journals"
	journalPrefix = "obsidian-mcp-journal-"
)

// page is a document of a journal. The first has number 0 and is written last,
// so that a journal which is there is there whole.
type page struct {
	Rev    string       `json:"_rev,omitempty"`
	Open   bool         `json:"open"`            // there is something to finish
	Pages  int          `json:"pages,omitempty"` // how many there are
	Began  int64        `json:"began,omitempty"` // tells one use of a journal from the next
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

// pageBytes bounds a document of a journal: CouchDB takes 8 MB by default.
const pageBytes = 2 << 20

// journal is that of one server.
type journal struct {
	couch  *couch.Client
	owner  string
	began  int64
	undo   bool
	writes []*write
}

func newOwner() string {
	id := make([]byte, 8)
	rand.Read(id)
	return fmt.Sprintf("%x", id)
}

// name is the name of a page.
func (j *journal) name(page int) string {
	if page == 0 {
		return journalPrefix + j.owner
	}
	return fmt.Sprintf("%s%s-%d", journalPrefix, j.owner, page)
}

// record writes the journal down.
func (j *journal) record(ctx context.Context) error {
	number := 0
	for some := range portionsOf(j.writes, pageBytes, func(one *write) int { return len(one.body) + len(one.old) + 200 }) {
		number++
		content := page{Began: j.began}
		for _, one := range some {
			content.Writes = append(content.Writes, pagedWrite{one.id, one.base, one.old, one.body, one.last})
		}
		if err := j.put(ctx, number, content); err != nil {
			return err
		}
	}
	return j.put(ctx, 0, page{Open: true, Pages: number, Began: j.began, Undo: j.undo})
}

// put writes a page over the one that is there.
func (j *journal) put(ctx context.Context, number int, content page) error {
	for attempt := 0; ; attempt++ {
		there, err := j.couch.GetLocal(ctx, j.name(number))
		if err != nil && !errors.Is(err, fault.NotFound) {
			return err
		}
		content.Rev = there.Rev
		body, err := json.Marshal(content)
		if err != nil {
			return fault.Internal.Errorf("the journal: %w", err)
		}
		_, err = j.couch.PutLocal(ctx, j.name(number), body)
		if !errors.Is(err, fault.Conflict) || attempt == 5 {
			return err
		}
	}
}

// close says that all is done. The pages go first: they may be large.
func (j *journal) close(ctx context.Context) error {
	return j.put(ctx, 0, page{Began: j.began})
}

// readJournal reads what a server has written down; nil: nothing is open.
func readJournal(ctx context.Context, client *couch.Client, owner string) (*journal, error) {
	j := &journal{couch: client, owner: owner}
	first, err := j.get(ctx, 0)
	if err != nil || !first.Open {
		return nil, err
	}
	j.began, j.undo = first.Began, first.Undo
	for number := 1; number <= first.Pages; number++ {
		next, err := j.get(ctx, number)
		if err != nil {
			return nil, err
		}
		if next.Began != first.Began {
			return nil, nil // it is being written anew at this moment
		}
		for _, one := range next.Writes {
			j.writes = append(j.writes, &write{id: one.ID, base: one.Base, old: one.Old, body: one.New, last: one.Last})
		}
	}
	return j, nil
}

func (j *journal) get(ctx context.Context, number int) (page, error) {
	var content page
	there, err := j.couch.GetLocal(ctx, j.name(number))
	if errors.Is(err, fault.NotFound) {
		return content, nil
	}
	if err != nil {
		return content, err
	}
	if err := json.Unmarshal(there.Body, &content); err != nil {
		return content, fault.StoreUnavailable.Errorf("the journal %s is damaged: %w", j.name(number), err)
	}
	return content, nil
}

// owners is the list of journals, with the time when each was entered.
type owners struct {
	Rev string           `json:"_rev,omitempty"`
	All map[string]int64 `json:"owners"`
}

func readOwners(ctx context.Context, client *couch.Client) (owners, error) {
	list := owners{All: map[string]int64{}}
	there, err := client.GetLocal(ctx, journalList)
	if errors.Is(err, fault.NotFound) {
		return list, nil
	}
	if err == nil {
		err = json.Unmarshal(there.Body, &list)
	}
	list.Rev = there.Rev
	if list.All == nil {
		list.All = map[string]int64{}
	}
	return list, err
}

// enlist makes sure that a journal is in the list, and stays in it: CouchDB
// lets two servers write such a document over each other. Journals that have
// long been out of use are taken out.
func enlist(ctx context.Context, client *couch.Client, owner string, now time.Time, forgotten func(owner string) bool) error {
	for attempt := 0; ; attempt++ {
		list, err := readOwners(ctx, client)
		if err != nil {
			return err
		}
		if _, there := list.All[owner]; there {
			return nil
		}
		for other, since := range list.All {
			if now.Sub(time.UnixMilli(since)) > 24*time.Hour && forgotten(other) {
				delete(list.All, other)
			}
		}
		list.All[owner] = now.UnixMilli()
		body, err := json.Marshal(list)
		if err != nil {
			return err
		}
		if _, err := client.PutLocal(ctx, journalList, body); err != nil && !errors.Is(err, fault.Conflict) {
			return err
		}
		if attempt == 20 {
			return fault.StoreUnavailable.Errorf("the list of journals is being changed all the time").WithHint("try again")
		}
	}
}
