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
		t.Errorf("left beside the file: %v", left)
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
		t.Errorf("what is there was put again: %v", left)
	}
}

// TestDerived: the real derivation, once.
func TestDerived(t *testing.T) {
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
	hasNot(t, open(t, options(name)), notes...) // its key is another one
}

func TestOptions(t *testing.T) {
	for _, o := range []cache.Options{{Secret: "s"}, {File: filepath.Join(t.TempDir(), "f")}} {
		if _, err := cache.Open(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestForeign: what is somebody else's is not used, said in the log, and
// replaced.
func TestForeign(t *testing.T) {
	cases := map[string]func(o *cache.Options, data []byte) []byte{
		"another secret":  func(o *cache.Options, data []byte) []byte { o.Secret = "wrong horse"; return data },
		"another owner":   func(o *cache.Options, data []byte) []byte { o.Owner += "2"; return data },
		"another version": func(o *cache.Options, data []byte) []byte { data[8]++; return data },
		"another file":    func(o *cache.Options, data []byte) []byte { return []byte("# not a cache") },
		"an empty file":   func(o *cache.Options, data []byte) []byte { return nil },
	}
	for what, change := range cases {
		t.Run(what, func(t *testing.T) {
			name, data := written(t, notes...)
			var said bytes.Buffer
			o := options(name)
			o.Log = slog.New(slog.NewTextHandler(&said, nil))
			if err := os.WriteFile(name, change(&o, data), 0o600); err != nil {
				t.Fatal(err)
			}
			c := open(t, o)
			hasNot(t, c, notes...)
			if !strings.Contains(said.String(), "level=INFO") || strings.Contains(said.String(), "horse") {
				t.Errorf("the log says %q", said.String())
			}
			save(t, c) // there is nothing to keep, but something to replace
			if info, err := os.Stat(name); err != nil || int(info.Size()) != cache.HeaderSize {
				t.Errorf("not replaced: %v, %v", info, err)
			}
			put(c, notes[0])
			save(t, c, notes[0])
			has(t, open(t, o), notes[0])
		})
	}
}

// TestNotAFile: what cannot be opened as a file makes a cache without effect.
func TestNotAFile(t *testing.T) {
	inTheWay := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	o := options(filepath.Join(inTheWay, "vault.sealed"))
	o.Log = slog.New(slog.NewTextHandler(&said, nil))
	c := open(t, o)
	put(c, notes...)
	hasNot(t, c, notes...)
	if err := c.Save(revisions(notes...)); err == nil {
		t.Error("saved in a folder that cannot be made")
	}
	if strings.Count(said.String(), "level=WARN") != 1 {
		t.Errorf("the log says %q", said.String())
	}

	folder := filepath.Join(t.TempDir(), "vault.sealed")
	if err := os.MkdirAll(filepath.Join(folder, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	c = open(t, options(folder))
	put(c, notes...)
	has(t, c, notes...)
	if err := c.Save(revisions(notes...)); err == nil {
		t.Error("saved in the place of a folder")
	}
	has(t, c, notes...)
}

// TestNothingShows: no file holds anything of a content, an id, a revision, or
// of whose they are.
func TestNothingShows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "vault.sealed")
	o := options(name)
	c := open(t, o)
	put(c, notes...)
	seen := map[string][]byte{}
	look := func(names ...string) {
		for _, one := range names {
			data, err := os.ReadFile(one)
			if err != nil {
				t.Fatal(err)
			}
			seen[one] = data
		}
	}
	look(deltas(t, name)...)
	save(t, c, notes...)
	look(name)
	if len(seen) != 2 {
		t.Fatalf("looked at %d files", len(seen))
	}
	secrets := map[string]bool{o.Secret: true, o.Owner: true, "couch.example": true}
	for _, n := range notes {
		for _, text := range []string{n.id, n.rev, n.text} {
			maps.Copy(secrets, map[string]bool{text: true, text[:min(8, len(text))]: true})
		}
	}
	delete(secrets, "")
	for file, data := range seen {
		if len(data) < 5000 {
			t.Errorf("%s has %d bytes", file, len(data))
		}
		for secret := range secrets {
			if len(secret) >= 6 && bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s shows %.40q", file, secret)
			}
		}
	}
}
