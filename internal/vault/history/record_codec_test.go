package history

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// earlierRecord encodes a change as earlier versions did: it ends with the change that it undoes, or before that.
func earlierRecord(c Change) []byte {
	var rest encoder
	rest.number(uint64(c.Time.UnixNano()))
	rest.text(c.Tool, c.Client, c.Token)
	rest.number(uint64(len(c.Files)))
	for _, file := range c.Files {
		rest.text(file.Op, file.Path, file.To)
		rest.content(file.Before)
		rest.content(file.After)
	}
	if len(c.Undoes) > 0 {
		rest.text(c.Undoes[0])
	}
	var record encoder
	record.text(c.ID)
	record.number(uint64(len(rest)))
	return append(record, compress(rest)...)
}

// decodeAsEarlier reads a record as earlier versions did, and returns the change that it undoes.
func decodeAsEarlier(t *testing.T, data []byte) (c Change, undoes string) {
	t.Helper()
	head := decoder{data: data}
	c.ID = head.text()
	size := head.number()
	rest, err := decompress(head.data, int64(size))
	if err != nil {
		t.Fatal(err)
	}
	d := decoder{data: rest}
	c.Time = time.Unix(0, int64(d.number())).UTC()
	c.Tool, c.Client, c.Token = d.text(), d.text(), d.text()
	for count := d.number(); count > 0 && !d.bad; count-- {
		c.Files = append(c.Files, File{Op: d.text(), Path: d.text(), To: d.text(), Before: d.content(), After: d.content()})
	}
	if len(d.data) > 0 {
		undoes = d.text()
	}
	if err := d.problem(); err != nil {
		t.Fatal(err)
	}
	return c, undoes
}

// TestRecordsOfOtherVersions: this version reads the records of earlier ones, and they read ours, as far as they know
// what is in them.
func TestRecordsOfOtherVersions(t *testing.T) {
	t.Parallel()
	content := Content{Hash: hexOf(hash{1}), Size: 5, Kept: true, offset: 7}
	base := Change{
		ID: "mwispe3u-66i0", Time: someTime.UTC(), Tool: "tool", Client: "client", Token: "token",
		Files: []File{{Op: Move, Path: "a", To: "b", Before: content, After: content}, {Op: Write, Path: "c", After: content}},
	}
	same := func(what string, got, want Change) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Change{}, Content{}, location{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	for name, c := range map[string]struct {
		session string
		undoes  []string
	}{
		"plain":              {},
		"an undo":            {undoes: []string{"one"}},
		"a session":          {session: "s"},
		"an undo in one":     {session: "s", undoes: []string{"one"}},
		"an undo of several": {undoes: []string{"one", "two", "three"}},
		"of several in one":  {session: "s", undoes: []string{"one", "two"}},
	} {
		change := base
		change.Session, change.Undoes = c.session, c.undoes
		record, err := encodeChange(change)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := decodeChange(record)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(name, decoded, change)

		earlier, undoes := decodeAsEarlier(t, record)
		same(name+", read by an earlier version", earlier, base)
		if len(c.undoes) > 0 && undoes != c.undoes[0] || len(c.undoes) == 0 && undoes != "" {
			t.Errorf("%s: an earlier version reads %q as the undone change", name, undoes)
		}

		old := base
		old.Undoes = c.undoes[:min(len(c.undoes), 1)]
		if decoded, err = decodeChange(earlierRecord(old)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(name+", written by an earlier version", decoded, old)
	}
}
