package history

import (
	"crypto/sha256"
	"encoding/hex"
)

// hash is the SHA-256 of a content.
type hash [sha256.Size]byte

// hashedFile is a file of a draft, with the hashes of its contents.
type hashedFile struct {
	DraftFile
	before, after hash
}

func hashFiles(files []DraftFile) []hashedFile {
	made := make([]hashedFile, len(files))
	for i, file := range files {
		made[i] = hashedFile{file, sha256.Sum256(file.Before), sha256.Sum256(file.After)}
	}
	return made
}

// drawing is a change as it is written: its contents as far as the segment
// does not have them, and its record.
type drawing struct {
	data   []byte
	change int64 // the record's offset in the segment
	fresh  map[hash]int64
}

func (w *writer) draw(to *target, c Change, files []hashedFile) (*drawing, error) {
	d := &drawing{fresh: map[hash]int64{}}
	if to.view == nil {
		d.data = to.newHeader()
	} else {
		w.known.follow(to.view)
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

// content says where a content is, and adds it where there is none.
func (w *writer) content(to *target, d *drawing, data []byte, id hash) (Content, error) {
	if data == nil {
		return Content{}, nil
	}
	c := Content{Hash: hexOf(id), Size: int64(len(data)), Kept: len(data) <= MaxKept}
	if !c.Kept {
		return c, nil
	}
	var there bool
	if c.offset, there = d.fresh[id]; there {
		return c, nil
	}
	if c.offset, there = w.known.find(to, id, c); there {
		return c, nil
	}
	c.offset = to.at + int64(len(d.data))
	d.fresh[id] = c.offset
	return c, w.add(to, d, contentFrame, pack(data))
}

// add draws a frame. What is more than the whole history may be is refused
// before anything is written.
func (w *writer) add(to *target, d *drawing, kind byte, plain []byte) (err error) {
	if d.data, err = to.append(d.data, to.at, kind, plain); err == nil && int64(len(d.data)) > w.o.Most {
		err = errTooMuch
	}
	return err
}

func hexOf(h hash) string { return hex.EncodeToString(h[:]) }
