package transport

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stream holds the messages for one place where a client reads: what belongs to one POST, or the standalone stream of a
// session. Any goroutine puts messages in; the HTTP request that reads the stream takes them out. So nobody waits for a
// slow client, and a client that was cut off can resume.
type stream struct {
	id         string
	standalone bool // it has no end of its own
	replays    bool // messages have ids and are kept, so that they can be sent again
	answerOnly bool // the client accepts one answer and nothing else
	onEnd      func()

	mu      sync.Mutex // guards what follows
	kept    [][]byte   // messages; first is the number of the first one
	first   int
	bytes   int   // in kept
	sent    int   // the number of the last message that was written to a reader
	wasRead bool  // a request has read the stream at some time
	awaited int   // answers that are still to come
	code    int64 // of the last answer, if it is an error

	receipts map[int]*Receipt // of answers that were not written yet, by their numbers
	reader   *reader
}

// reader is an HTTP request that reads a stream.
type reader struct {
	wake     chan struct{}      // holds an item when there is something to look at
	leave    chan time.Duration // asks the request to end early; the client may come back after this time
	replaced chan struct{}      // closed when another request reads the stream instead
}

// Limits of what a stream keeps to send again. An answer that was not sent yet is kept whatever its size; notifications
// that nobody reads are not.
const (
	keptMessages   = 256
	keptBytes      = 1 << 20
	unreadMessages = 8 // until the first request reads the stream
)

func newStream(id string, replays bool) *stream {
	return &stream{id: id, replays: replays, first: 1}
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
	for len(s.kept) > 1 && s.isTooMuch() && (s.first <= s.sent || s.standalone && s.replays) {
		s.forgetFirst()
	}
	s.wakeReader()
}

func (s *stream) isTooMuch() bool {
	most := keptMessages
	if !s.wasRead && s.standalone {
		most = unreadMessages
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

// expect announces one more answer.
func (s *stream) expect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaited++
}

// deliver implements outlet.
func (s *stream) deliver(answer []byte, code int64, receipt *Receipt) error {
	s.mu.Lock()
	s.awaited--
	s.code = code
	if answer != nil {
		s.add(answer)
		s.expectReceipt(receipt)
	} else {
		defer receipt.settle(false)
	}
	ended := s.finished() && s.onEnd != nil
	s.wakeReader()
	s.mu.Unlock()
	if ended {
		s.onEnd()
	}
	return nil
}

// expectReceipt keeps the receipt of the last message until that is written. The caller holds the lock.
func (s *stream) expectReceipt(receipt *Receipt) {
	if s.receipts == nil {
		s.receipts = map[int]*Receipt{}
	}
	s.receipts[s.first+len(s.kept)-1] = receipt
}

// settle settles the receipt of the message with a number.
func (s *stream) settle(number int, written bool) {
	s.mu.Lock()
	receipt := s.receipts[number]
	delete(s.receipts, number)
	s.mu.Unlock()
	receipt.settle(written)
}

// finished reports that no more will come. The caller holds the lock.
func (s *stream) finished() bool { return !s.standalone && s.awaited <= 0 }

// attach makes a request the reader of the stream and replaces the previous one: a client that comes back knows better
// than we that its old connection is dead. Reading starts behind the message with the given number; a negative number
// means behind the last one that was sent.
func (s *stream) attach(after int) (r *reader, from int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != nil {
		close(s.reader.replaced)
	}
	s.wasRead = true
	s.reader = &reader{wake: make(chan struct{}, 1), leave: make(chan time.Duration, 1), replaced: make(chan struct{})}
	s.reader.wake <- struct{}{}
	if after < 0 {
		after = s.sent
	}
	return s.reader, after
}

// detach ends the reading of a request, unless another one has replaced it.
func (s *stream) detach(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader == r {
		s.reader = nil
	}
}

// part sends the reader away for a while.
func (s *stream) part(retry time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader == nil {
		return
	}
	select {
	case s.reader.leave <- retry:
	default:
	}
}

// size returns how many bytes the stream keeps.
func (s *stream) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// hasUnsent reports whether a request reads the stream and has not received all of it yet.
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

// after returns the messages behind a number, and whether they are the last.
func (s *stream) after(number int) (messages [][]byte, next int, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	skip := min(max(number-s.first+1, 0), len(s.kept))
	messages = append(messages, s.kept[skip:]...)
	return messages, s.first + skip, s.finished()
}

// written notes that the message with a number was written to a client.
func (s *stream) written(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = max(s.sent, number)
	for !s.replays && len(s.kept) > 0 && s.first <= number {
		s.forgetFirst()
	}
}

// plainPatience is how long an answer may take to be sent plainly. If it takes longer, the client gets a stream of
// events, which it can resume.
const plainPatience = 500 * time.Millisecond

// longestCall is more than any call takes.
const longestCall = 24 * time.Hour

// soleAnswer waits for the answer of a stream that holds nothing else. It returns false when there is more to send, the
// answer takes too long for a client that accepts events, the client has disconnected, or its session is done.
func (s *stream) soleAnswer(ctx context.Context, r *reader, done <-chan struct{}) (answer []byte, code int64, ok bool) {
	patience := plainPatience
	if s.answerOnly {
		patience = longestCall
	}
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
		case retry := <-r.leave:
			r.leave <- retry
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

// parseEventID returns the stream and the number in an id that eventID made.
func parseEventID(id string) (stream string, number int, ok bool) {
	stream, digits, found := strings.Cut(id, "_")
	number, err := strconv.Atoi(digits)
	return stream, number, found && err == nil && number >= 0
}

// heartbeat is how often an idle stream shows that it is alive, so that proxies keep it open and a client that has
// disconnected is noticed.
const heartbeat = 15 * time.Second

// serve writes the stream to the reader's request, from behind a number to the end of the stream. It stops early when
// the client disconnects, another request replaces this one, the session is done or the server is stopping.
func (s *stream) serve(r *http.Request, out *eventWriter, reader *reader, from int, done, stopping <-chan struct{}) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var last bool
		var err error
		if from, last, err = s.write(out, from); err != nil || last {
			return
		}
		select {
		case <-reader.wake:
		case retry := <-reader.leave:
			_ = out.part(retry)
			return
		case <-beat.C:
			if out.comment("alive") != nil {
				return
			}
		case <-reader.replaced:
			return
		case <-done:
			return
		case <-stopping:
			return
		case <-r.Context().Done():
			_, _, _ = s.write(out, from) // if the server is ending, the client is still there
			return
		}
	}
}

// write writes the messages behind a number. It returns the new number and whether those were the last messages.
func (s *stream) write(out *eventWriter, from int) (next int, last bool, err error) {
	messages, number, last := s.after(from)
	for i, message := range messages {
		id := ""
		if s.replays {
			id = s.eventID(number + i)
		}
		if err := out.message(id, message); err != nil {
			return from, last, err
		}
		from = number + i
		s.written(from)
		s.settle(from, true)
	}
	return from, last, nil
}
