package mcp

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// limits are those of calls over HTTP: how many at a time, and how many a
// minute of each client.
type limits struct {
	options HTTPOptions
	slots   chan struct{} // one for each call in flight

	questions chan struct{} // one for each call that waits for a person

	mu      sync.Mutex // guards clients
	clients map[string]*client
}

// client is what a client has used of its share.
type client struct {
	calls, writes *rate.Limiter
	slots         chan struct{} // for calls without a session
	seen          time.Time
}

// unlimited stands for no limit at all.
const unlimited = 1 << 20

func newLimits(options HTTPOptions) *limits {
	return &limits{options: options, slots: make(chan struct{}, limit(options.InFlight)), clients: map[string]*client{}, questions: make(chan struct{}, maxQuestions)}
}

func limit(most int) int {
	if most <= 0 {
		return unlimited
	}
	return most
}

// excess is a limit that a call would go over.
type excess struct {
	reason string
	text   string
	retry  time.Duration
}

// seconds is how long to wait, as clients are told.
func (e *excess) seconds() int { return max(1, int(math.Ceil(e.retry.Seconds()))) }

// turnPatience is how long a call waits for its turn before it is refused.
const turnPatience = 5 * time.Second

// admit lets a call begin, as soon as fewer are in flight than may be.
func (l *limits) admit(r *http.Request, s *session, m message) (*place, *excess) {
	if m.method == "subscriptions/listen" {
		return new(place), nil // it only waits, as long as its connection lasts
	}
	caller := l.client(r)
	if over := caller.spend(writes(s, m)); over != nil {
		return nil, over
	}
	own := s.slots
	if s.id == "" {
		own = caller.slots
	}
	ctx, cancel := context.WithTimeout(r.Context(), turnPatience)
	defer cancel()
	if !s.hasRoom(ctx) {
		return nil, &excess{"unread", "the answers that came before are not read", time.Second}
	}
	return l.slot(ctx, own)
}

// slot is a place among the calls of a client or session, and among all.
func (l *limits) slot(ctx context.Context, own chan struct{}) (*place, *excess) {
	if !enter(ctx, own) {
		return nil, &excess{"session_in_flight", "too many calls of this client are in flight", time.Second}
	}
	if !enter(ctx, l.slots) {
		<-own
		return nil, &excess{"in_flight", "the server is busy: too many calls are in flight", time.Second}
	}
	return &place{taken: []chan struct{}{own, l.slots}, questions: l.questions}, nil
}

// place is what a call in flight takes up.
type place struct {
	questions chan struct{}

	mu    sync.Mutex // guards taken
	taken []chan struct{}
}

// leave gives it back. It may be called twice.
func (p *place) leave() { p.change(nil) }

// change takes something else up instead.
func (p *place) change(next []chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.taken {
		<-one
	}
	p.taken = next
}

// canAsk reports whether a call may wait for a person.
func (p *place) canAsk() bool { return len(p.questions) < cap(p.questions) }

// ask has a call wait for a person: it must not keep others from working, but
// those that wait are limited too. It reports whether it may.
func (p *place) ask() bool {
	select {
	case p.questions <- struct{}{}:
		p.change([]chan struct{}{p.questions})
		return true
	default:
		return false
	}
}

// maxQuestions is how many calls may wait for a person at a time.
const maxQuestions = 32

// writes reports whether a call is one of a tool that changes notes.
func writes(s *session, m message) bool {
	if m.method != "tools/call" {
		return false
	}
	one, err := s.server.options.Tools.Find(paramOf(m, "name"))
	return err == nil && one.Effect != tool.Reads
}

func enter(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	default:
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// client is what is known of a request's sender.
func (l *limits) client(r *http.Request) *client {
	key := l.options.Client(r)
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.clients[key]
	if known == nil {
		l.makeRoom(now)
		known = &client{calls: perMinute(l.options.Calls), writes: perMinute(l.options.Writes), slots: make(chan struct{}, limit(l.options.PerSession))}
		l.clients[key] = known
	}
	known.seen = now
	return known
}

// makeRoom forgets clients who have their whole share again, and if there are
// none, the one who was away for longest.
func (l *limits) makeRoom(now time.Time) {
	if len(l.clients) < knownClients {
		return
	}
	var oldest string
	for key, one := range l.clients {
		if now.Sub(one.seen) > time.Minute {
			delete(l.clients, key)
		} else if oldest == "" || one.seen.Before(l.clients[oldest].seen) {
			oldest = key
		}
	}
	if len(l.clients) >= knownClients {
		delete(l.clients, oldest)
	}
}

func perMinute(most int) *rate.Limiter {
	if most <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(most)/60), most)
}

// spend takes a call off a client's share.
func (c *client) spend(writes bool) *excess {
	if over := take(c.calls, rateCalls, tooManyCalls); over != nil {
		return over
	}
	if writes {
		return take(c.writes, "rate_writes", "too many calls that write a minute")
	}
	return nil
}

// spent tells, without taking anything, that nothing is left of a client's
// share.
func (c *client) spent() *excess {
	if c.calls == nil {
		return nil
	}
	missing := 1 - c.calls.Tokens()
	if missing <= 0 {
		return nil
	}
	return &excess{rateCalls, tooManyCalls, time.Duration(missing / float64(c.calls.Limit()) * float64(time.Second))}
}

// What is said of a client whose calls are too many.
const (
	rateCalls    = "rate_calls"
	tooManyCalls = "too many calls a minute"
)

func take(from *rate.Limiter, reason, text string) *excess {
	if from == nil || from.Allow() {
		return nil
	}
	wait := from.Reserve()
	retry := wait.Delay()
	wait.Cancel()
	return &excess{reason, text, retry}
}

// rateLimited is the code of a call that came too soon.
const rateLimited = -32000

// refuse answers a call that goes over a limit.
func (l *limits) refuse(w http.ResponseWriter, m message, over *excess) {
	l.options.Refused(over.reason)
	seconds := over.seconds()
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	fail(w, http.StatusTooManyRequests, &refusal{m.id, rateLimited, over.text + "; try again in " + strconv.Itoa(seconds) + " s"})
}

// Enter lets a call of another surface begin, within the limits of calls of the
// same client over the protocol. It is over when leave is called.
func (h *HTTP) Enter(r *http.Request, writes bool) (leave func(), err error) {
	caller := h.limits.client(r)
	over := caller.spend(writes)
	if over == nil {
		ctx, cancel := context.WithTimeout(r.Context(), turnPatience)
		defer cancel()
		place, excess := h.limits.slot(ctx, caller.slots)
		if excess == nil {
			return place.leave, nil
		}
		over = excess
	}
	h.options.Refused(over.reason)
	return nil, fault.RateLimited.Errorf("%s", over.text).WithHint("try again in %d s", over.seconds())
}
