package transfer

import (
	"bytes"
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
)

// A group is committed when it has this many files or bytes.
const (
	groupFiles = 100
	groupBytes = 8 << 20
)

// group is a number of files to be written in one commit, which is faster than one by one.
type group struct {
	changes []store.Change
	bytes   int
}

func (g *group) add(change store.Change) {
	g.changes = append(g.changes, change)
	g.bytes += len(change.Data)
}

func (g *group) full() bool { return len(g.changes) >= groupFiles || g.bytes >= groupBytes }

// flush writes the group. If the commit fails, it writes the files one by one, so that a file that the target refuses
// does not hold up the others.
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

// writeOne writes one file. If the target has its name in another spelling, the scan did not find it under this name, and
// the commit reports that it exists already.
func (c *copying) writeOne(ctx context.Context, change store.Change) error {
	_, err := c.to.Commit(ctx, []store.Change{change})
	switch {
	case err == nil:
		c.wrote(change)
		return nil
	case errors.Is(err, fault.AlreadyExists):
		return c.writeExisting(ctx, change, err)
	}
	return c.refuse(ctx, change.Path, err)
}

// writeExisting handles a file that the target turned out to have.
func (c *copying) writeExisting(ctx context.Context, change store.Change, taken error) error {
	old, err := c.to.Read(ctx, change.Path, maxFile)
	switch {
	case errors.Is(err, fault.NotFound):
		return c.refuse(ctx, change.Path, taken)
	case err != nil:
		return c.refuse(ctx, change.Path, err)
	case bytes.Equal(old.Data, change.Data):
		c.note(Outcome{Path: change.Path, Result: Same})
	case !c.options.Overwrite:
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
