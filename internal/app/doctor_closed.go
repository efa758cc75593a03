package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/amount"
)

// closed tells of folders and notes that this user may not read: no search finds
// what is in them.
func (e *examination) closed(ctx context.Context, in place) {
	var mu sync.Mutex // guards folders and notes
	var folders, notes []string
	err := in.Scan(ctx, func(file store.Info) bool { return file.Path.IsNote() }, func(found store.Found) {
		if found.Err == nil || errors.Is(found.Err, fault.NotFound) { // gone meanwhile
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if found.Folder {
			folders = append(folders, string(found.Path)+"/")
		} else {
			notes = append(notes, string(found.Path))
		}
	})
	if err != nil {
		e.failure("permissions", err)
		return
	}
	var counts []string
	if len(folders) > 0 {
		counts = append(counts, amount.Of(len(folders), "folder"))
	}
	if len(notes) > 0 {
		counts = append(counts, amount.Of(len(notes), "note"))
	}
	slices.Sort(folders)
	slices.Sort(notes)
	if len(counts) > 0 {
		e.look("change their owner or mode, or run as the user who owns them",
			"permissions: %s cannot be read: %s", strings.Join(counts, " and "), fewOf(slices.Concat(folders, notes)))
	}
}
