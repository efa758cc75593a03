package vault_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/testkit/vaultgen"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// benchVault generates a vault of VAULT_NOTES notes, in VAULT_DIR if that is set.
func benchVault(b *testing.B) string {
	b.Helper()
	notes, _ := strconv.Atoi(os.Getenv("VAULT_NOTES"))
	if notes == 0 {
		notes = 10_000
	}
	dir := os.Getenv("VAULT_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	if _, err := os.Stat(filepath.Join(dir, "Hub.md")); err != nil {
		if err := vaultgen.Write(dir, vaultgen.Options{Notes: notes, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// BenchmarkColdStart compares building the index, with a cache as for a folder or in memory as for a LiveSync database without one, with
// only reading every file in two goroutines. Texts is the time to the first snapshot, which has no words yet.
func BenchmarkColdStart(b *testing.B) {
	dir := benchVault(b)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			readAll(b, dir)
		}
	})
	cached := func() vault.Options {
		return vault.Options{Cache: vault.Cache{File: filepath.Join(b.TempDir(), "cache.idx"), Owner: dir}}
	}
	b.Run("texts", func(b *testing.B) {
		for b.Loop() {
			coldStart(b, dir, cached(), (*vault.Vault).Texts)
		}
	})
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			coldStart(b, dir, cached(), (*vault.Vault).Snapshot)
		}
	})
	b.Run("in memory", func(b *testing.B) {
		for b.Loop() {
			coldStart(b, dir, vault.Options{}, (*vault.Vault).Snapshot)
		}
	})
}

func coldStart(
	b *testing.B, dir string, options vault.Options, wait func(*vault.Vault, context.Context) (*index.Snapshot, error),
) {
	store, err := folder.Open(dir, folder.Options{State: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	v := vault.Open(store, slog.New(slog.DiscardHandler), options)
	if _, err := wait(v, b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if _, err := v.Snapshot(b.Context()); err != nil {
		b.Fatal(err)
	}
	v.Close()
	b.StartTimer()
}

// BenchmarkWarmStart opens a vault of which nothing has changed since its index was cached, up to the first verified snapshot.
func BenchmarkWarmStart(b *testing.B) {
	dir := benchVault(b)
	options := vault.Options{Cache: vault.Cache{File: filepath.Join(b.TempDir(), "cache.idx"), Owner: dir}}
	coldStart(b, dir, options, (*vault.Vault).Snapshot)
	for b.Loop() {
		coldStart(b, dir, options, (*vault.Vault).Snapshot)
	}
}

func readAll(b *testing.B, dir string) {
	names := make(chan string, 64)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for name := range names {
				if _, err := os.ReadFile(name); err != nil {
					b.Error(err)
				}
			}
		})
	}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names <- name
		}
		return err
	})
	close(names)
	readers.Wait()
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkEdit compares recorded and unrecorded edits.
func BenchmarkEdit(b *testing.B) {
	for name, open := range map[string]func() *history.History{
		"unrecorded": func() *history.History { return nil },
		"recorded":   func() *history.History { return history.Open(history.Options{Dir: b.TempDir()}) },
	} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "A.md"), bytes.Repeat([]byte("a line of a note\n"), 240), 0o644); err != nil {
				b.Fatal(err)
			}
			s, err := folder.Open(dir, folder.Options{State: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: open()})
			defer v.Close()
			at := 0
			for b.Loop() {
				at++
				_, err := v.Edit(b.Context(), "A.md", "", func(note *md.Note) ([]md.Splice, error) {
					return []md.Splice{{Span: md.Span{End: 16}, Text: fmt.Appendf(nil, "%016d", at)}}, nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
