package cache

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"

	"obsidian-mcp/internal/text/order"
)

// Save writes a new file with those contents that are current: the ids and revisions of the documents that exist now.
// From then on the cache uses that file. If nothing is new and little is out of date, Save does nothing. If it fails,
// the previous file remains in use and nothing is lost.
func (c *Cache) Save(current iter.Seq2[string, string]) error {
	if <-c.ready; c.broken != nil {
		return fmt.Errorf("save the content cache: %w", c.broken)
	}
	var keys []recordKey // collected before locking: the sequence may use the cache
	for id, rev := range current {
		keys = append(keys, c.keys.name(id, rev))
	}
	order.By(keys, func(a, b recordKey) int { return bytes.Compare(a[:], b[:]) })
	c.saving.Lock()
	defer c.saving.Unlock()
	plan, err := c.plan(slices.Compact(keys))
	if err != nil || !plan.worthwhile() {
		return err
	}
	next, err := c.write(plan)
	if err != nil {
		return fmt.Errorf("save the content cache: %w", err)
	}
	c.replace(next, plan)
	return nil
}

// plan describes a new file.
type plan struct {
	records []record
	fresh   bool  // a record is not in the file yet, or the file is unusable
	kept    int64 // bytes of the records
	total   int64 // bytes of all records, current or not
	seen    int64 // the end of the delta when the plan was made
}

// record is a record to be copied.
type record struct {
	key  recordKey
	from *recordFile
	at   location
}

// plan finds the records that the cache has for keys.
func (c *Cache) plan(keys []recordKey) (*plan, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, fmt.Errorf("save the content cache: %w", os.ErrClosed)
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
	order.By(p.records, func(a, b record) int { return cmp.Compare(a.at.offset, b.at.offset) })
	return p, nil
}

// worthwhile reports whether anything is new, or more than a fifth of the file is out of date.
func (p *plan) worthwhile() bool { return p.fresh || (p.total-p.kept)*5 > p.total }

// write creates the new file and renames it to the cache file.
func (c *Cache) write(p *plan) (*recordFile, error) {
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

// fill copies the records unchanged. It leaves out a record that cannot be read any more.
func (c *Cache) fill(next *recordFile, p *plan) error {
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

// replace makes the new file the base. The delta keeps the records that were put after the plan was made.
func (c *Cache) replace(next *recordFile, p *plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base != nil {
		c.base.file.Close()
	}
	c.base, c.stale = next, false
	if c.delta == nil {
		return
	}
	maps.DeleteFunc(c.delta.locations, func(_ recordKey, at location) bool { return at.offset < p.seen })
	if len(c.delta.locations) == 0 {
		_ = c.dropDelta() // if it cannot be removed now, a later Open sweeps it
	}
}
