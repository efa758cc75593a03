package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
)

// The nodes of a cluster may take different writes over the same revision. CouchDB confirms a write that most of them took,
// and only accepts one that fewer took; both become branches of the document, and which of them wins does not depend on
// which was confirmed. So whoever writes to a cluster looks at the branches once most nodes have the write: of two writers, at
// least one sees both branches then, and joins them: the merged text is written over the branch that wins, and then the other one is
// deleted, each only over the revision that was seen. Nothing of either is lost, whether or not its writer was told that it counts.
// The merged text may be one of two branches again, so its writer looks once more, also if that deleted their own branch.
// What cannot be merged stays as one of the writers left it; withdraw.go says how they agree.

// verdict is what became of a write to a cluster.
type verdict uint8

const (
	undecided verdict = iota
	kept              // it is in the only branch that is left
	withdrawn         // another branch stays
)

// confirm waits until it is decided whether writes to a cluster count. It returns fault.Conflict if one was withdrawn.
func (s *Store) confirm(ctx context.Context, writes []*docWrite) error {
	if !s.couch.Clustered() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.Confirm)
	defer cancel()
	var refusal error
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		verdicts := s.decide(ctx, writes)
		var left []*docWrite
		for i, write := range writes {
			switch verdicts[i] {
			case undecided:
				left = append(left, write)
			case withdrawn:
				refusal = s.refused(write, fault.Conflict)
			}
		}
		if len(left) == 0 {
			return refusal
		}
		writes = left
		sleep(ctx, pause)
		if ctx.Err() != nil {
			for _, write := range left {
				s.unconfirmed[write.id] = write
			}
			return fault.StoreUnavailable.Errorf("too few nodes of the database's cluster respond, so whether the change stays is not certain yet").
				WithHint("look at the note in a minute, before trying again")
		}
	}
}

// anyUnconfirmed reports whether one of some writes was left unconfirmed.
func (s *Store) anyUnconfirmed(writes []*docWrite) bool {
	return slices.ContainsFunc(writes, func(write *docWrite) bool { return s.unconfirmed[write.id] == write })
}

// decideLater decides about writes that were left unconfirmed.
func (s *Store) decideLater(ctx context.Context) {
	writes := slices.Collect(maps.Values(s.unconfirmed))
	if len(writes) == 0 {
		return
	}
	for i, verdict := range s.decide(ctx, writes) {
		if verdict != undecided {
			delete(s.unconfirmed, writes[i].id)
		}
	}
}

// decide takes the next steps to a verdict about each write, as far as the cluster allows now.
func (s *Store) decide(ctx context.Context, writes []*docWrite) []verdict {
	verdicts := make([]verdict, len(writes))
	ids := make([]string, len(writes))
	for i, write := range writes {
		ids[i] = write.id
	}
	if s.spread(ctx, writes) != nil {
		return verdicts
	}
	leaves, err := s.couch.Leaves(ctx, ids)
	if err != nil {
		return verdicts
	}
	for i, write := range writes {
		if write.accepted {
			continue // too few nodes have it
		}
		if verdicts[i], err = s.decideOne(ctx, write, leaves[i]); err != nil && !errors.Is(err, fault.Conflict) {
			s.log.Debug("joining two branches of a document failed", "kind", fault.KindOf(err).Code())
		}
	}
	return verdicts
}

// decideOne looks at the branches of a document that most nodes have in our revision.
func (s *Store) decideOne(ctx context.Context, write *docWrite, leaves []couch.Document) (verdict, error) {
	b := branchesOf(leaves, write.rev)
	if b.ours == nil && b.ended && !write.withdrawal.begun && write.joined.rev != "" {
		b = branchesOf(leaves, write.joined.rev)
	}
	switch {
	case b.ours == nil && !b.ended:
		return undecided, nil // it is still on its way
	case write.withdrawal.begun:
		return s.withdrawing(ctx, write, leaves, b)
	case b.ours == nil, len(b.others) == 0:
		return kept, nil
	}
	rest := slices.DeleteFunc(slices.Clone(b.others), write.chooses)
	for _, other := range rest {
		if joined, err := s.join(ctx, write, *b.ours, other); joined || err != nil {
			return undecided, err
		}
	}
	if sameDocument(b.ours.Body, write.body) && slices.ContainsFunc(rest, write.rivals) {
		return undecided, s.yield(ctx, write, *b.ours, write.among(*b.ours, leaves))
	}
	// Others have built on it, or it was built on what no other branch has, or it stays because it resolves a conflict.
	if ended, err := s.endChosen(ctx, write, b.others); ended || err != nil {
		return undecided, err
	}
	return kept, nil
}

// chooses reports whether a write ends a branch because it resolves a conflict.
func (w *docWrite) chooses(branch couch.Document) bool {
	return slices.Contains(w.resolves, store.Rev(branch.Rev))
}

// rivals reports whether a branch competes with a write: it has what the write was made from, so one of the two can be withdrawn.
func (w *docWrite) rivals(branch couch.Document) bool {
	return !w.chooses(branch) && (w.base == "" || slices.Contains(branch.Ancestors, w.base))
}

// among returns the leaves without the live branches that do not compete with ours.
func (w *docWrite) among(ours couch.Document, leaves []couch.Document) []couch.Document {
	return slices.DeleteFunc(slices.Clone(leaves), func(leaf couch.Document) bool {
		return !leaf.Deleted && leaf.Rev != ours.Rev && !w.rivals(leaf)
	})
}

// branches are the branches of a document, as the writer of a revision sees them.
type branches struct {
	ours   *couch.Document  // the end of the branch that has our revision, unless it is deleted
	ended  bool             // our branch has been deleted
	others []couch.Document // the other branches that are not deleted
}

func branchesOf(leaves []couch.Document, rev string) (b branches) {
	for i, leaf := range leaves {
		isOurs := leaf.Rev == rev || slices.Contains(leaf.Ancestors, rev)
		switch {
		case isOurs && leaf.Deleted && leaf.Rev != rev:
			b.ended = true
		case isOurs && (b.ours == nil || b.ours.Deleted):
			b.ours = &leaves[i]
		case !leaf.Deleted:
			b.others = append(b.others, leaf)
		}
	}
	return b
}

// spread sends writes, and the texts that join their branches, to the nodes that did not take them.
func (s *Store) spread(ctx context.Context, writes []*docWrite) error {
	var revisions []json.RawMessage
	for _, write := range writes {
		for _, own := range write.successors() {
			if own.unspread != nil {
				revisions = append(revisions, own.unspread)
			}
		}
		if !write.accepted {
			continue
		}
		body, err := asRevision(write.body, write.rev, s.lineage(ctx, write.id, write.base))
		if err != nil {
			return err
		}
		revisions = append(revisions, body)
	}
	if len(revisions) == 0 {
		return nil
	}
	confirmed, err := s.couch.Spread(ctx, revisions...)
	if err == nil && confirmed {
		for _, write := range writes {
			write.accepted = false
			for _, own := range write.successors() {
				own.unspread = nil
			}
		}
	}
	return err
}

// successor is a revision that was written over another one.
type successor struct {
	rev      string
	counts   bool            // most nodes took it at once, rather than because it is a revision that others have
	unspread json.RawMessage // the revision, while too few nodes have it
}

// successors returns what a write has written over other revisions, and has to bring to most nodes.
func (w *docWrite) successors() []*successor {
	all := []*successor{&w.joined}
	for i := range w.withdrawal.claims {
		all = append(all, &w.withdrawal.claims[i])
	}
	return all
}

// writeOver writes one document over the revision that it names, to most nodes. If they do not respond, it returns what it has written
// together with the error.
func (s *Store) writeOver(ctx context.Context, body json.RawMessage) (next successor, err error) {
	outcomes, err := s.couch.BulkDocs(ctx, []json.RawMessage{body}, couch.BulkOptions{})
	if err != nil {
		return next, err
	}
	outcome := outcomes[0]
	if outcome.Err != nil {
		return next, outcome.Err
	}
	next.rev = outcome.Rev
	if !outcome.Accepted {
		next.counts = true
		return next, nil
	}
	var named struct {
		ID  string `json:"_id"`
		Rev string `json:"_rev"`
	}
	if err := json.Unmarshal(body, &named); err != nil {
		return next, fault.Internal.Errorf("a document that was written is not JSON: %w", err)
	}
	if next.unspread, err = asRevision(body, next.rev, s.lineage(ctx, named.ID, named.Rev)); err != nil {
		return next, err
	}
	confirmed, err := s.couch.Spread(ctx, next.unspread)
	switch {
	case err != nil:
		return next, err
	case !confirmed:
		return next, tooFewNodes()
	}
	next.unspread = nil
	return next, nil
}

// tooFewNodes is the error when most nodes of the database's cluster cannot be reached.
func tooFewNodes() *fault.Error {
	return fault.StoreUnavailable.Errorf("too few nodes of the database's cluster respond").WithHint("try again in a minute")
}

// over returns a document as the successor of a revision.
func over(body json.RawMessage, rev string) (json.RawMessage, error) {
	return withFields(body, map[string]any{"_rev": rev})
}

// lineage returns a revision and those before it, the latest first. A copy that lacks some of them would take an earlier one that it
// has for another branch.
func (s *Store) lineage(ctx context.Context, id, rev string) []string {
	if rev == "" {
		return nil
	}
	found, err := s.couch.Get(ctx, id, couch.GetOptions{Rev: rev, Ancestors: true})
	if err != nil { // compacted away, probably
		return []string{rev}
	}
	return append([]string{rev}, found.Ancestors...)
}

// asRevision returns a document as the revision rev, which comes after a lineage.
func asRevision(body json.RawMessage, rev string, lineage []string) (json.RawMessage, error) {
	var ids []string
	for _, revision := range append([]string{rev}, lineage...) {
		if _, hash, ok := strings.Cut(revision, "-"); ok {
			ids = append(ids, hash)
		}
	}
	return withFields(body, map[string]any{"_rev": rev, "_revisions": map[string]any{"start": couch.Generation(rev), "ids": ids}})
}

// withFields replaces the fields that CouchDB adds to a document.
func withFields(body json.RawMessage, own map[string]any) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fault.Internal.Errorf("a document that was written is not JSON: %w", err)
	}
	for key := range all {
		if strings.HasPrefix(key, "_") && key != "_id" && key != "_deleted" {
			delete(all, key)
		}
	}
	for key, value := range own {
		field, err := json.Marshal(value)
		if err != nil {
			return nil, fault.Internal.Errorf("a field of a document: %w", err)
		}
		all[key] = field
	}
	return json.Marshal(all)
}
