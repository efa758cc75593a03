package cache_test

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/cache"
)

func TestRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "deep", "vault.sealed")
	c := open(t, options(name))
	hasNot(t, c, notes...)
	put(c, notes...)
	has(t, c, notes...)
	hasNot(t, c, note{id: "folder/plain note.md", rev: "3-aaaa"}, note{id: "folder/plain note.md\x001-aaaa"})
	save(t, c, notes...)
	has(t, c, notes...)
	if left := deltas(t, name); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{name: 0o600, filepath.Dir(name): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}

	later := open(t, options(name))
	has(t, later, notes...)
	put(later, notes...)
	if left := deltas(t, name); len(left) > 0 {
		t.Errorf("known contents were added again: %v", left)
	}
}

// TestRealKeyDerivation uses the slow derivation that other tests avoid.
func TestRealKeyDerivation(t *testing.T) {
	name := filepath.Join(t.TempDir(), "vault.sealed")
	for range 2 {
		c, err := cache.Open(options(name))
		if err != nil {
			t.Fatal(err)
		}
		put(c, notes...)
		has(t, c, notes...)
		save(t, c, notes...)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	hasNot(t, open(t, options(name)), notes...) // open derives another key
}

func TestIncompleteOptionsAreRefused(t *testing.T) {
	for _, o := range []cache.Options{{Secret: "s"}, {File: filepath.Join(t.TempDir(), "f")}} {
		if _, err := cache.Open(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestForeignFileIsReplaced: a file that does not belong to this cache is reported in the log, ignored, and replaced.
func TestForeignFileIsReplaced(t *testing.T) {
	cases := map[string]func(o *cache.Options, data []byte) []byte{
		"another secret":     func(o *cache.Options, data []byte) []byte { o.Secret = "wrong horse"; return data },
		"another owner":      func(o *cache.Options, data []byte) []byte { o.Owner += "2"; return data },
		"an earlier version": func(o *cache.Options, data []byte) []byte { data[8]--; return data },
		"another file":       func(o *cache.Options, data []byte) []byte { return []byte("# not a cache") },
		"an empty file":      func(o *cache.Options, data []byte) []byte { return nil },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			name, data := written(t, notes...)
			var logged bytes.Buffer
			o := options(name)
			o.Log = slog.New(slog.NewTextHandler(&logged, nil))
			if err := os.WriteFile(name, change(&o, data), 0o600); err != nil {
				t.Fatal(err)
			}
			c := open(t, o)
			hasNot(t, c, notes...)
			if !strings.Contains(logged.String(), "level=INFO") || strings.Contains(logged.String(), "horse") {
				t.Errorf("the log says %q", logged.String())
			}
			save(t, c) // no contents are current, but the file must be replaced
			if info, err := os.Stat(name); err != nil || int(info.Size()) != cache.HeaderSize {
				t.Errorf("not replaced: %v, %v", info, err)
			}
			put(c, notes[0])
			save(t, c, notes[0])
			has(t, open(t, o), notes[0])
		})
	}
}

// TestUnusablePath: if the file cannot be opened, the cache has no effect. If only saving fails, it works until it is
// closed.
func TestUnusablePath(t *testing.T) {
	inTheWay := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	o := options(filepath.Join(inTheWay, "vault.sealed"))
	o.Log = slog.New(slog.NewTextHandler(&logged, nil))
	c := open(t, o)
	put(c, notes...)
	hasNot(t, c, notes...)
	if err := c.Save(revisions(notes...)); err == nil {
		t.Error("Save succeeds although the folder cannot be created")
	}
	if strings.Count(logged.String(), "level=WARN") != 1 {
		t.Errorf("the log says %q", logged.String())
	}

	folder := filepath.Join(t.TempDir(), "vault.sealed")
	if err := os.MkdirAll(filepath.Join(folder, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	c = open(t, options(folder))
	put(c, notes...)
	has(t, c, notes...)
	if err := c.Save(revisions(notes...)); err == nil {
		t.Error("Save succeeds although a folder has the file's name")
	}
	has(t, c, notes...)
}

// TestFilesRevealNothing: no file contains a part of a content, an id, a revision, the secret or the owner.
func TestFilesRevealNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "vault.sealed")
	o := options(name)
	c := open(t, o)
	put(c, notes...)
	files := map[string][]byte{}
	read := func(names ...string) {
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = data
		}
	}
	read(deltas(t, name)...)
	save(t, c, notes...)
	read(name)
	if len(files) != 2 {
		t.Fatalf("%d files, want 2", len(files))
	}
	secrets := map[string]bool{o.Secret: true, o.Owner: true, "couch.example": true}
	for _, n := range notes {
		for _, text := range []string{n.id, n.rev, n.text} {
			maps.Copy(secrets, map[string]bool{text: true, text[:min(8, len(text))]: true})
		}
	}
	delete(secrets, "")
	for file, data := range files {
		if len(data) < 5000 {
			t.Errorf("%s has only %d bytes", file, len(data))
		}
		for secret := range secrets {
			if len(secret) >= 6 && bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s contains %.40q", file, secret)
			}
		}
	}
}
