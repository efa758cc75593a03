package history

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
)

// written returns the bytes of a segment with one change.
func written(t testing.TB, name, secret string) []byte {
	t.Helper()
	frames, err := quick(Options{Secret: secret}).frames(name)
	if err != nil {
		t.Fatal(err)
	}
	data := frames.newHeader()
	add := func(kind byte, plain []byte) (at int64) {
		at = int64(len(data))
		if data, err = frames.append(data, 0, kind, plain); err != nil {
			t.Fatal(err)
		}
		return at
	}
	text := []byte("some words that are kept")
	at := add(contentFrame, compress(text))
	content := Content{Hash: hexOf(sha256.Sum256(text)), Size: int64(len(text)), Kept: true, offset: at}
	plain, err := encodeChange(Change{ID: "abc-def", Time: someTime, Tool: "tool", Files: []File{{Op: Trash, Path: "a.md", Before: content}}})
	if err != nil {
		t.Fatal(err)
	}
	at = add(changeFrame, plain)
	add(outcomeFrame, encodeOutcome(outcome{change: at, id: "abc-def", made: true, trash: map[string]string{"a.md": "b"}}))
	return data
}

// FuzzSegment: whatever a segment contains, contents that are returned match their
// hashes, and a change can be recorded.
func FuzzSegment(f *testing.F) {
	name := newName("", someTime, "00112233445566778899aabbccddeeff")
	for _, secret := range secrets {
		whole := written(f, name, secret)
		f.Add(whole, secret != "")
		f.Add(whole[:len(whole)-5], secret != "")
		f.Add(whole[:headerSize], secret != "")
		f.Add(append(bytes.Clone(whole), whole[headerSize:]...), secret != "")
		f.Add(append(bytes.Clone(whole), bytes.Repeat([]byte(frameMark), 100)...), secret != "")
	}
	f.Fuzz(func(t *testing.T, data []byte, isSealed bool) {
		o := Options{Dir: memory(t)}
		if isSealed {
			o.Secret = secrets["sealed"]
		}
		if err := os.WriteFile(filepath.Join(o.Dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := quick(o)
		for _, c := range all(t, h) {
			for _, file := range c.Files {
				if data, err := h.Content(background, c, file.Before); err == nil && hexOf(sha256.Sum256(data)) != file.Before.Hash {
					t.Errorf("%q was returned for %+v", data, file)
				}
			}
		}
		ids := number(t, h, 0, 1)
		holds(t, "fuzzed", quick(o), ids)
		if _, err := h.State(background); err != nil {
			t.Error(err)
		}
	})
}

// FuzzRecord: a record with a correct checksum never does harm, whatever it contains,
// and encoding round-trips.
func FuzzRecord(f *testing.F) {
	plain, _ := encodeChange(Change{ID: "abc-def", Time: someTime, Files: []File{{Op: Write, Path: "a", After: Content{Hash: hexOf(hash{}), Size: 5, Kept: true}}}})
	f.Add(plain)
	f.Add(encodeOutcome(outcome{change: 99, id: "abc-def", made: true, trash: map[string]string{"a": "b"}}))
	f.Add(compress(bytes.Repeat([]byte("deflated"), 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := decodeChange(data); err == nil {
			again, err := encodeChange(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := decodeChange(again); err != nil {
				t.Errorf("%+v cannot be read again: %v", c, err)
			}
		}
		if o, err := decodeOutcome(data); err == nil {
			if _, err := decodeOutcome(encodeOutcome(o)); err != nil {
				t.Errorf("%+v cannot be read again: %v", o, err)
			}
		}
		for _, size := range []int64{-1, 0, 5, 800, MaxKept} {
			if got, err := decompress(data, size); err == nil && int64(len(got)) != size {
				t.Errorf("%d bytes instead of %d", len(got), size)
			}
		}
		if got, err := decompress(compress(data), int64(len(data))); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%q came back as %q: %v", data, got, err)
		}
	})
}
