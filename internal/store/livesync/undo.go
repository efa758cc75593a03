package livesync

import (
	"context"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// undo takes back what was written of a change: what it took away comes back
// first, and when that is there, what it made goes. What others have changed
// since stays as they made it; and if something that the change took away, or
// may have taken away, does not come back, what the change made in its place
// stays too.
func (j *journals) undo(ctx context.Context, now *session, unit *journal, states []state) error {
	back, err := j.reversals(ctx, now, unit, states, func(one *write) bool { return one.last })
	if err == nil {
		err = j.send(ctx, back)
	}
	if err != nil {
		return err
	}
	whole, err := j.allBack(ctx, now, unit.writes, states, back)
	if err != nil {
		return err
	}
	back, err = j.reversals(ctx, now, unit, states, func(one *write) bool { return !one.last && (whole || now.wasThere(one)) })
	if err != nil {
		return err
	}
	return j.send(ctx, back)
}

// allBack reports whether everything that a change was to take away is there
// again, or still, or was taken away by others, who know what became of it.
func (j *journals) allBack(ctx context.Context, now *session, writes []*write, states []state, back []*write) (bool, error) {
	for i, one := range writes {
		if !one.last || states[i].is == atBase || slices.ContainsFunc(back, func(other *write) bool { return other.id == one.id }) {
			continue
		}
		if read, err := now.codec.Decode(states[i].body); err == nil && read.File != nil && !read.Deleted {
			continue
		}
		if never, err := j.neverWritten(ctx, one, states[i]); err != nil || !never {
			return false, err
		}
	}
	return true, nil
}

// wasThere reports whether a document was that of a file before.
func (s *session) wasThere(one *write) bool {
	if one.old == nil {
		return false
	}
	read, err := s.codec.Decode(one.old)
	return err == nil && read.File != nil && !read.Deleted
}

// reversals makes the documents that take written ones back, and their chunks.
func (j *journals) reversals(ctx context.Context, now *session, unit *journal, states []state, which func(*write) bool) ([]*write, error) {
	var back []*write
	for i, one := range unit.writes {
		if states[i].is != written || !which(one) {
			continue
		}
		taken, err := now.takeBack(one, states[i], j.opt.Now().UnixMilli())
		if err != nil { // for a person to decide: in conflict, or written by other settings
			j.log.Warn("a document of an interrupted change cannot be taken back, and stays", "kind", fault.KindOf(err).Code())
		}
		if taken == nil {
			continue
		}
		if err := j.sendLeaves(ctx, taken.leaves); err != nil {
			return nil, err
		}
		if err := j.haveChunks(ctx, now, []*write{taken.write}); errors.Is(err, errCleaned) {
			continue // what was there before is gone, and what is there is whole
		} else if err != nil {
			return nil, err
		}
		back = append(back, taken.write)
	}
	return back, nil
}

// reversal is the document that takes one back, and the chunks it needs.
type reversal struct {
	*write
	leaves []format.UploadLeaf
}

// takeBack makes the document that follows a written one and says what was
// said before; nil if that is what is there.
func (s *session) takeBack(one *write, is state, now int64) (*reversal, error) {
	var current, old *format.Meta
	if is.body != nil {
		read, err := s.codec.Decode(is.body)
		if err != nil {
			return nil, err
		}
		current = read.File
	}
	if one.old != nil {
		read, err := s.codec.Decode(one.old)
		if err != nil {
			return nil, err
		}
		old = read.File
	}
	upload, err := s.reverse(current, old, now)
	if err != nil || upload.File == nil {
		return nil, err
	}
	return &reversal{&write{id: one.id, base: is.rev, old: is.body, body: upload.Body, file: upload.File}, upload.Leaves}, nil
}

func (s *session) reverse(current, old *format.Meta, now int64) (format.Upload, error) {
	switch {
	case old == nil && (current == nil || current.Deleted):
		return format.Upload{}, nil
	case old == nil:
		return s.codec.Delete(current, now)
	case current == nil: // nothing is left of it: as if it were new
		old.Rev = ""
		return s.codec.Restore(old, old, now)
	}
	return s.codec.Restore(current, old, now)
}
