package ops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// base returns what the first side and another one were both made from; known is false if that cannot be found out.
func (r *resolution) base(ctx context.Context, side int) (base []byte, known bool, err error) {
	if r.found.kind == inCopies {
		return r.baseOfCopy(ctx, r.versions[side].Data)
	}
	if r.found.sides[0].deleted {
		return nil, false, nil // it would be what the deleted version was made from
	}
	file, err := r.ops.vault.Ancestor(ctx, r.found.path, r.found.sides[side].rev, vault.MaxNote)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.InvalidArgument) {
		return nil, false, nil
	}
	return file.Data, err == nil, err
}

// maxVersions is how many earlier versions of a note are compared with a copy.
const maxVersions = 50

// baseOfCopy looks in the history for the version of the note that a copy was made from. It is the one that has most in common with
// the copy, if that is certain enough: a base that is too new makes what was added before it look as if the copy had removed it. So
// either the copy has all its lines, or the note's history shows that it was less like the copy before.
func (r *resolution) baseOfCopy(ctx context.Context, theirs []byte) (base []byte, known bool, err error) {
	if !r.ops.vault.HasHistory() {
		return nil, false, nil
	}
	ours := r.versions[0].Data
	versions, err := r.earlierVersions(ctx)
	if err != nil {
		return nil, false, err
	}
	wanted := countLines(theirs)
	best, least, farther := -1, 0, false
	for i, version := range versions { // the newest first
		if string(version) == string(ours) || string(version) == string(theirs) {
			continue // then there would be no conflict, or the side was chosen once
		}
		switch distance := wanted.distance(countLines(version)); {
		case best < 0 || distance <= least: // of two that are alike, the older one keeps more
			best, least, farther = i, distance, false
		default:
			farther = true
		}
	}
	if best < 0 || !farther && !wanted.hasAll(countLines(versions[best])) {
		return nil, false, nil
	}
	return versions[best], true, nil
}

// earlierVersions returns the texts that the note had before and after the changes of it that are recorded, the newest first,
// without those that were undone: the note was not made from them.
func (r *resolution) earlierVersions(ctx context.Context) (versions [][]byte, err error) {
	seen := map[string]bool{}
	at, undone := trail{at: string(r.found.path)}, undoneSet{}
	add := func(past vault.PastChange, content history.Content) {
		if err != nil || !content.Exists() || !content.Kept || content.Size > vault.MaxNote || seen[content.Hash] || len(versions) == maxVersions {
			return
		}
		seen[content.Hash] = true
		var data []byte
		if data, err = r.ops.vault.Content(ctx, past, content); err == nil {
			versions = append(versions, data)
		}
	}
	eachErr := r.ops.vault.EachPastChange(ctx, func(past vault.PastChange) bool {
		was := at.at
		undone.add(past)
		if at.stepBack(past) && !undone[past.ID] && len(past.Undoes) == 0 {
			touched := func(file history.File) bool {
				return file.Op != history.Side && (file.Path == was || file.To == was || file.Path == at.at)
			}
			if i := slices.IndexFunc(past.Files, touched); i >= 0 {
				add(past, past.Files[i].After)
				add(past, past.Files[i].Before)
			}
		}
		return err == nil && ctx.Err() == nil && len(versions) < maxVersions
	})
	return versions, errors.Join(err, eachErr)
}

// lineCounts counts how often a text has each of its lines.
type lineCounts map[string]int

func countLines(text []byte) lineCounts {
	counts := lineCounts{}
	for line := range strings.Lines(string(text)) {
		counts[strings.TrimRight(line, "\r\n")]++
	}
	return counts
}

// distance is how many lines one of two texts has and the other does not.
func (c lineCounts) distance(other lineCounts) (lines int) {
	for line, count := range c {
		lines += max(0, count-other[line])
	}
	for line, count := range other {
		lines += max(0, count-c[line])
	}
	return lines
}

// hasAll reports whether a text has all lines of another one.
func (c lineCounts) hasAll(other lineCounts) bool {
	for line, count := range other {
		if c[line] < count {
			return false
		}
	}
	return true
}
