package couchdb

import (
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rev identifies a revision: how many it has before it, and a hash.
type rev struct {
	number int
	hash   string
}

func parseRev(text string) (rev, bool) {
	number, hash, found := strings.Cut(text, "-")
	n, err := strconv.Atoi(number)
	return rev{n, hash}, found && err == nil && n > 0 && hash != ""
}

func (r rev) String() string { return strconv.Itoa(r.number) + "-" + r.hash }

func (r rev) compare(other rev) int {
	return cmp.Or(cmp.Compare(r.number, other.number), cmp.Compare(r.hash, other.hash))
}

// revision is a node of a document's tree of revisions.
type revision struct {
	rev
	parent  *revision // nil for the first one, and where earlier ones are not known
	isLeaf  bool
	deleted bool
	body    object // without _id, _rev and _deleted
	isKnown bool   // the body is here: it was written here, and not compacted away
}

// path lists the revision and those before it, the newest first.
func (r *revision) path() (all []*revision) {
	for ; r != nil; r = r.parent {
		all = append(all, r)
	}
	return all
}

// document is all revisions of a document.
type document struct {
	id        string
	revisions map[rev]*revision
	seq       int // of its last change
}

// leaves lists the revisions without a successor: the winner first, then by rank. Deleted ones come last.
func (d *document) leaves() (all []*revision) {
	for _, r := range d.revisions {
		if r.isLeaf {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *revision) int {
		if a.deleted != b.deleted {
			if a.deleted {
				return 1
			}
			return -1
		}
		return b.compare(a.rev)
	})
	return all
}

// winner is the revision that the document shows, or nil if there is none.
func (d *document) winner() *revision {
	if leaves := d.leaves(); len(leaves) > 0 {
		return leaves[0]
	}
	return nil
}

// conflicts lists the revisions that lost and are not deleted.
func (d *document) conflicts(deleted bool) (all []string) {
	for i, leaf := range d.leaves() {
		if i > 0 && leaf.deleted == deleted {
			all = append(all, leaf.String())
		}
	}
	return all
}

// extend adds a revision after one of the leaves; nil for a document's first.
func (d *document) extend(base *revision, deleted bool, body object) *revision {
	number := 1
	hashed := md5.New()
	if base != nil {
		number = base.number + 1
		fmt.Fprint(hashed, base.rev)
	}
	fmt.Fprint(hashed, deleted)
	hashed.Write(body.text())
	next := &revision{
		rev: rev{number, hex.EncodeToString(hashed.Sum(nil))}, parent: base, isLeaf: true, deleted: deleted, body: body, isKnown: true,
	}
	if base != nil {
		base.isLeaf = false
	}
	d.revisions[next.rev] = next
	return next
}

// graft adds a revision from elsewhere with the hashes of those before it, the newest first. It reports whether that changed
// anything.
func (d *document) graft(newest rev, hashes []string, deleted bool, body object) bool {
	parent, changed := d.link(newest.number, hashes[1:])
	known := d.revisions[newest]
	if known == nil {
		d.revisions[newest] = &revision{rev: newest, parent: parent, isLeaf: true, deleted: deleted, body: body, isKnown: true}
		return true
	}
	if known.parent == nil {
		known.parent = parent
	}
	if !known.isKnown && known.isLeaf {
		known.deleted, known.body, known.isKnown = deleted, body, true
	}
	return changed
}

// link makes revisions of the hashes, which end with the oldest one, and returns the newest of them, whose number is below the given
// one. It reports whether one of them was a leaf.
func (d *document) link(number int, hashes []string) (newest *revision, wasLeaf bool) {
	for i, hash := range slices.Backward(hashes) {
		at := rev{number - 1 - i, hash}
		next := d.revisions[at]
		if next == nil {
			next = &revision{rev: at}
			d.revisions[at] = next
		}
		if next.parent == nil {
			next.parent = newest
		}
		wasLeaf = wasLeaf || next.isLeaf
		next.isLeaf = false
		newest = next
	}
	return newest, wasLeaf
}

// compact drops the bodies of revisions that have successors.
func (d *document) compact() {
	for _, r := range d.revisions {
		if !r.isLeaf {
			r.body, r.isKnown = nil, false
		}
	}
}
