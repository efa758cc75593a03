package cache

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
)

// Save writes a file that holds, of all that the cache has, what is current:
// the ids and revisions of the documents that exist now. It goes on to use
// that file. Where nothing is new and little is out of date, it does nothing.
// Where it fails, the file before stays, and nothing is lost yet.
func (c *Cache) Save(current iter.Seq2[string, string]) error {
	if <-c.ready; c.broken != nil {
		return fmt.Errorf("save the cache of contents: %w", c.broken)
	}
	var keys []recordKey // asked before locking: the sequence may be using the cache
	for id, rev := range current {
		keys = append(keys, c.keys.name(id, rev))
	}
	slices.SortFunc(keys, func(a, b recordKey) int { return bytes.Compare(a[:], b[:]) })
	c.saving.Lock()
	defer c.saving.Unlock()
	plan, err := c.plan(slices.Compact(keys))
	if err != nil || !plan.worthwhile() {
		return err
	}
	next, err := c.write(plan)
	if err != nil {
		return fmt.Errorf("save the cache of contents: %w", err)
	}
	c.replace(next, plan)
	return nil
}

// plan is what a new file is to hold.
type plan struct {
	records []record
	fresh   bool  // something is not in the file yet, or that is of no use
	kept    int64 // bytes of the records
	total   int64 // bytes of all that there is
	seen    int64 // how far the delta was looked at
}

// record is one to be copied.
type record struct {
	key  recordKey
	from *shelf
	at   place
}

// plan looks for what the cache has of the keys.
func (c *Cache) plan(keys []recordKey) (*plan, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, fmt.Errorf("save the cache of contents: %w", os.ErrClosed)
	}
	p := &plan{fresh: c.stale}
	if c.base != nil {
		p.total += c.base.end - int64(headerSize)
	}
	if c.delta != nil {
		p.seen = c.delta.end
		p.total += p.seen
	}
	for _, key := range keys {
		in, at := c.find(key)
		if in == nil {
			continue
		}
		p.records = append(p.records, record{key, in, at})
		p.kept += int64(at.length)
		p.fresh = p.fresh || in == c.delta
	}
	slices.SortFunc(p.records, func(a, b record) int { return cmp.Compare(a.at.offset, b.at.offset) })
	return p, nil
}

// worthwhile reports whether there is anything new, or a fifth of it all is
// out of date.
func (p *plan) worthwhile() bool { return p.fresh || (p.total-p.kept)*5 > p.total }

// write makes the new file and puts it in its place.
func (c *Cache) write(p *plan) (*shelf, error) {
	next, err := c.folder.begin()
	if err != nil {
		return nil, err
	}
	if err = c.fill(next, p); err == nil {
		err = c.folder.publish(next)
	}
	if err != nil {
		_ = c.folder.discard(next)
		return nil, err
	}
	return next, nil
}

// fill copies the records as they are. One that cannot be read any more is
// left out.
func (c *Cache) fill(next *shelf, p *plan) error {
	header := c.keys.newHeader(c.owner)
	if _, err := next.file.WriteAt(header, 0); err != nil {
		return err
	}
	next.end = int64(len(header))
	var buffer []byte
	for _, r := range p.records {
		frame, err := r.from.read(r.key, r.at, buffer)
		if err != nil {
			continue
		}
		buffer = frame
		if err := next.append(r.key, frame); err != nil {
			return err
		}
	}
	return nil
}

// replace makes the new file the base. Of the delta stays what was put since
// the plan was made.
func (c *Cache) replace(next *shelf, p *plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base != nil {
		c.base.file.Close()
	}
	c.base, c.stale = next, false
	if c.delta == nil {
		return
	}
	maps.DeleteFunc(c.delta.places, func(_ recordKey, at place) bool { return at.offset < p.seen })
	if len(c.delta.places) == 0 {
		_ = c.dropDelta() // what cannot be removed now is swept later
	}
}
