package livesync

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/merge"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// CouchDB keeps the revisions of a document, those of removed branches too, until somebody compacts the database. They show what a
// sync has dropped, as opposed to what a person deleted:
//
//   - a branch was removed, and lines that it had added to the common ancestor never were in the branch that won;
//   - the revision that joined another branch lacks lines that its predecessor had added;
//   - a revision brought back the text of an earlier one, as a device does that had not heard of those in between.

// LostLine is a line of a note that a sync has dropped.
type LostLine struct {
	Path     string
	Line     int // in that revision
	Text     string
	Rev      string
	Modified time.Time // of that revision
	How      LostBy
}

// LostBy says how a line was lost.
type LostBy string

// How lines are lost.
const (
	LostBranch   LostBy = "the other side of a conflict was dropped"
	LostMerge    LostBy = "a merge of two sides dropped it"
	LostReverted LostBy = "an earlier version was written over it"
)

// LostSummary counts what Lost has looked at.
type LostSummary struct {
	Notes     int // with those that are deleted
	Revisions int // that the database still has
	Lines     int // that were lost
}

// lostAtOnce is how many documents Lost examines at a time.
const lostAtOnce = 100

// Lost looks for lines of notes that a sync has dropped, in all revisions that the database still has. It calls found for each, and
// progress with the number of notes examined so far.
func (s *Store) Lost(ctx context.Context, progress func(done, total int), found func(LostLine)) (sum LostSummary, err error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return sum, err
	}
	files, err := s.ensureCatalogue(ctx)
	if err != nil {
		return sum, err
	}
	ids := s.noteIDs(files)
	for some := range slices.Chunk(ids, lostAtOnce) {
		histories, err := s.histories(ctx, sess, some)
		if err != nil {
			return sum, databaseError(err)
		}
		for _, h := range histories {
			sum.Notes++
			sum.Revisions += len(h.versions)
			lines, err := h.lost(ctx)
			if err != nil {
				return sum, databaseError(err)
			}
			for _, line := range lines {
				sum.Lines++
				found(line)
			}
		}
		progress(min(sum.Notes, len(ids)), len(ids))
	}
	return sum, nil
}

// noteIDs lists the documents of files, with those of deleted ones.
func (s *Store) noteIDs(files *catalogue) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range files.byID {
		ids = append(ids, id)
	}
	for id := range files.deleted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// docHistory is what the database still has of a document.
type docHistory struct {
	store    *Store
	session  *session
	branches [][]string // revisions of each branch, the newest first; the first branch wins
	removed  []bool     // which branches were removed
	versions map[string]docInfo
	texts    map[string][]byte // of versions that were read; nil if one cannot be
}

// histories reads what the database has of documents.
func (s *Store) histories(ctx context.Context, sess *session, ids []string) ([]*docHistory, error) {
	all, err := s.bulk.Leaves(ctx, ids)
	if err != nil {
		return nil, err
	}
	histories := make([]*docHistory, len(ids))
	var wanted []couch.RevisionID
	for i, leaves := range all {
		h := &docHistory{store: s, session: sess, versions: map[string]docInfo{}, texts: map[string][]byte{}}
		for _, leaf := range leaves {
			h.branches = append(h.branches, append([]string{leaf.Rev}, leaf.Ancestors...))
			h.removed = append(h.removed, leaf.Deleted)
			h.add(leaf)
			for _, rev := range leaf.Ancestors {
				wanted = append(wanted, couch.RevisionID{ID: ids[i], Rev: rev})
			}
		}
		histories[i] = h
	}
	earlier, err := s.bulk.Revisions(ctx, wanted)
	if err != nil {
		return nil, err
	}
	byID := map[string]*docHistory{}
	for i, id := range ids {
		byID[id] = histories[i]
	}
	for id, document := range earlier {
		byID[id.ID].add(document)
	}
	return histories, nil
}

// add adds a revision that holds a note. The removal of a branch holds nothing.
func (h *docHistory) add(document couch.Document) {
	if info := h.session.inspect(&document); info.err == nil && info.file != nil && info.kind == format.Note && !document.Deleted {
		h.versions[document.Rev] = info
	}
}

// text returns the text of a revision; ok is false if the database no longer has it, if it deleted the note, or if it is no text.
func (h *docHistory) text(ctx context.Context, rev string) (text []byte, ok bool, err error) {
	if text, read := h.texts[rev]; read {
		return text, text != nil, nil
	}
	h.texts[rev] = nil
	info, known := h.versions[rev]
	if !known || info.deleted || !vpath.Path(info.file.Path).IsNote() {
		return nil, false, nil
	}
	text, err = h.store.content(ctx, h.session, info.file)
	if unread, isUnreadable := errors.AsType[*unreadable](err); isUnreadable && fault.KindOf(unread) != fault.StoreUnavailable || errors.Is(err, format.ErrMissing) {
		return nil, false, nil
	}
	if err != nil || !utf8.Valid(text) {
		return nil, false, err
	}
	h.texts[rev] = append([]byte{}, text...) // not nil
	return h.texts[rev], true, nil
}

// lost finds the lines that were lost.
func (h *docHistory) lost(ctx context.Context) (all []LostLine, err error) {
	if len(h.branches) == 0 {
		return nil, nil
	}
	seen := map[string]bool{}
	collect := func(lines []LostLine, failure error) {
		for _, line := range lines {
			if key := strings.TrimSpace(line.Text); !seen[key] {
				seen[key] = true
				all = append(all, line)
			}
		}
		err = errors.Join(err, failure)
	}
	for i, branch := range h.branches[1:] {
		if h.removed[i+1] {
			collect(h.lostBranch(ctx, branch))
		}
	}
	collect(h.reverted(ctx))
	return all, err
}

// lostBranch finds what was lost with a branch that was removed, and when it was joined.
func (h *docHistory) lostBranch(ctx context.Context, branch []string) ([]LostLine, error) {
	winner := h.branches[0]
	fork := slices.IndexFunc(branch, func(rev string) bool { return slices.Contains(winner, rev) })
	var base []byte
	own, after := branch, winner // the revisions since the branches parted
	if fork >= 0 {
		own, after = branch[:fork], winner[:slices.Index(winner, branch[fork])]
		var err error
		if base, _, err = h.text(ctx, branch[fork]); err != nil {
			return nil, err
		}
	}
	theirs, last, err := h.newest(ctx, own)
	if err != nil || last == "" {
		return nil, err
	}
	lost, err := h.lines(ctx, LostBranch, last, base, theirs, after)
	if err != nil {
		return nil, err
	}
	dropped, err := h.lostInMerge(ctx, base, theirs, after)
	return append(lost, dropped...), err
}

// newest returns the newest of some revisions that has a text.
func (h *docHistory) newest(ctx context.Context, revs []string) (text []byte, rev string, err error) {
	for _, rev := range revs {
		if text, ok, err := h.text(ctx, rev); ok || err != nil {
			return text, rev, err
		}
	}
	return nil, "", nil
}

// lostInMerge finds what the revision dropped that joined another branch: the first one with a line of that branch.
func (h *docHistory) lostInMerge(ctx context.Context, base, theirs []byte, after []string) ([]LostLine, error) {
	for i := len(after) - 1; i >= 0; i-- {
		text, ok, err := h.text(ctx, after[i])
		if err != nil {
			return nil, err
		}
		if !ok || len(merge.Lost(base, theirs, text)) == len(merge.Lost(base, theirs)) {
			continue
		}
		before, rev, err := h.newest(ctx, after[i+1:])
		if err != nil || rev == "" {
			return nil, err
		}
		return h.lines(ctx, LostMerge, rev, base, before, after[:i+1])
	}
	return nil, nil
}

// reverted finds what was lost because a revision has the same text as an earlier one, and others were in between.
func (h *docHistory) reverted(ctx context.Context) (lost []LostLine, err error) {
	revs := h.branches[0]
	for now := 0; now+2 < len(revs); now++ {
		for then := now + 2; then < len(revs); then++ {
			if !h.same(revs[now], revs[then]) || h.same(revs[now], revs[now+1]) {
				continue
			}
			base, ok, err := h.text(ctx, revs[then])
			if err != nil || !ok {
				return lost, err
			}
			between, rev, err := h.newest(ctx, revs[now+1:then])
			if err != nil {
				return lost, err
			}
			if rev != "" {
				lines, err := h.lines(ctx, LostReverted, rev, base, between, revs[:now+1])
				if err != nil {
					return lost, err
				}
				lost = append(lost, lines...)
			}
			break
		}
	}
	return lost, nil
}

// same reports whether two revisions that the database has hold the same text.
func (h *docHistory) same(a, b string) bool {
	one, two := h.versions[a], h.versions[b]
	return one.file != nil && two.file != nil && !one.deleted && !two.deleted &&
		len(one.file.Children) > 0 && one.file.Size == two.file.Size && slices.Equal(one.file.Children, two.file.Children)
}

// lines returns the lines of a revision that none of the later ones has.
func (h *docHistory) lines(ctx context.Context, how LostBy, rev string, base, text []byte, later []string) (lost []LostLine, err error) {
	var texts [][]byte
	for _, rev := range later {
		text, ok, err := h.text(ctx, rev)
		if err != nil {
			return nil, err
		}
		if ok {
			texts = append(texts, text)
		}
	}
	file := h.versions[rev].file
	for _, line := range merge.Lost(base, text, texts...) {
		lost = append(lost, LostLine{
			Path: file.Path, Line: line.Number, Text: line.Text, Rev: rev, Modified: time.UnixMilli(file.MTime), How: how,
		})
	}
	return lost, nil
}
