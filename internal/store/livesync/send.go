package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// send writes documents, each over the revision that it follows. An error says
// that at least one was not written, or that nobody knows. A document whose
// answer was lost is looked for, and sent again only if it is not there.
func (s *Store) send(ctx context.Context, writes []*write) error {
	for some := range portions(writes, func(one *write) int { return len(one.body) }) {
		if err := s.sendSome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// sendings is how often documents are sent whose answers are lost.
const sendings = 5

func (s *Store) sendSome(ctx context.Context, pending []*write) error {
	for attempt := 1; ; attempt++ {
		err := s.sendOnce(ctx, pending)
		if !errors.Is(err, couch.ErrLostAnswer) {
			return err
		}
		left, lookErr := s.unwritten(ctx, pending)
		if errors.Is(lookErr, fault.Conflict) {
			return lookErr
		}
		if lookErr != nil || attempt == sendings {
			return fault.StoreUnavailable.Errorf("nobody knows whether the change was written: %w", err).WithHint("look at the note before trying again")
		}
		if len(left) == 0 {
			return nil
		}
		pending = left
		wait(ctx, time.Duration(attempt)*100*time.Millisecond)
	}
}

func (s *Store) sendOnce(ctx context.Context, writes []*write) error {
	bodies := make([]json.RawMessage, len(writes))
	lost := make([]bool, len(writes)) // an answer for it, before
	for i, one := range writes {
		bodies[i], lost[i] = one.body, !one.foreign
	}
	outcomes, err := s.couch.BulkDocs(ctx, bodies, couch.BulkOptions{})
	for _, one := range writes {
		one.foreign = err != nil && one.foreign && !errors.Is(err, couch.ErrLostAnswer)
	}
	if err != nil {
		return err
	}
	for i, outcome := range outcomes {
		if outcome.Err == nil {
			writes[i].rev = outcome.Rev
			continue
		}
		writes[i].foreign = !lost[i]
		if err == nil {
			err = s.refused(writes[i], outcome.Err)
		}
	}
	return err
}

// refused is the error for a document that was not written.
func (s *Store) refused(one *write, err error) error {
	name := one.id
	if one.file != nil {
		name = one.file.Path
	}
	switch fault.KindOf(err) {
	case fault.Conflict:
		if one.base == "" {
			return fault.Conflict.Errorf("%q was made by others meanwhile", name).WithHint("read it again")
		}
		return fault.Conflict.Errorf("%q has changed since it was read", name).WithHint("read it again")
	case fault.PermissionDenied:
		return fault.PermissionDenied.Errorf("%w", err).WithHint("%s", fault.HintOf(refusedAccount("")))
	}
	return err
}

// unwritten finds out what became of documents whose answers were lost, and
// gives those that are not in the database.
func (s *Store) unwritten(ctx context.Context, writes []*write) ([]*write, error) {
	states, err := s.states(ctx, writes)
	if err != nil {
		return nil, err
	}
	var left []*write
	for i, one := range writes {
		switch state := states[i]; state.is {
		case atBase:
			left = append(left, one)
		case written:
			one.rev = state.rev
		case beyond:
			one.rev = state.ours
		default:
			return nil, s.refused(one, fault.Conflict)
		}
	}
	return left, nil
}

// fate is what became of a document that was sent.
type fate uint8

const (
	atBase  fate = iota // it was not written, and nothing else was
	written             // it is there
	beyond              // it was written, and then others changed it
	other               // others changed it instead
)

// state is a document of a unit as it is in the database.
type state struct {
	is   fate
	rev  string // of the document as it is now
	ours string // of the one that was written before that
	body json.RawMessage
}

// states looks at all documents of a unit.
func (s *Store) states(ctx context.Context, writes []*write) ([]state, error) {
	ids := make([]string, len(writes))
	for i, one := range writes {
		ids[i] = one.id
	}
	rows, err := s.couch.Fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	states := make([]state, len(writes))
	for i, row := range rows {
		if row.Err != nil {
			return nil, row.Err
		}
		if states[i], err = s.stateOf(ctx, writes[i], row); err != nil {
			return nil, err
		}
	}
	return states, nil
}

func (s *Store) stateOf(ctx context.Context, one *write, row couch.Row) (state, error) {
	now := state{rev: row.Rev}
	if row.Doc != nil {
		now.rev, now.body = row.Doc.Rev, row.Doc.Body
	}
	switch {
	case row.Missing && one.base == "", now.rev == one.base:
		now.is = atBase
	case row.Deleted && one.old == nil && !isTombstone(one.body):
		now.is = atBase // nothing is left of what was there before
	case one.foreign:
		now.is = other
	case one.rev != "" && one.rev == now.rev, row.Doc != nil && sameDocument(now.body, one.body), row.Deleted && isTombstone(one.body):
		now.is = written
	default:
		var err error
		if now.ours, err = s.wasWritten(ctx, one, now.rev); err != nil {
			return now, err
		}
		if now.is = other; now.ours != "" {
			now.is = beyond
		}
	}
	return now, nil
}

// wasWritten looks for a document among the earlier revisions of the one that
// is there, which may be deleted, and gives its revision.
func (s *Store) wasWritten(ctx context.Context, one *write, rev string) (string, error) {
	now, err := s.couch.Get(ctx, one.id, couch.GetOptions{Rev: rev, Ancestors: true})
	if errors.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if one.rev != "" {
		if slices.Contains(now.Ancestors, one.rev) {
			return one.rev, nil
		}
		return "", nil
	}
	for _, earlier := range followers(now.Ancestors, one.base) {
		found, err := s.couch.Get(ctx, one.id, couch.GetOptions{Rev: earlier})
		if err != nil && !errors.Is(err, fault.NotFound) {
			return "", err
		}
		if err == nil && sameDocument(found.Body, one.body) {
			return earlier, nil
		}
	}
	return "", nil
}

// neverWritten reports whether a document is known not to be among the earlier
// revisions of the one that is there: another one stands where it would. That
// CouchDB refused it proves nothing, since another server may have sent it in
// our place.
func (s *Store) neverWritten(ctx context.Context, one *write, is state) (bool, error) {
	if is.is != other || one.base == "" || one.rev != "" {
		return false, nil
	}
	next, err := s.couch.Get(ctx, one.id, couch.GetOptions{Rev: is.rev, Ancestors: true})
	if err == nil && !slices.Contains(next.Ancestors, one.base) {
		return false, nil
	}
	if after := followers(next.Ancestors, one.base); err == nil && len(after) > 0 {
		next, err = s.couch.Get(ctx, one.id, couch.GetOptions{Rev: after[0]})
	}
	if errors.Is(err, fault.NotFound) { // the database has forgotten it
		return false, nil
	}
	return err == nil && !sameDocument(next.Body, one.body), err
}

// followers are the revisions that may be of a document written over base: the
// next one, or, of a new document, one of the first.
func followers(revs []string, base string) []string {
	if base != "" {
		return slices.DeleteFunc(slices.Clone(revs), func(rev string) bool { return generation(rev) != generation(base)+1 })
	}
	return revs[max(0, len(revs)-5):]
}

// generation counts the revisions up to one.
func generation(rev string) int {
	number, _, _ := strings.Cut(rev, "-")
	n, _ := strconv.Atoi(number)
	return n
}

func isTombstone(body []byte) bool {
	var document struct {
		Deleted bool `json:"_deleted"`
	}
	return json.Unmarshal(body, &document) == nil && document.Deleted
}

// sameDocument compares all but what CouchDB adds.
func sameDocument(a, b []byte) bool { return reflect.DeepEqual(ownFields(a), ownFields(b)) }

func ownFields(body []byte) map[string]any {
	var all map[string]any
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	for key := range all {
		if strings.HasPrefix(key, "_") {
			delete(all, key)
		}
	}
	return all
}
