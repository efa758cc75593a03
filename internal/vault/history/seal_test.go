package history

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestEncryptedHistoryRevealsNothing: no file of an encrypted history contains a path, a
// name, a hash, an id or a content.
func TestEncryptedHistoryRevealsNothing(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	o.Secret = "correct horse"
	h := quick(o)
	d := Draft{Tool: "canary_tool", Client: "canary-client", Token: "canary-token", Files: []DraftFile{
		{Op: Move, Path: "canary/path.md", To: "canary/to.md", Before: []byte("canary of the bytes before"), After: noise(64)},
		{Op: Trash, Path: "canary/trashed.md", Before: []byte("canary")},
	}}
	p := begin(t, h, d)
	if err := p.Made(map[string]string{"canary/trashed.md": ".trash/canary.md"}); err != nil {
		t.Fatal(err)
	}
	c := all(t, h)[0]
	if c.Files[1].Trash != ".trash/canary.md" {
		t.Errorf("%+v", c)
	}
	shown := []string{"canary", "move", "trash", p.ID(), o.Secret, string(d.Files[0].After)}
	for _, file := range c.Files {
		raw, _ := hex.DecodeString(file.Before.Hash)
		shown = append(shown, file.Before.Hash, string(raw))
	}
	for _, name := range segmentsIn(t, o.Dir) {
		data := read(t, name)
		for _, secret := range shown {
			if bytes.Contains(data, []byte(secret)) || bytes.Contains([]byte(name), []byte(secret)) {
				t.Errorf("%q is readable in %s", secret, name)
			}
		}
	}
}

// TestSecretsAreSeparate: histories with different secrets, or none, share a folder
// without seeing or harming each other; each has its own segments.
func TestSecretsAreSeparate(t *testing.T) {
	t.Parallel()
	base := inFolder(t)
	now := clock{time.Now()}
	base.Now = now.time
	var owners []Options
	for _, secret := range []string{"", "correct horse", "wrong horse"} {
		o := base
		o.Secret = secret
		owners = append(owners, o)
	}
	ids := make([][]string, len(owners))
	for i := range 4 {
		for owner, o := range owners {
			ids[owner] = append(ids[owner], record(t, quick(o), numbered(i)))
		}
	}
	if got := segmentsIn(t, base.Dir); len(got) != len(owners) {
		t.Errorf("segments: %v", got)
	}
	for owner, o := range owners {
		h := quick(o)
		if others := holds(t, o.Secret, h, ids[owner]); len(others) > 0 {
			t.Errorf("%q sees %v", o.Secret, idsOf(others))
		}
		if s, err := h.State(background); err != nil || s.Foreign != 2 || s.Changes != 4 || s.Damaged > 0 {
			t.Errorf("%+v, %v", s, err)
		}
	}
	now.now = now.now.Add(31 * day)
	newer := record(t, quick(owners[1]), numbered(4))
	if err := quick(owners[1]).Prune(background); err != nil {
		t.Error(err)
	}
	if got := segmentsIn(t, base.Dir); len(got) != 1 {
		t.Errorf("segments: %v", got)
	}
	if got := idsOf(all(t, quick(owners[1]))); len(got) != 1 || got[0] != newer {
		t.Errorf("left are %v", got)
	}
}

// TestSegmentsShareSalt: the secret is stretched once for all segments. Except in short
// runs it uses the real number of iterations.
func TestSegmentsShareSalt(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	o.Secret = "correct horse"
	now := clock{someTime}
	o.Now = now.time
	opener := Open
	if testing.Short() {
		opener = quick
	}
	h := opener(o)
	var ids []string
	for i := range 3 {
		ids = append(ids, record(t, h, numbered(i)))
		now.now = now.now.Add(2 * day)
	}
	salts := map[string]bool{}
	for _, name := range segmentsIn(t, o.Dir) {
		salts[saltOf(filepath.Base(name))] = true
	}
	if len(segmentsIn(t, o.Dir)) != 3 || len(salts) != 1 || len(h.keys.masters) != 1 {
		t.Errorf("%d segments have %d salts", len(segmentsIn(t, o.Dir)), len(salts))
	}
	holds(t, "later", opener(o), ids)
}

// TestBlankSegmentsAreForeign: empty or unreadable segments count as foreign and are
// left alone.
func TestBlankSegmentsAreForeign(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for i, data := range [][]byte{nil, noise(headerSize - 1), noise(headerSize), noise(5000), make([]byte, 5000)} {
			overwrite(t, filepath.Join(o.Dir, newName("", someTime.Add(time.Duration(i)*time.Hour), newSalt())), data)
		}
		h := quick(o)
		holds(t, "blank", h, number(t, h, 0, 2))
		if s, err := h.State(background); err != nil || s.Foreign != 5 || s.Changes != 2 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
