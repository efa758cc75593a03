package livesync

import (
	"context"

	"obsidian-mcp/internal/store/livesync/format"
)

// undo takes back what was written of a change: what it took away comes back
// first, and when that is there, what it made goes. What others have changed
// since stays as they made it.
func (j *journals) undo(ctx context.Context, now *session, unit *journal, states []state) (again bool, err error) {
	for _, last := range []bool{true, false} {
		var back []*write
		for i, one := range unit.writes {
			if one.last != last || states[i].is != written {
				continue
			}
			taken, err := now.takeBack(one, states[i], j.opt.Now().UnixMilli())
			if err != nil {
				return false, err
			}
			if taken == nil {
				continue
			}
			if err := j.sendLeaves(ctx, taken.leaves); err != nil {
				return false, err
			}
			back = append(back, taken.write)
		}
		if err := j.send(ctx, back); err != nil {
			return true, err
		}
	}
	return false, nil
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
