package history

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestNothingShows: no file of a sealed history holds a path, a name, a hash,
// an id or a content.
func TestNothingShows(t *testing.T) {
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
				t.Errorf("%q shows", secret)
			}
		}
	}
}

// TestForeign: what has another secret, or none, is not seen and not harmed;
// each goes on with segments of its own.
func TestForeign(t *testing.T) {
	base := inFolder(t)
	now := clock{time.Now()}
	base.Now = now.time
	var who []Options
	for _, secret := range []string{"", "correct horse", "wrong horse"} {
		o := base
		o.Secret = secret
		who = append(who, o)
	}
	ids := make([][]string, len(who))
	for i := range 4 {
		for one, o := range who {
			ids[one] = append(ids[one], record(t, quick(o), numbered(i)))
		}
	}
	if got := segmentsIn(t, base.Dir); len(got) != len(who) {
		t.Errorf("segments: %v", got)
	}
	for one, o := range who {
		h := quick(o)
		if others := holds(t, o.Secret, h, ids[one]); len(others) > 0 {
			t.Errorf("%q sees %v", o.Secret, idsOf(others))
		}
		if s, err := h.State(background); err != nil || s.Foreign != 2 || s.Changes != 4 || s.Damaged > 0 {
			t.Errorf("%+v, %v", s, err)
		}
	}
	now.now = now.now.Add(31 * day)
	newer := record(t, quick(who[1]), numbered(4))
	if err := quick(who[1]).Prune(background); err != nil {
		t.Error(err)
	}
	if got := segmentsIn(t, base.Dir); len(got) != 1 {
		t.Errorf("segments: %v", got)
	}
	if got := idsOf(all(t, quick(who[1]))); len(got) != 1 || got[0] != newer {
		t.Errorf("left are %v", got)
	}
}

// TestSaltIsShared: one key is derived, with the real derivation, for all
// segments.
func TestSaltIsShared(t *testing.T) {
	o := inFolder(t)
	o.Secret = "correct horse"
	now := clock{someTime}
	o.Now = now.time
	h := Open(o)
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
	holds(t, "later", Open(o), ids)
}

// TestBlank: segments that were never begun, or of which nothing can be read,
// are nobody's.
func TestBlank(t *testing.T) {
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
