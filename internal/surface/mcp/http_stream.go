package mcp

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stream is what a client hears in one place: what belongs to one POST, or the
// standing stream of a session. Messages are put in by whoever has them; the
// HTTP request that reads the stream takes them out. So nobody waits for a slow
// client, and a client that was cut off can go on where it was.
type stream struct {
	id       string
	standing bool // it has no end of its own
	keeps    bool // messages have ids and are kept, so that they can be sent again
	curt     bool // its client takes one answer and nothing else
	onEnd    func()

	mu      sync.Mutex // guards what follows
	kept    [][]byte   // messages, the first of which has the number first
	first   int
	bytes   int   // in kept
	sent    int   // the number of the last message that was written to anybody
	heard   bool  // somebody has read it, now or before
	awaited int   // answers that are still to come
	code    int64 // of the last answer, if it is an error
	reader  *reader
}

// reader is an HTTP request that reads a stream.
type reader struct {
	wake  chan struct{} // holds one when there is something to look at
	parts chan parting  // asks it to leave before the end
	gone  chan struct{} // closed when another reader has taken its place
}

// parting is how a reader is sent away: it may come back after a while.
type parting struct{ retry time.Duration }

// Limits of what a stream keeps to send again. An answer that was not sent yet
// is kept whatever its size; notifications that nobody comes for are not.
const (
	keptMessages    = 256
	keptBytes       = 1 << 20
	unheardMessages = 8 // as long as nobody has ever come
)

func newStream(id string, keeps bool) *stream {
	return &stream{id: id, keeps: keeps, first: 1}
}

// put adds a message.
func (s *stream) put(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(message)
}

func (s *stream) add(message []byte) {
	s.kept = append(s.kept, message)
	s.bytes += len(message)
	for len(s.kept) > 1 && s.isTooMuch() && (s.first <= s.sent || s.standing && s.keeps) {
		s.forgetFirst()
	}
	s.wakeReader()
}

func (s *stream) isTooMuch() bool {
	most := keptMessages
	if !s.heard && s.standing {
		most = unheardMessages
	}
	return len(s.kept) > most || s.bytes > keptBytes
}

func (s *stream) forgetFirst() {
	s.bytes -= len(s.kept[0])
	s.kept[0] = nil
	s.kept = s.kept[1:]
	s.first++
}

func (s *stream) wakeReader() {
	if s.reader == nil {
		return
	}
	select {
	case s.reader.wake <- struct{}{}:
	default:
	}
}

// expect says that one more answer will come.
func (s *stream) expect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaited++
}

// deliver implements outlet.
func (s *stream) deliver(answer []byte, code int64) error {
	s.mu.Lock()
	s.awaited--
	s.code = code
	if answer != nil {
		s.add(answer)
	}
	ended := s.finished() && s.onEnd != nil
	s.wakeReader()
	s.mu.Unlock()
	if ended {
		s.onEnd()
	}
	return nil
}

// finished reports that no more will come. The caller holds the lock.
func (s *stream) finished() bool { return !s.standing && s.awaited <= 0 }

// attach makes a request the reader of the stream, and sends away the one that
// there was: a client that comes back knows better than we that its old
// connection is dead. Reading begins after the message with the number after; a
// negative one means after what was sent last.
func (s *stream) attach(after int) (r *reader, from int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != nil {
		close(s.reader.gone)
	}
	s.heard = true
	s.reader = &reader{wake: make(chan struct{}, 1), parts: make(chan parting, 1), gone: make(chan struct{})}
	s.reader.wake <- struct{}{}
	if after < 0 {
		after = s.sent
	}
	return s.reader, after
}

// detach ends the reading of a request. It reports whether the stream is still
// without a reader then.
func (s *stream) detach(r *reader) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != r {
		return false
	}
	s.reader = nil
	return true
}

// part sends the reader away for a while.
func (s *stream) part(retry time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader == nil {
		return
	}
	select {
	case s.reader.parts <- parting{retry}:
	default:
	}
}

// size is how many bytes the stream keeps.
func (s *stream) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// hasUnsent reports whether a request reads the stream and has not got all of
// it yet.
func (s *stream) hasUnsent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reader != nil && s.sent < s.first+len(s.kept)-1
}

// isRead reports whether a request reads the stream.
func (s *stream) isRead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reader != nil
}

// after gives the messages behind a number, and whether they are the last.
func (s *stream) after(number int) (messages [][]byte, next int, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	skip := min(max(number-s.first+1, 0), len(s.kept))
	messages = append(messages, s.kept[skip:]...)
	return messages, s.first + skip, s.finished()
}

// written notes that the message with a number has reached a client.
func (s *stream) written(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = max(s.sent, number)
	for !s.keeps && len(s.kept) > 0 && s.first <= number {
		s.forgetFirst()
	}
}

// only gives the answer of a stream on which nothing else is said, once it is
// there. It reports false when there is more to say, the answer takes longer
// than patience, the client has gone or its session is done.
func (s *stream) only(ctx context.Context, r *reader, patience time.Duration, done <-chan struct{}) (answer []byte, code int64, ok bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		s.mu.Lock()
		finished, kept, code := s.finished(), s.kept, s.code
		s.mu.Unlock()
		if finished && len(kept) == 1 {
			return kept[0], code, true
		}
		if finished || len(kept) > 0 {
			return nil, 0, false
		}
		select {
		case <-r.wake:
		case part := <-r.parts:
			r.parts <- part
			return nil, 0, false
		case <-timer.C:
			return nil, 0, false
		case <-done:
			return nil, 0, false
		case <-ctx.Done():
			return nil, 0, false
		}
	}
}

// eventID names a message of a stream to the client.
func (s *stream) eventID(number int) string { return s.id + "_" + strconv.Itoa(number) }

// parseEventID is the stream and the number that eventID names.
func parseEventID(id string) (stream string, number int, ok bool) {
	stream, digits, found := strings.Cut(id, "_")
	number, err := strconv.Atoi(digits)
	return stream, number, found && err == nil && number >= 0
}

// heartbeat is how often a stream on which nothing happens says that it is
// alive, so that proxies keep it and a client that has gone is noticed.
const heartbeat = 15 * time.Second

// serve writes the stream to the reader's request, from behind a number to the
// end of the stream, until the client goes, another reader comes, or one of the
// two ends: that of the session, that of the server.
func (s *stream) serve(r *http.Request, out *eventWriter, mine *reader, from int, done, stopping <-chan struct{}) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var last bool
		var err error
		if from, last, err = s.write(out, from); err != nil || last {
			return
		}
		select {
		case <-mine.wake:
		case part := <-mine.parts:
			_ = out.part(part.retry)
			return
		case <-beat.C:
			if out.comment("alive") != nil {
				return
			}
		case <-mine.gone:
			return
		case <-done:
			return
		case <-stopping:
			return
		case <-r.Context().Done():
			_, _, _ = s.write(out, from) // if it is the server that ends, the client is still there
			return
		}
	}
}

// write writes the messages behind a number, and tells the new one and whether
// they were the last.
func (s *stream) write(out *eventWriter, from int) (next int, last bool, err error) {
	messages, number, last := s.after(from)
	for i, message := range messages {
		id := ""
		if s.keeps {
			id = s.eventID(number + i)
		}
		if err := out.message(id, message); err != nil {
			return from, last, err
		}
		from = number + i
		s.written(from)
	}
	return from, last, nil
}
