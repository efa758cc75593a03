package doctor

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/vault"
)

// syncCopies matches the names that sync tools give to versions they could not merge.
var syncCopies = regexp.MustCompile(`(?i)\.sync-conflict-\d{8}-\d{6}|conflicted copy`)

// contents is what doctor finds in the index.
type contents struct {
	notes   int
	folders int
	invalid []string // notes whose frontmatter is not valid YAML
	copies  []string // conflict copies of sync tools
	ahead   []string // notes whose time of change is in the future
	twins   map[vpath.Key][]string
}

// index builds the index and looks for problems in the notes. It returns the number of folders, 0 if the index
// cannot be built.
func (r *Report) index(ctx context.Context, notes *vault.Vault) (folders int) {
	started := time.Now()
	snapshot, err := notes.Snapshot(ctx)
	if err != nil {
		r.Failure("index", err)
		return 0
	}
	found := examine(snapshot, started)
	r.ok("index: %s of %s in %v, %s", amount.Of(found.notes, "note"), amount.Of(snapshot.Len(), "file"),
		time.Since(started).Round(time.Millisecond), amount.Of(len(snapshot.Tags()), "tag"))
	r.list(found.invalid, "frontmatter that is not valid YAML, so properties cannot be read or edited",
		"correct it in Obsidian's source mode")
	r.list(found.copies, "conflict copies of a sync tool", "merge them by hand and remove them")
	r.clock(found, started)
	for _, paths := range found.twins {
		if len(paths) > 1 {
			slices.Sort(paths)
			r.look("rename one of them",
				"twins: %s differ only in case or Unicode form; some systems cannot hold both", strings.Join(paths, " and "))
		}
	}
	if broken := len(snapshot.Broken()); broken > 0 {
		r.look("obsidian-mcp call find_broken_links lists them",
			"links: %s to notes that do not exist", amount.Of(broken, "link"))
	} else {
		r.ok("links: no link is broken")
	}
	return found.folders
}

func examine(snapshot *index.Snapshot, now time.Time) contents {
	found := contents{twins: map[vpath.Key][]string{}}
	snapshot.Folders(func(vpath.Path) bool { found.folders++; return true })
	snapshot.Entries(func(entry *index.Entry) bool {
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

// clock looks at this machine's clock: confirmations, tokens and the history depend on it. Notes from the future mean
// that a clock was wrong, here or on another device.
func (r *Report) clock(found contents, now time.Time) {
	const remedy = "set the clocks of this machine and of the devices that write the notes from a time server"
	if now.Year() < 2026 {
		r.look(remedy, "clock: this machine says %s, which is long ago", now.Format(time.DateOnly))
	}
	r.list(found.ahead, "changed in the future", remedy)
}
