package history

import (
	"crypto/sha256"
	"encoding/hex"
)

// hash is the SHA-256 of a content.
type hash [sha256.Size]byte

// hashedFile is a file of a draft with the hashes of its contents.
type hashedFile struct {
	DraftFile
	before, after hash
}

func hashFiles(files []DraftFile) []hashedFile {
	hashed := make([]hashedFile, len(files))
	for i, file := range files {
		hashed[i] = hashedFile{file, sha256.Sum256(file.Before), sha256.Sum256(file.After)}
	}
	return hashed
}

// encodedChange is a change as it is written: the contents that the segment does
// not have yet, and the record.
type encodedChange struct {
	data   []byte
	change int64          // the record's offset in the segment
	fresh  map[hash]int64 // the offsets of the contents in data
}

func (w *writer) encode(to *target, c Change, files []hashedFile) (*encodedChange, error) {
	d := &encodedChange{fresh: map[hash]int64{}}
	if to.view == nil {
		d.data = to.frames.newHeader()
	} else {
		w.history.contents.follow(to.view)
	}
	for _, file := range files {
		before, err := w.content(to, d, file.Before, file.before)
		if err != nil {
			return nil, err
		}
		after, err := w.content(to, d, file.After, file.after)
		if err != nil {
			return nil, err
		}
		c.Files = append(c.Files, File{Op: file.Op, Path: file.Path, To: file.To, Before: before, After: after})
	}
	plain, err := encodeChange(c)
	if err != nil {
		return nil, err
	}
	d.change = to.at + int64(len(d.data))
	return d, w.add(to, d, changeFrame, plain)
}

// content returns the reference to a content, which it adds unless the segment has it.
func (w *writer) content(to *target, d *encodedChange, data []byte, id hash) (Content, error) {
	if data == nil {
		return Content{}, nil
	}
	c := Content{Hash: hexOf(id), Size: int64(len(data)), Kept: len(data) <= MaxKept}
	if !c.Kept {
		return c, nil
	}
	var present bool
	if c.offset, present = d.fresh[id]; present {
		return c, nil
	}
	if c.offset, present = w.history.contents.find(to, id, c); present {
		return c, nil
	}
	c.offset = to.at + int64(len(d.data))
	d.fresh[id] = c.offset
	return c, w.add(to, d, contentFrame, compress(data))
}

// add encodes a frame. It refuses a change that is larger than the whole history
// may be, before anything is written.
func (w *writer) add(to *target, d *encodedChange, kind byte, plain []byte) (err error) {
	if d.data, err = to.frames.append(d.data, to.at, kind, plain); err == nil && int64(len(d.data)) > w.history.o.MaxBytes {
		err = errExceedsHistory
	}
	return err
}

func hexOf(h hash) string { return hex.EncodeToString(h[:]) }
