package livesync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/livesynctest"
)

// openThrough opens a store that connects through a proxy, with short pauses between attempts.
func openThrough(t testing.TB, proxy *couchtest.Proxy, database *couchtest.Database, options livesync.Options) *livesync.Store {
	t.Helper()
	options.Couch.URL, options.Couch.Sleep = proxy.URL, shortly
	return openAs(t, database, options)
}

// shortly sleeps a hundredth of the time, and at most 100 ms.
func shortly(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(d/100, 100*time.Millisecond)):
		return nil
	}
}

// device reads and writes the documents of a database as a device does, without a store or a proxy.
type device struct {
	database *couchtest.Database
	codec    *format.Codec
}

func newDevice(t testing.TB, database *couchtest.Database, pass format.Passphrase) device {
	t.Helper()
	return device{database, livesynctest.Codec(t, database, pass)}
}

// contents reads every file, including those in the trash. It fails for each file that a device could not read or that is
// in conflict.
func (d device) contents(t testing.TB) map[string]string {
	t.Helper()
	files, chunks := d.documents(t)
	all := map[string]string{}
	for _, file := range files {
		data, err := d.codec.Content(file, func(id string) (string, error) {
			if data, ok := chunks[id]; ok {
				return data, nil
			}
			return "", format.MissingChunk(id)
		})
		if err = errors.Join(err, d.codec.CheckID(file)); err != nil {
			t.Errorf("a device cannot read %s: %v", file.Path, err)
		}
		if file.Size != int64(len(data)) {
			t.Errorf("%s has %d bytes, but its document says %d", file.Path, len(data), file.Size)
		}
		if _, twice := all[file.Path]; twice || len(file.Conflicts) > 0 {
			t.Errorf("%s has two documents (%v), or conflicts %v", file.Path, twice, file.Conflicts)
		}
		all[file.Path] = string(data)
	}
	return all
}

// documents returns the documents of all existing files, and the data of all chunks.
func (d device) documents(t testing.TB) ([]*format.Meta, map[string]string) {
	t.Helper()
	status, body := d.database.Do(t, "GET", "/_all_docs?include_docs=true&conflicts=true", nil)
	var list struct {
		Rows []struct{ Doc json.RawMessage }
	}
	if err := json.Unmarshal(body, &list); err != nil || status != 200 {
		t.Fatalf("all documents: %d %v", status, err)
	}
	var files []*format.Meta
	chunks := map[string]string{}
	for _, row := range list.Rows {
		read, err := d.codec.Decode(row.Doc)
		switch {
		case err != nil:
			t.Errorf("a device cannot read the document %s: %v", read.ID, err)
		case read.Chunk != nil:
			chunks[read.ID] = read.Chunk.Data
		case read.Kind == format.Note && read.File != nil && !read.Deleted && !read.File.Deleted:
			files = append(files, read.File)
		}
	}
	return files, chunks
}

// file reads the document of a file, deleted or not, and its content. It returns nil if there is no document.
func (d device) file(t testing.TB, path string) (*format.Meta, string) {
	t.Helper()
	raw := d.get(t, d.codec.ID(path))
	if raw == nil {
		return nil, ""
	}
	read, err := d.codec.Decode(raw)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if read.File == nil || read.File.Deleted {
		return read.File, ""
	}
	data, err := d.codec.Content(read.File, func(id string) (string, error) {
		leaf := d.get(t, id)
		if leaf == nil {
			return "", format.MissingChunk(id)
		}
		read, err := d.codec.Decode(leaf)
		if err != nil {
			return "", err
		}
		return read.Chunk.Data, nil
	})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return read.File, string(data)
}

func (d device) get(t testing.TB, id string) []byte {
	t.Helper()
	status, body := d.database.Do(t, "GET", "/"+escapeID(id), nil)
	switch status {
	case 200:
		return body
	case 404:
		return nil
	}
	t.Fatalf("%s: %d %s", id, status, body)
	return nil
}

// write writes a file over the revision that was read, chunks first. It returns false on a conflict.
func (d device) write(t testing.TB, over *format.Meta, path, content string) bool {
	t.Helper()
	upload, err := d.codec.Write(over, format.Change{Path: path, Content: []byte(content), Now: time.Now().UnixMilli()})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var leaves []json.RawMessage
	for _, leaf := range upload.Leaves {
		leaves = append(leaves, leaf.Body)
	}
	if status, response := d.database.Do(t, "POST", "/_bulk_docs", map[string]any{"docs": leaves}); status != 201 {
		t.Fatalf("chunks of %s: %d %s", path, status, response)
	}
	status, response := d.database.Do(t, "PUT", "/"+escapeID(upload.File.ID), json.RawMessage(upload.Body))
	if status != 201 && status != 202 && status != 409 {
		t.Fatalf("%s: %d %s", path, status, response)
	}
	return status != 409
}

// fill writes many new files at once, and returns their revisions.
func (d device) fill(t testing.TB, files map[string]string) map[string]store.Rev {
	t.Helper()
	var documents []json.RawMessage
	paths := map[string]string{}
	for path, content := range files {
		upload, err := d.codec.Write(nil, format.Change{Path: path, Content: []byte(content), Now: time.Now().UnixMilli()})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, leaf := range upload.Leaves {
			documents = append(documents, leaf.Body)
		}
		documents = append(documents, upload.Body)
		paths[upload.File.ID] = path
	}
	status, response := d.database.Do(t, "POST", "/_bulk_docs", map[string]any{"docs": documents})
	var outcomes []struct{ ID, Rev string }
	if err := json.Unmarshal(response, &outcomes); err != nil || status != 201 {
		t.Fatalf("%d files: %d %s", len(files), status, response)
	}
	revs := map[string]store.Rev{}
	for _, outcome := range outcomes {
		if path, is := paths[outcome.ID]; is {
			revs[path] = store.Rev(outcome.Rev)
		}
	}
	return revs
}

// openJournals returns the owners of journals with an open change.
func (d device) openJournals(t testing.TB) []string {
	t.Helper()
	var list struct{ Owners map[string]int64 }
	if body := d.get(t, "_local/obsidian-mcp-journals"); body != nil && json.Unmarshal(body, &list) != nil {
		t.Fatalf("the list of journals: %s", body)
	}
	var all []string
	for owner := range list.Owners {
		var first struct{ Open bool }
		body := d.get(t, "_local/obsidian-mcp-journal-"+owner)
		if body != nil && json.Unmarshal(body, &first) != nil {
			t.Fatalf("the journal of %s: %s", owner, body)
		}
		if first.Open {
			all = append(all, owner)
		}
	}
	return all
}

// settled waits until no journal is open.
func (d device) settled(t testing.TB) {
	t.Helper()
	eventuallyNoError(t, "no journal is open", func() error {
		if open := d.openJournals(t); len(open) > 0 {
			return fmt.Errorf("open journals: %v", open)
		}
		return nil
	})
}

// startVault initializes an empty database, and writes a first note as a device does.
func startVault(t testing.TB, database *couchtest.Database, options livesync.Options) device {
	t.Helper()
	initialize(t, database, options, salt)
	d := newDevice(t, database, options.Passphrase)
	d.fill(t, map[string]string{"First.md": "first\n"})
	return d
}

// scanned returns the contents of all files according to a store.
func scanned(ctx context.Context, s *livesync.Store) (map[string]string, error) {
	var mu sync.Mutex
	all, broken := map[string]string{}, error(nil)
	err := s.Scan(ctx, func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if found.Err != nil {
			broken = fmt.Errorf("%s: %w", found.Path, found.Err)
		} else if !found.Folder {
			all[string(found.Path)] = string(found.Data)
		}
	})
	return all, errors.Join(err, broken)
}

// difference describes how two states of a vault differ; "" if they are equal.
func difference(got, want map[string]string) string {
	var text strings.Builder
	for path, content := range want {
		if is, ok := got[path]; !ok {
			fmt.Fprintf(&text, "%s is missing; ", path)
		} else if is != content {
			fmt.Fprintf(&text, "%s is %s, not %s; ", path, summary(is), summary(content))
		}
	}
	for path, content := range got {
		if _, wanted := want[path]; !wanted {
			fmt.Fprintf(&text, "%s is unexpected: %s; ", path, summary(content))
		}
	}
	return text.String()
}

// summary returns the size of a content and its end, which is the part that tests change.
func summary(content string) string {
	return fmt.Sprintf("%d bytes …%q", len(content), content[max(0, len(content)-60):])
}

// escapeID escapes an id for a URL.
func escapeID(id string) string {
	if strings.HasPrefix(id, "_local/") {
		return id
	}
	return couchtest.Escape(id)
}
