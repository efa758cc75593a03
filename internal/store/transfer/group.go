package transfer

import (
	"bytes"
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
)

// A group is written as one unit once it is this large.
const (
	groupFiles = 100
	groupBytes = 8 << 20
)

// group is files to be written together: a store is faster that way.
type group struct {
	changes []store.Change
	bytes   int
}

func (g *group) add(change store.Change) {
	g.changes = append(g.changes, change)
	g.bytes += len(change.Data)
}

func (g *group) full() bool { return len(g.changes) >= groupFiles || g.bytes >= groupBytes }

// flush writes the group. If it fails as a unit, the files are written one by
// one, so that a file which the target refuses keeps no other from it.
func (c *copying) flush(ctx context.Context) error {
	changes := c.group.changes
	c.group = group{}
	if len(changes) == 0 {
		return nil
	}
	if len(changes) > 1 {
		_, err := c.to.Commit(ctx, changes)
		if err == nil {
			for _, change := range changes {
				c.wrote(change)
			}
			return nil
		}
		if c.stops(ctx, c.to, err) {
			return err
		}
	}
	for _, change := range changes {
		if err := c.writeOne(ctx, change); err != nil {
			return err
		}
	}
	return nil
}

// writeOne writes one file. A name that the target knows in another spelling is
// not in its list under this one, and comes out here as being taken.
func (c *copying) writeOne(ctx context.Context, change store.Change) error {
	_, err := c.to.Commit(ctx, []store.Change{change})
	switch {
	case err == nil:
		c.wrote(change)
		return nil
	case errors.Is(err, fault.AlreadyExists):
		return c.meet(ctx, change, err)
	}
	return c.refuse(ctx, change.Path, err)
}

// meet deals with a file that is in the target after all.
func (c *copying) meet(ctx context.Context, change store.Change, taken error) error {
	old, err := c.to.Read(ctx, change.Path, maxFile)
	switch {
	case errors.Is(err, fault.NotFound):
		return c.refuse(ctx, change.Path, taken)
	case err != nil:
		return c.refuse(ctx, change.Path, err)
	case bytes.Equal(old.Data, change.Data):
		c.note(Outcome{Path: change.Path, Result: Same})
	case !c.Overwrite:
		c.note(Outcome{Path: change.Path, Result: Different})
	default:
		change.Base = old.Rev
		if _, err := c.to.Commit(ctx, []store.Change{change}); err != nil {
			return c.refuse(ctx, change.Path, err)
		}
		c.wrote(change)
	}
	return nil
}

// wrote notes a file that has been written.
func (c *copying) wrote(change store.Change) {
	result := Created
	if change.Base != store.Absent {
		result = Replaced
	}
	c.summary.Bytes += int64(len(change.Data))
	c.note(Outcome{Path: change.Path, Result: result})
}
