package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// send writes documents, each over its base revision. After an error at least one was not written, or its state is
// unknown. If a response was lost, it looks for the documents and sends only missing ones again.
func (s *Store) send(ctx context.Context, writes []*docWrite) error {
	for some := range portions(writes, func(write *docWrite) int { return len(write.body) }) {
		err := s.sendPortion(ctx, some)
		sent := slices.DeleteFunc(slices.Clone(some), func(write *docWrite) bool { return write.rev == "" })
		if err == nil && !s.couch.Clustered() {
			err = s.endResolved(ctx, sent)
		}
		if unconfirmed := s.confirm(ctx, sent); err == nil {
			err = unconfirmed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxSendAttempts is how often documents are sent if responses are lost.
const maxSendAttempts = 5

func (s *Store) sendPortion(ctx context.Context, pending []*docWrite) error {
	for attempt := 1; ; attempt++ {
		err := s.sendOnce(ctx, pending)
		mayBeOurs := attempt > 1 && errors.Is(err, fault.Conflict) // the request whose answer was lost may have arrived since
		if !errors.Is(err, couch.ErrLostAnswer) && !mayBeOurs {
			return err
		}
		left, lookErr := s.unwritten(ctx, pending)
		if errors.Is(lookErr, fault.Conflict) {
			return lookErr
		}
		if lookErr != nil || attempt == maxSendAttempts {
			return fault.StoreUnavailable.Errorf("it is unknown whether the change was written: %w", err).WithHint("look at the note before trying again")
		}
		if len(left) == 0 {
			return nil
		}
		pending = left
		sleep(ctx, time.Duration(attempt)*100*time.Millisecond)
	}
}

func (s *Store) sendOnce(ctx context.Context, writes []*docWrite) error {
	bodies := make([]json.RawMessage, len(writes))
	lost := make([]bool, len(writes)) // an earlier response
	for i, write := range writes {
		bodies[i], lost[i] = write.body, !write.unsent
	}
	outcomes, err := s.couch.BulkDocs(ctx, bodies, couch.BulkOptions{})
	for _, write := range writes {
		write.unsent = err != nil && write.unsent && !errors.Is(err, couch.ErrLostAnswer)
	}
	if err != nil {
		return err
	}
	for i, outcome := range outcomes {
		if outcome.Err == nil {
			writes[i].rev, writes[i].accepted = outcome.Rev, outcome.Accepted
			continue
		}
		writes[i].unsent = !lost[i]
		if err == nil {
			err = s.refused(writes[i], outcome.Err)
		}
	}
	return err
}

// refused returns the error for a document that was not written.
func (s *Store) refused(write *docWrite, err error) error {
	name := write.id
	if write.file != nil {
		name = write.file.Path
	}
	switch fault.KindOf(err) {
	case fault.Conflict:
		if write.base == "" {
			return fault.Conflict.Errorf("%q was created by someone else in the meantime", name).WithHint("read it again")
		}
		return fault.Conflict.Errorf("%q has changed since it was read", name).WithHint("read it again")
	case fault.PermissionDenied:
		return fault.PermissionDenied.Errorf("%w", err).WithHint("%s", fault.HintOf(refusedAccount("")))
	}
	return err
}

// unwritten finds out what happened to documents whose responses were lost, and returns those that are not in the
// database.
func (s *Store) unwritten(ctx context.Context, writes []*docWrite) ([]*docWrite, error) {
	states, err := s.states(ctx, writes)
	if err != nil {
		return nil, err
	}
	var left []*docWrite
	for i, write := range writes {
		switch state := states[i]; state.fate {
		case atBase:
			left = append(left, write)
		case written:
			write.arrived(state.rev, s.couch.Clustered())
		case superseded:
			write.arrived(state.ourRev, s.couch.Clustered())
		default:
			return nil, s.refused(write, fault.Conflict)
		}
	}
	return left, nil
}

// arrived sets the revision of a document whose response was lost. Nobody knows how many nodes of a cluster took it, so it is sent to all
// of them, unless others may have removed the file on top of what they wrote.
func (w *docWrite) arrived(rev string, inCluster bool) {
	w.rev = rev
	w.accepted = inCluster && (w.base == "" || couch.Generation(rev) == couch.Generation(w.base)+1)
}

// fate is what happened to a document that was sent.
type fate uint8

const (
	atBase           fate = iota // it was not written, and nothing else was
	written                      // it is the current document
	superseded                   // it was written, and then others changed it
	replacedByOthers             // others wrote something else instead
)

// state is the current state of a document that was sent.
type state struct {
	fate   fate
	rev    string // the current revision
	ourRev string // our revision, if superseded
	body   json.RawMessage
}

// states finds out the state of each document.
func (s *Store) states(ctx context.Context, writes []*docWrite) ([]state, error) {
	ids := make([]string, len(writes))
	for i, write := range writes {
		ids[i] = write.id
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

func (s *Store) stateOf(ctx context.Context, write *docWrite, row couch.Row) (state, error) {
	result := state{rev: row.Rev}
	if row.Doc != nil {
		result.rev, result.body = row.Doc.Rev, row.Doc.Body
	}
	switch {
	case row.Missing && write.base == "", result.rev == write.base:
		result.fate = atBase
	case row.Deleted && write.old == nil && !isTombstone(write.body):
		result.fate = atBase // only the tombstone of an earlier document is left
	case write.unsent, write.withdrawal.begun:
		result.fate = replacedByOthers
	case write.rev != "" && write.rev == result.rev, row.Doc != nil && sameDocument(result.body, write.body), row.Deleted && isTombstone(write.body):
		result.fate = written
	default:
		var err error
		if result.ourRev, err = s.wasWritten(ctx, write, result.rev); err != nil {
			return result, err
		}
		if result.fate = replacedByOthers; result.ourRev != "" {
			result.fate = superseded
		}
	}
	return result, nil
}

// wasWritten looks for our document among the ancestors of the current revision, which may be a deletion, and returns its
// revision or "".
func (s *Store) wasWritten(ctx context.Context, write *docWrite, rev string) (string, error) {
	current, err := s.couch.Get(ctx, write.id, couch.GetOptions{Rev: rev, Ancestors: true})
	if errors.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if write.rev != "" {
		if slices.Contains(current.Ancestors, write.rev) {
			return write.rev, nil
		}
		return "", nil
	}
	for _, earlier := range followers(current.Ancestors, write.base) {
		found, err := s.couch.Get(ctx, write.id, couch.GetOptions{Rev: earlier})
		if err != nil && !errors.Is(err, fault.NotFound) {
			return "", err
		}
		if err == nil && sameDocument(found.Body, write.body) {
			return earlier, nil
		}
	}
	return "", nil
}

// neverWritten reports whether our document is certainly not among the ancestors of the current revision, because the
// successor of its base is a different document. That CouchDB refused it would prove nothing: another server may have
// sent it on our behalf.
func (s *Store) neverWritten(ctx context.Context, write *docWrite, is state) (bool, error) {
	if write.withdrawal.begun {
		return true, nil
	}
	if is.fate != replacedByOthers || write.base == "" || write.rev != "" {
		return false, nil
	}
	next, err := s.couch.Get(ctx, write.id, couch.GetOptions{Rev: is.rev, Ancestors: true})
	if err == nil && !slices.Contains(next.Ancestors, write.base) {
		return false, nil
	}
	if after := followers(next.Ancestors, write.base); err == nil && len(after) > 0 {
		next, err = s.couch.Get(ctx, write.id, couch.GetOptions{Rev: after[0]})
	}
	if errors.Is(err, fault.NotFound) { // compacted away
		return false, nil
	}
	return err == nil && !sameDocument(next.Body, write.body), err
}

// followers returns the revisions that may be a document written over base: the next generation or, for a new document,
// one of the first.
func followers(revs []string, base string) []string {
	if base != "" {
		return slices.DeleteFunc(slices.Clone(revs), func(rev string) bool { return couch.Generation(rev) != couch.Generation(base)+1 })
	}
	return revs[max(0, len(revs)-5):]
}

func isTombstone(body []byte) bool {
	var document struct {
		Deleted bool `json:"_deleted"`
	}
	return json.Unmarshal(body, &document) == nil && document.Deleted
}

// sameDocument compares documents except for the fields that CouchDB adds.
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
