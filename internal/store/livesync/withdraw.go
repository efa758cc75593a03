package livesync

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// Two branches that cannot be merged stay as one of their writers left them. The writer whose branch wins withdraws it by writing its
// successor, a deletion; the writer whose branch loses claims the winner by writing it again, unchanged, as its own successor. Each
// node takes only one of the two, so at most one of them is taken by most nodes at first: that one counts. Whoever wrote the other one
// brings it to most nodes and looks again. The claimant then sees the deletion, if it counts, and takes the claim back; or else
// withdraws the branch that loses. The writer of the winner sees the claim and waits for what becomes of it; or there is none, and
// there cannot be one any more.
//
// A claim that does not count is also taken back if the winner has been edited: it would stay beside the edit as a conflict. Others do not
// claim such a claim meanwhile.
//
// Nobody withdraws a branch before the other one is on most nodes. A node that had only the withdrawn one would take the other one,
// which may be on its way there as a new document, for the successor of the deletion, and so for a third branch.

// withdrawal is how far the writer of a branch has come with withdrawing it.
type withdrawal struct {
	begun bool // the deletion was sent
	sent  bool // most nodes have it
	final bool // most nodes took it first, or have it and cannot have taken a claim

	claims []successor // our claims of other branches

	claimant string    // revision of the claim that another server is expected to withdraw
	waits    time.Time // when waiting for that began
}

// claim returns our claim that has a revision.
func (w *withdrawal) claim(rev string) (claim successor, ok bool) {
	at := slices.IndexFunc(w.claims, func(claim successor) bool { return claim.rev == rev })
	if at < 0 {
		return claim, false
	}
	return w.claims[at], true
}

// yield withdraws our branch, after claiming the other one if that wins.
func (s *Store) yield(ctx context.Context, write *docWrite, ours couch.Document, leaves []couch.Document) error {
	w, winner := &write.withdrawal, leaves[0]
	if ended, err := s.endLateClaim(ctx, write, leaves); ended || err != nil {
		return err
	}
	_, claimed := w.claim(winner.Rev)
	switch {
	case ours.Rev != write.rev:
		return s.yieldClaimed(ctx, write, ours, leaves)
	case winner.Rev != ours.Rev && !claimed:
		if waits, err := s.waitsForClaimant(ctx, w, ours, leaves); waits || err != nil {
			return err
		}
		claim, err := s.claim(ctx, winner)
		if claim.rev != "" {
			w.claims = append(w.claims, claim)
		}
		if err != nil || !claim.counts {
			return err // look again
		}
	}
	return s.withdraw(ctx, write, ours, otherBranch(ours, leaves))
}

// endLateClaim takes back a claim that did not count, if what we claimed was withdrawn or edited too.
func (s *Store) endLateClaim(ctx context.Context, write *docWrite, leaves []couch.Document) (ended bool, err error) {
	for _, leaf := range leaves {
		claim, claimed := write.withdrawal.claim(leaf.Rev)
		if !claimed || claim.counts || leaf.Deleted {
			continue
		}
		rival := otherSuccessor(leaves, leaf)
		if rival == nil {
			continue
		}
		if !rival.Deleted {
			if confirmed, err := s.spreadLeaf(ctx, *rival); err != nil || !confirmed {
				return false, cmp.Or(err, error(tooFewNodes()))
			}
		}
		_, err := s.endBranch(ctx, write.id, claim.rev)
		return true, err
	}
	return false, nil
}

// otherSuccessor returns what succeeds the revision that a claim succeeds: an edit, or its own deletion. The deletion of a later one says
// nothing about the revision; whoever wrote that has seen what came before.
func otherSuccessor(leaves []couch.Document, claim couch.Document) *couch.Document {
	if len(claim.Ancestors) == 0 {
		return nil
	}
	claimed := claim.Ancestors[0]
	at := slices.IndexFunc(leaves, func(leaf couch.Document) bool {
		depth := slices.Index(leaf.Ancestors, claimed)
		return leaf.Rev != claim.Rev && depth >= 0 && (depth == 0 || !leaf.Deleted)
	})
	if at < 0 {
		return nil
	}
	return &leaves[at]
}

// waitsForClaimant reports whether the winner is a claim of another server that does not seem to count: the server takes it back then. If
// it does not do so for a while, the claim counts, or the server is gone.
func (s *Store) waitsForClaimant(ctx context.Context, w *withdrawal, ours couch.Document, leaves []couch.Document) (bool, error) {
	winner := leaves[0]
	if rival := otherSuccessor(leaves, winner); rival == nil || rival.Rev == ours.Rev {
		return false, nil
	}
	claimed, err := s.couch.Get(ctx, winner.ID, couch.GetOptions{Rev: winner.Ancestors[0]})
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil || !sameDocument(claimed.Body, winner.Body) {
		return false, err
	}
	if w.claimant != winner.Rev {
		w.claimant, w.waits = winner.Rev, time.Now()
	}
	return time.Since(w.waits) < s.opt.Confirm/2, nil
}

// yieldClaimed withdraws our branch, which is claimed, if the claimant cannot withdraw the other one any more: others have built on that.
func (s *Store) yieldClaimed(ctx context.Context, write *docWrite, ours couch.Document, leaves []couch.Document) error {
	other := otherBranch(ours, leaves)
	first := other.Rev
	for _, rev := range other.Ancestors {
		if slices.Contains(ours.Ancestors, rev) {
			break
		}
		first = rev
	}
	begun, err := s.couch.Get(ctx, write.id, couch.GetOptions{Rev: first})
	if err != nil || sameDocument(begun.Body, other.Body) {
		return err // the claimant is about to withdraw it, or the claim
	}
	return s.withdraw(ctx, write, ours, other)
}

// withdraw deletes our branch, once most nodes have the other one.
func (s *Store) withdraw(ctx context.Context, write *docWrite, ours, other couch.Document) error {
	confirmed, err := s.spreadLeaf(ctx, other)
	if err != nil {
		return err
	}
	if !confirmed {
		return tooFewNodes()
	}
	w := &write.withdrawal
	w.begun = true
	counts, err := s.endBranch(ctx, write.id, ours.Rev)
	if errors.Is(err, fault.Conflict) {
		w.begun = false // it has a successor
	}
	w.final = err == nil && counts
	return err
}

// otherBranch returns the first branch that is not ours.
func otherBranch(ours couch.Document, leaves []couch.Document) couch.Document {
	at := slices.IndexFunc(leaves, func(leaf couch.Document) bool { return !leaf.Deleted && leaf.Rev != ours.Rev })
	return leaves[at]
}

// spreadLeaf sends the end of a branch to the nodes that do not have it, and reports whether most have it now.
func (s *Store) spreadLeaf(ctx context.Context, leaf couch.Document) (confirmed bool, err error) {
	revision, err := asRevision(leaf.Body, leaf.Rev, leaf.Ancestors)
	if err != nil {
		return false, err
	}
	return s.couch.Spread(ctx, revision)
}

// withdrawing decides about a write whose deletion was sent.
func (s *Store) withdrawing(ctx context.Context, write *docWrite, leaves []couch.Document, b branches) (verdict, error) {
	w := &write.withdrawal
	if ended, err := s.endLateClaim(ctx, write, leaves); ended || err != nil {
		return undecided, err
	}
	if b.ours != nil {
		at := slices.Index(b.ours.Ancestors, write.rev)
		if isNew, err := s.anyEnded(ctx, write.id, b.ours.Ancestors[:max(0, at)]); err != nil {
			return undecided, err
		} else if isNew { // of somebody else, over our deletion
			b.ours, b.others = nil, append(b.others, *b.ours)
		}
	}
	switch {
	case w.final && b.ours == nil && len(b.others) > 0:
		return withdrawn, nil
	case b.ours != nil && b.ours.Rev == write.rev:
		w.begun = false // the deletion never arrived
		return undecided, nil
	case b.ours != nil && slices.ContainsFunc(b.others, write.rivals) && sameDocument(b.ours.Body, write.body):
		return undecided, s.yieldClaimed(ctx, write, *b.ours, write.among(*b.ours, leaves))
	case b.ours != nil:
		w.begun = false
		return kept, nil
	case w.sent && !w.final:
		w.final = true // and there was no claim once most nodes had it
		return undecided, nil
	case !w.final:
		var err error
		w.sent, err = s.spreadDeletion(ctx, write, leaves)
		return undecided, err
	}
	return undecided, s.revive(ctx, write, leaves[0].Rev)
}

// spreadDeletion brings the deletion of our branch to most nodes.
func (s *Store) spreadDeletion(ctx context.Context, write *docWrite, leaves []couch.Document) (done bool, err error) {
	at := slices.IndexFunc(leaves, func(leaf couch.Document) bool { return leaf.Deleted && slices.Contains(leaf.Ancestors, write.rev) })
	if at < 0 {
		return false, nil
	}
	return s.spreadLeaf(ctx, leaves[at])
}

// claim writes the winning revision again as its own successor.
func (s *Store) claim(ctx context.Context, winner couch.Document) (successor, error) {
	body, err := over(winner.Body, winner.Rev)
	if err != nil {
		return successor{}, err
	}
	return s.writeOver(ctx, body)
}

// endBranch deletes a branch of a document that has another one. counts tells whether most nodes took the deletion first.
func (s *Store) endBranch(ctx context.Context, id, rev string) (counts bool, err error) {
	body, err := json.Marshal(map[string]any{"_id": id, "_rev": rev, "_deleted": true})
	if err != nil {
		return false, fault.Internal.Errorf("a deletion: %w", err)
	}
	deletion, err := s.writeOver(ctx, body)
	return deletion.counts, err
}

// revive writes our document again if every branch has been withdrawn.
func (s *Store) revive(ctx context.Context, write *docWrite, deletion string) error {
	body, err := over(write.body, deletion)
	if err != nil {
		return err
	}
	outcomes, err := s.couch.BulkDocs(ctx, []json.RawMessage{body}, couch.BulkOptions{})
	if err != nil {
		return err
	}
	if outcomes[0].Err == nil {
		write.base, write.rev, write.body, write.accepted = deletion, outcomes[0].Rev, body, outcomes[0].Accepted
		write.withdrawal = withdrawal{claims: write.withdrawal.claims}
	}
	return outcomes[0].Err
}
