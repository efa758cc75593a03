package history

import "encoding/hex"

// known is where the contents are that the segment has which is appended to,
// so that each is written once.
type known struct {
	segment string
	round   int // of the segment's reading
	changes int // how many of its changes were looked through
	at      map[hash]spot
}

type spot struct {
	offset   int64
	verified bool // this process wrote it, or has read it
}

// follow looks through the changes that came since.
func (k *known) follow(v *view) {
	if k.segment != v.name || k.round != v.round || k.changes > len(v.changes) {
		*k = known{segment: v.name, round: v.round, at: map[hash]spot{}}
	}
	for _, entry := range v.changes[k.changes:] {
		if c, err := v.change(entry); err == nil {
			for _, file := range c.Files {
				k.note(file.Before)
				k.note(file.After)
			}
		}
	}
	k.changes = len(v.changes)
}

func (k *known) note(c Content) {
	if !c.Kept {
		return
	}
	var id hash
	hex.Decode(id[:], []byte(c.Hash)) // a record has no others
	if _, there := k.at[id]; !there {
		k.at[id] = spot{offset: c.offset}
	}
}

// find says where a content is. A record that names it does not prove that it
// was written: after a power cut the disk may have the one without the other.
func (k *known) find(to *target, id hash, c Content) (offset int64, there bool) {
	if to.view == nil {
		return 0, false
	}
	found, there := k.at[id]
	if !there || found.verified {
		return found.offset, there
	}
	c.offset = found.offset
	if _, err := to.view.content(c); err != nil {
		delete(k.at, id)
		return 0, false
	}
	k.at[id] = spot{found.offset, true}
	return found.offset, true
}

// add notes what was written with a change.
func (k *known) add(to *target, made *drawing) {
	if to.view == nil {
		*k = known{segment: to.name, round: 1, at: map[hash]spot{}}
	}
	for id, offset := range made.fresh {
		k.at[id] = spot{offset, true}
	}
}
