package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// journalListName is the name of the document that lists all journals of a database.
const journalListName = "obsidian-mcp-journals"

// journalList is the list of journals, with the time when each was added.
type journalList struct {
	Rev string           `json:"_rev,omitempty"`
	All map[string]int64 `json:"owners"`
}

func readOwners(ctx context.Context, client *couch.Client) (journalList, error) {
	list := journalList{}
	stored, err := client.GetLocal(ctx, journalListName)
	if err == nil && json.Unmarshal(stored.Body, &list) != nil {
		err = fault.StoreUnavailable.Errorf("the list of journals in the database is damaged")
	}
	if errors.Is(err, fault.NotFound) {
		err = nil
	}
	list.Rev = stored.Rev
	if list.All == nil {
		list.All = map[string]int64{}
	}
	return list, err
}

// enlist makes sure that a journal is in the list, and checks that it stays: CouchDB lets two servers overwrite each
// other's version of such a document. It removes journals that have long been unused.
func enlist(ctx context.Context, client *couch.Client, owner string, now time.Time, unused func(owner string) bool) error {
	for range 20 {
		list, err := readOwners(ctx, client)
		if err != nil {
			return err
		}
		if _, listed := list.All[owner]; listed {
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
		if _, err := client.PutLocal(ctx, journalListName, body); err != nil && !errors.Is(err, fault.Conflict) && !errors.Is(err, couch.ErrLostAnswer) {
			return err
		}
	}
	return fault.StoreUnavailable.Errorf("the list of journals keeps changing").WithHint("try again")
}
