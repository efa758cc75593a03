package bench

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// OpenOurs opens the program's own engine on a vault folder, with its cache in place.Index. It returns at once;
// methods of Product wait for the index.
func OpenOurs(place Place) (Product, error) {
	store, err := folder.Open(place.Vault, folder.Options{State: filepath.Join(place.Index, "state")})
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(place.Index, "cache.idx")
	options := vault.Options{Cache: vault.Cache{File: cache, Owner: place.Vault}}
	if place.By != ByWords {
		options.Meaning = meaning.Builtin()
		if place.Model != nil {
			options.Meaning = place.Model
		}
	}
	v := vault.Open(store, slog.New(slog.DiscardHandler), options)
	_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("bench")})
	return &ours{vault: v, tools: tools, cache: cache, by: place.By}, nil
}

// ours is the program without its protocol.
type ours struct {
	vault *vault.Vault
	tools *tool.Registry
	cache string
	by    By

	parser  index.Parser
	seen    *index.Snapshot // the vault's snapshot when a note was updated in memory
	updated *index.Snapshot
}

// snapshot returns the current snapshot, including what Update changed in memory until something changes on disk.
func (o *ours) snapshot() (*index.Snapshot, error) {
	now, err := o.vault.Snapshot(context.Background())
	if err == nil && o.updated != nil && now == o.seen {
		return o.updated, nil
	}
	return now, err
}

func (o *ours) Search(asked Query, limit int) ([]Hit, error) {
	s, err := o.snapshot()
	if err != nil {
		return nil, err
	}
	q, err := search.Parse(inLanguage(asked), search.Options{})
	if err != nil {
		return nil, err
	}
	results, err := s.Search(context.Background(), index.Search{
		Query: q, Limit: limit, Meanings: o.vault.Whole().Meanings(context.Background(), s), OnlyMeaning: o.by == ByMeaning,
	})
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(results.Found))
	for i, found := range results.Found {
		hits[i] = Hit{Path: string(found.Path), Score: found.Score, Snippet: s.Passage(q, found).Snippet}
	}
	return hits, nil
}

// inLanguage writes a query in Obsidian's search language.
func inLanguage(asked Query) string {
	switch asked.Kind {
	case Any:
		return strings.Join(asked.Terms, " OR ")
	case Phrase:
		return `"` + strings.Join(asked.Terms, " ") + `"`
	}
	return strings.Join(asked.Terms, " ")
}

// Update changes a note in memory, as the watcher does after reading a file.
func (o *ours) Update(doc Doc) error {
	s, err := o.snapshot()
	if err != nil {
		return err
	}
	now, _ := o.vault.Snapshot(context.Background())
	entry := o.parser.Parse(vpath.Path(doc.Path), []byte(doc.Text)).Detach()
	o.seen, o.updated = now, s.With(index.Change{Updated: []*index.Entry{entry}})
	return nil
}

func (o *ours) Close() error { return o.vault.Close() }

func (o *ours) Ready() error {
	s, err := o.vault.Snapshot(context.Background())
	if err != nil {
		return err
	}
	for o.by != ByWords {
		if all := o.vault.Whole().Meanings(context.Background(), s); all.Covered() == all.Notes {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for {
		if _, err := os.Stat(o.cache); err == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
}

func (o *ours) Verified() error {
	_, err := o.vault.Snapshot(context.Background())
	return err
}

func (o *ours) Grep(pattern Pattern, how GrepMode) (Count, error) {
	compiled, err := regex.Compile(pattern.Expr, regex.Options{})
	if err != nil {
		return Count{}, err
	}
	if o.vault.Ready() == nil {
		return o.grepFiles(compiled)
	}
	s, err := o.snapshot()
	if err != nil {
		return Count{}, err
	}
	lines, files, err := s.GrepCount(context.Background(), index.Grep{Pattern: compiled, FullScan: how == Scan})
	return Count{Lines: lines, Files: files}, err
}

// grepFiles does what vault_search does while there is no index.
func (o *ours) grepFiles(pattern *regex.Regex) (Count, error) {
	var lines, files atomic.Int64
	all := func(vpath.Path) bool { return true }
	err := o.vault.Files(context.Background(), all, func(path vpath.Path, data []byte) {
		if found := len(index.GrepFile(pattern, path, data, math.MaxInt)); found > 0 {
			lines.Add(int64(found))
			files.Add(1)
		}
	})
	return Count{Lines: int(lines.Load()), Files: int(files.Load())}, err
}

func (o *ours) Backlinks(name string) (int, error) {
	s, err := o.snapshot()
	if err != nil {
		return 0, err
	}
	path, err := s.Find(name)
	return len(s.Sources(path)), err
}

func (o *ours) Rename(from, to string) error {
	_, err := o.call("rename_note", map[string]any{"old_name": from, "new_name": to})
	return err
}

// Gather answers a question with passages of notes.
func (o *ours) Gather(question string, budget int) (string, error) {
	answer, err := o.call("gather_context", map[string]any{"question": question, "budget": budget})
	return answer.Text, err
}

// call calls a tool.
func (o *ours) call(name string, arguments map[string]any) (tool.Answer, error) {
	called, err := o.tools.Find(name)
	if err != nil {
		return tool.Answer{}, err
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return tool.Answer{}, err
	}
	return called.Call(context.Background(), text)
}
