package vault_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/vault"
)

// openWithMeanings opens the vault with vectors; the log has everything.
func (c *cached) openWithMeanings() *vault.Vault {
	c.t.Helper()
	c.log = new(logged)
	return openFolder(c.t, c.dir, slog.New(slog.NewTextHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug})), vault.Options{Cache: c.cache, Meaning: meaning.Builtin()})
}

// covered returns how many notes have vectors, and how many there are.
func covered(t *testing.T, v *vault.View) (covered, notes int) {
	t.Helper()
	s, err := v.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := v.Meanings(t.Context(), s)
	return m.Covered(), m.Notes
}

// byMeaning returns the notes that are found by meaning alone.
func byMeaning(t *testing.T, v *vault.View, question string) []vpath.Path {
	t.Helper()
	s, err := v.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := search.Parse(question, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.Search(t.Context(), index.Search{Query: q, Limit: 3, Meanings: v.Meanings(t.Context(), s), OnlyMeaning: true})
	if err != nil {
		t.Fatal(err)
	}
	var paths []vpath.Path
	for _, found := range results.Found {
		paths = append(paths, found.Path)
	}
	return paths
}

// writeDays writes a note about folders, and notes of many lines about the weather.
func writeDays(c *cached, notes, lines int) {
	filler := strings.Repeat("The weather on the coast was mild and the ferry left at noon.\n", lines)
	for i := range notes {
		c.write(fmt.Sprintf("n/%d.md", i), fmt.Sprintf("Day %d\n\n%s", i, filler), time.Hour)
	}
	c.write("Folders.md", "To remove a directory, choose the bin.", time.Hour)
}

// changeDay changes one of the notes that writeDays wrote, and waits until it is found by its new meaning.
func changeDay(t *testing.T, c *cached, v *vault.Vault) {
	t.Helper()
	c.write("n/7.md", "Take the dog to the vet.", time.Minute)
	eventually(t, v, "a changed note that is found by its meaning", func(*index.Snapshot) bool {
		found := byMeaning(t, v.Whole(), "tierarzt für den hund")
		return len(found) > 0 && found[0] == "n/7.md"
	})
}

// The vectors of a large vault are made in the background and kept: the next start has them at once, and only what has changed
// is read again.
func TestVectorsAreKept(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	const notes = 300
	writeDays(c, notes, 30)
	v := c.openWithMeanings()
	eventually(t, v, "vectors that are saved", func(*index.Snapshot) bool {
		_, err := os.Stat(c.cache.File + ".vectors")
		return err == nil
	})
	if found := byMeaning(t, v.Whole(), "einen Ordner löschen"); len(found) == 0 || found[0] != "Folders.md" {
		t.Errorf("found %q", found)
	}
	v.Close()

	v = c.openWithMeanings()
	if have, all := covered(t, v.Whole()); have != all || all != notes+1 {
		t.Errorf("after a start %d of %d notes have vectors", have, all)
	}
	changeDay(t, c, v)
	v.Close()
	if log := c.log.String(); strings.Contains(log, "vectors saved") || strings.Contains(log, "made again") {
		t.Errorf("after a start without changes: %s", log)
	}

	for damage, change := range map[string]func([]byte) []byte{
		"a flipped bit": func(file []byte) []byte { file[len(file)/2] ^= 1; return file },
		"half a file":   func(file []byte) []byte { return file[:len(file)/2] },
		"no file":       func([]byte) []byte { return nil },
	} {
		file, err := os.ReadFile(c.cache.File + ".vectors")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.cache.File+".vectors", change(slices.Clone(file)), 0o600); err != nil {
			t.Fatal(err)
		}
		v = c.openWithMeanings()
		eventually(t, v, "vectors after "+damage, func(*index.Snapshot) bool {
			have, all := covered(t, v.Whole())
			return have == all && strings.Contains(c.log.String(), "vectors saved")
		})
		v.Close()
		if !strings.Contains(c.log.String(), "made again") {
			t.Errorf("%s is not noticed: %s", damage, c.log)
		}
	}
}

// The vectors of a vault without a cache stay in memory. They are moved out of the heap while more are made, and notes are found by
// them as before.
func TestVectorsStayInMemory(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.cache = vault.Cache{}
	const notes = 600
	writeDays(c, notes, 80)
	v := c.openWithMeanings()
	eventually(t, v, "vectors of all notes", func(*index.Snapshot) bool {
		have, all := covered(t, v.Whole())
		return have == all && all == notes+1
	})
	if found := byMeaning(t, v.Whole(), "einen Ordner löschen"); len(found) == 0 || found[0] != "Folders.md" {
		t.Errorf("found %q", found)
	}
	changeDay(t, c, v)
	v.Close()
	if saved := strings.Count(c.log.String(), "vectors saved"); saved < 2 {
		t.Errorf("vectors were moved %d times: %s", saved, c.log)
	}
}

// A small vault needs no background, one without vectors has none, and a caller with limits finds nothing of closed notes.
func TestVectorsOfSmallVaults(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("Open.md", "The ferry leaves at noon.", time.Hour)
	c.write("private/Folders.md", "To remove a directory, choose the bin.", time.Hour)
	v := c.openWithMeanings()
	if have, all := covered(t, v.Whole()); have != 2 || all != 2 {
		t.Errorf("%d of %d notes have vectors", have, all)
	}
	limited, err := scope.New(nil, []string{"private"})
	if err != nil {
		t.Fatal(err)
	}
	if have, all := covered(t, v.View(limited)); have != 1 || all != 1 {
		t.Errorf("a caller with limits sees %d of %d notes", have, all)
	}
	if found := byMeaning(t, v.View(limited), "delete a folder"); slices.Contains(found, "private/Folders.md") {
		t.Errorf("a caller with limits finds %q", found)
	}
	if found := byMeaning(t, v.Whole(), "delete a folder"); len(found) == 0 || found[0] != "private/Folders.md" {
		t.Errorf("found %q", found)
	}
	without := c.open()
	s, err := without.Snapshot(t.Context())
	if err != nil || without.Whole().Meanings(t.Context(), s) != nil {
		t.Errorf("vectors that nobody wants; %v", err)
	}
}

// distant is a model on another machine, which fails at first.
type distant struct {
	*meaning.Words
	down  atomic.Bool
	asked atomic.Int32 // texts of passages
}

func (d *distant) Traits() meaning.Traits {
	traits := d.Words.Traits()
	traits.IsRemote = true
	return traits
}

func (d *distant) Passages(ctx context.Context, passages []meaning.Passage) ([]meaning.Vector, error) {
	if d.down.Load() {
		return nil, errors.New("nobody answers")
	}
	d.asked.Add(int32(len(passages)))
	return d.Words.Passages(ctx, passages)
}

func (d *distant) Question(ctx context.Context, text string) (meaning.Vector, error) {
	if d.down.Load() {
		return nil, errors.New("nobody answers")
	}
	return d.Words.Question(ctx, text)
}

// A model on another machine that fails never keeps notes from being found by words. When it answers again, vectors are made; they
// are saved when the vault is closed, so that no text is sent twice.
func TestModelOnAnotherMachine(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("Open.md", "The ferry leaves at noon.", time.Hour)
	c.write("Folders.md", "To remove a directory, choose the bin.", time.Hour)
	c.log = new(logged)
	model := &distant{Words: meaning.Builtin()}
	model.down.Store(true)
	options := vault.Options{Cache: c.cache, Meaning: model}
	v := openFolder(t, c.dir, slog.New(slog.NewTextHandler(c.log, nil)), options)
	eventually(t, v, "a failure that is known", func(*index.Snapshot) bool { return v.MeaningFailure() != nil })
	find := func() index.Results {
		t.Helper()
		s, err := v.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		q, err := search.Parse("how to remove a directory of files", search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		results, err := s.Search(t.Context(), index.Search{Query: q, Limit: 3, Meanings: v.Whole().Meanings(t.Context(), s)})
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	if results := find(); len(results.Found) == 0 || results.Found[0].Path != "Folders.md" {
		t.Errorf("without the model: %+v", results)
	}
	model.down.Store(false)
	eventually(t, v, "vectors", func(*index.Snapshot) bool {
		have, all := covered(t, v.Whole())
		return have == all && v.Whole().MeaningFailure() == nil
	})
	if results := find(); results.ModelErr != nil || len(results.Found) == 0 {
		t.Errorf("with the model: %+v", results)
	}
	model.down.Store(true)
	if results := find(); results.ModelErr == nil || len(results.Found) == 0 || results.Found[0].Path != "Folders.md" {
		t.Errorf("when the model fails again: %+v", results)
	}
	v.Close()
	if count := strings.Count(c.log.String(), "cannot be used; notes are found by their words"); count != 1 {
		t.Errorf("the failure is logged %d times: %s", count, c.log)
	}

	model.down.Store(false)
	model.asked.Store(0)
	v = openFolder(t, c.dir, slog.New(slog.NewTextHandler(c.log, nil)), options)
	if have, all := covered(t, v.Whole()); have != all || model.asked.Load() != 0 {
		t.Errorf("after a start %d of %d notes have vectors, and %d texts were sent again", have, all, model.asked.Load())
	}
	v.Close()
}
