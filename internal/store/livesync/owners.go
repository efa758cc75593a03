package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// journalList names all journals of a database.
const journalList = "obsidian-mcp-journals"

// owners is the list of journals, with the time when each was entered.
type owners struct {
	Rev string           `json:"_rev,omitempty"`
	All map[string]int64 `json:"owners"`
}

func readOwners(ctx context.Context, client *couch.Client) (owners, error) {
	list := owners{}
	there, err := client.GetLocal(ctx, journalList)
	if err == nil && json.Unmarshal(there.Body, &list) != nil {
		err = fault.StoreUnavailable.Errorf("the list of journals is damaged")
	}
	if errors.Is(err, fault.NotFound) {
		err = nil
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
func enlist(ctx context.Context, client *couch.Client, owner string, now time.Time, unused func(owner string) bool) error {
	for range 20 {
		list, err := readOwners(ctx, client)
		if err != nil {
			return err
		}
		if _, there := list.All[owner]; there {
			return nil
		}
		for other, since := range list.All {
			if now.Sub(time.UnixMilli(since)) > 24*time.Hour && unused(other) {
				delete(list.All, other)
			}
		}
		list.All[owner] = now.UnixMilli()
		body, err := json.Marshal(list)
		if err != nil {
			return fault.Internal.Errorf("the list of journals: %w", err)
		}
		if _, err := client.PutLocal(ctx, journalList, body); err != nil && !errors.Is(err, fault.Conflict) && !errors.Is(err, couch.ErrLostAnswer) {
			return err
		}
	}
	return fault.StoreUnavailable.Errorf("the list of journals is being changed all the time").WithHint("try again")
}
