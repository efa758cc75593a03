package history

import "encoding/hex"

// contentIndex says where the contents are in the segment that is appended to, so
// that each is written once.
type contentIndex struct {
	segment    string
	generation int // of the segment's data
	changes    int // how many of its changes are indexed
	at         map[hash]contentRef
}

type contentRef struct {
	offset   int64
	verified bool // this process has written or read it
}

// follow indexes the changes that were appended since.
func (k *contentIndex) follow(v *view) {
	if k.segment != v.name || k.generation != v.generation || k.changes > len(v.changes) {
		*k = contentIndex{segment: v.name, generation: v.generation, at: map[hash]contentRef{}}
	}
	for _, entry := range v.changes[k.changes:] {
		if c, err := v.change(entry); err == nil {
			for _, file := range c.Files {
				k.addContent(file.Before)
				k.addContent(file.After)
			}
		}
	}
	k.changes = len(v.changes)
}

func (k *contentIndex) addContent(c Content) {
	if !c.Kept {
		return
	}
	var id hash
	hex.Decode(id[:], []byte(c.Hash)) // records hold no other hashes
	if _, present := k.at[id]; !present {
		k.at[id] = contentRef{offset: c.offset}
	}
}

// find returns the offset of a content. It verifies the content first: after a
// power cut the disk may have a record without the content that it refers to.
func (k *contentIndex) find(to *target, id hash, c Content) (offset int64, ok bool) {
	if to.view == nil {
		return 0, false
	}
	found, ok := k.at[id]
	if !ok || found.verified {
		return found.offset, ok
	}
	c.offset = found.offset
	if _, err := to.view.content(c); err != nil {
		delete(k.at, id)
		return 0, false
	}
	k.at[id] = contentRef{found.offset, true}
	return found.offset, true
}

// add indexes the contents that were written with a change.
func (k *contentIndex) add(to *target, written *encodedChange) {
	if to.view == nil {
		*k = contentIndex{segment: to.frames.name, generation: 1, at: map[hash]contentRef{}}
	}
	for id, offset := range written.fresh {
		k.at[id] = contentRef{offset, true}
	}
}
