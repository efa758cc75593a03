package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
)

// syncCopies are the names that sync tools give to what they could not merge.
var syncCopies = regexp.MustCompile(`(?i)\.sync-conflict-\d{8}-\d{6}|conflicted copy`)

// contents is what doctor finds in the index.
type contents struct {
	notes   int
	folders int
	invalid []string // have frontmatter that is not valid YAML
	copies  []string // of sync tools
	ahead   []string // were changed in the future
	twins   map[vpath.Key][]string
}

// index builds the index, and looks at what a person should know of. It gives
// the number of folders, none where there is no index.
func (e *examination) index(ctx context.Context, a *app) (folders int) {
	started := time.Now()
	s, err := a.vault.Snapshot(ctx)
	if err != nil {
		e.failure("index", err)
		return 0
	}
	found := lookAt(s, started)
	e.ok("index: %s of %s in %v, %s", amount.Of(found.notes, "note"), amount.Of(s.Len(), "file"), time.Since(started).Round(time.Millisecond), amount.Of(len(s.Tags()), "tag"))
	e.list(found.invalid, "frontmatter that is not valid YAML, so that properties cannot be read or edited", "correct it in Obsidian's source mode")
	e.list(found.copies, "conflict copies of a sync tool", "merge them by hand and remove them")
	e.clock(found, started)
	for _, paths := range found.twins {
		if len(paths) > 1 {
			slices.Sort(paths)
			e.look("rename one of them", "twins: %s differ in case or Unicode form alone, and some systems cannot hold both", strings.Join(paths, " and "))
		}
	}
	if broken := len(s.Broken()); broken > 0 {
		e.look("obsidian-mcp call find_broken_links lists them", "links: %s to notes that do not exist", amount.Of(broken, "link"))
	} else {
		e.ok("links: none is broken")
	}
	return found.folders
}

func lookAt(s *index.Snapshot, now time.Time) contents {
	found := contents{twins: map[vpath.Key][]string{}}
	s.Folders(func(vpath.Path) bool { found.folders++; return true })
	s.Entries(func(entry *index.Entry) bool {
		if !entry.Path.IsNote() {
			return true
		}
		found.notes++
		if _, err := entry.Properties(); err != nil {
			found.invalid = append(found.invalid, string(entry.Path))
		}
		if syncCopies.MatchString(entry.Path.Base()) {
			found.copies = append(found.copies, string(entry.Path))
		}
		if entry.Modified.After(now.Add(24 * time.Hour)) {
			found.ahead = append(found.ahead, string(entry.Path))
		}
		key := entry.Path.Key()
		found.twins[key] = append(found.twins[key], string(entry.Path))
		return true
	})
	return found
}

// clock looks at this machine's clock: confirmations, tokens and the history
// depend on it. Notes from the future say that it was wrong here, or elsewhere.
func (e *examination) clock(found contents, now time.Time) {
	const todo = "set the clocks of this machine and of those that write the notes by a time server"
	if now.Year() < 2026 {
		e.look(todo, "clock: it says %s here, which is long ago", now.Format(time.DateOnly))
	}
	e.list(found.ahead, "changed in the future", todo)
}

// watchLimit is where Linux tells how many folders a user may watch.
const watchLimit = "/proc/sys/fs/inotify/max_user_watches"

// watches compares the folders of the vault with how many the system watches.
func (e *examination) watches(folders int, read func(string) ([]byte, error)) {
	content, err := read(watchLimit)
	if err != nil {
		return // another system, which has no such limit
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(content)))
	switch {
	case err != nil:
	case folders >= most:
		e.look(fmt.Sprintf("raise it: sysctl fs.inotify.max_user_watches=%d", max(2*folders, 524288)),
			"watching: the vault has %s, and the system watches %s at most, so that changes by others are looked for every two seconds instead", amount.Of(folders+1, "folder"), amount.Number(most))
	default:
		e.ok("watching: %s of at most %s", amount.Number(folders+1), amount.Of(most, "folder"))
	}
}

// list tells of notes, a few of them by name.
func (e *examination) list(paths []string, what, todo string) {
	if len(paths) > 0 {
		e.look(todo, "%s: %s: %s", amount.Of(len(paths), "note"), what, fewOf(paths))
	}
}

// fewOf names some of several things.
func fewOf(names []string) string {
	shown := names[:min(3, len(names))]
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %s more", amount.Number(more))
	}
	return text
}
