package transport

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"obsidian-mcp/internal/fault"
)

// limits bounds the calls over HTTP: how many at a time, and how many per minute and client.
type limits struct {
	options   HTTPOptions
	slots     chan struct{} // holds one item per call in flight
	questions chan struct{} // holds one item per call that waits for a person

	mu      sync.Mutex // guards clients
	clients map[string]*client
}

// client is what a client has used of its share.
type client struct {
	calls, writes *rate.Limiter
	writeBytes    *rate.Limiter
	slots         chan struct{} // for calls without a session
	seen          time.Time
}

// unlimited stands for the absence of a limit.
const unlimited = 1 << 20

func newLimits(options HTTPOptions) *limits {
	return &limits{
		options: options, clients: map[string]*client{},
		slots: make(chan struct{}, limit(options.InFlight)), questions: make(chan struct{}, maxQuestions),
	}
}

func limit(most int) int {
	if most <= 0 {
		return unlimited
	}
	return most
}

// excess is a limit that a call would exceed.
type excess struct {
	reason string
	text   string
	retry  time.Duration
}

// seconds is how long the client should wait.
func (e *excess) seconds() int { return max(1, int(math.Ceil(e.retry.Seconds()))) }

// turnPatience is how long a call waits for its turn before it is refused.
const turnPatience = 5 * time.Second

// admit waits until a call may start.
func (l *limits) admit(r *http.Request, s *session, m message) (*permit, *excess) {
	if m.isListen() {
		return new(permit), nil // it only waits, for as long as its connection lasts
	}
	client := l.client(r)
	if over := client.spend(s.server.Writes(m.method, m.params), len(m.params)); over != nil {
		return nil, over
	}
	own := s.slots
	if s.id == "" {
		own = client.slots
	}
	ctx, cancel := context.WithTimeout(r.Context(), turnPatience)
	defer cancel()
	if !s.hasRoom(ctx) {
		return nil, &excess{"unread", "earlier answers have not been read", time.Second}
	}
	return l.slot(ctx, own)
}

// slot takes a slot among the calls of a client or session, and one among all calls.
func (l *limits) slot(ctx context.Context, own chan struct{}) (*permit, *excess) {
	if !enter(ctx, own) {
		return nil, &excess{"session_in_flight", "too many calls of this client are in flight", time.Second}
	}
	if !enter(ctx, l.slots) {
		<-own
		return nil, &excess{"in_flight", "the server is busy: too many calls are in flight", time.Second}
	}
	return &permit{held: []chan struct{}{own, l.slots}, questions: l.questions}, nil
}

// permit is what a call in flight occupies.
type permit struct {
	questions chan struct{}

	mu   sync.Mutex // guards held
	held []chan struct{}
}

// release gives the slots back. It may be called twice.
func (p *permit) release() { p.exchange(nil) }

// exchange gives the slots back and holds others instead.
func (p *permit) exchange(next []chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, slots := range p.held {
		<-slots
	}
	p.held = next
}

// canAsk reports whether the call may wait for a person.
func (p *permit) canAsk() bool { return len(p.questions) < cap(p.questions) }

// ask lets the call wait for a person. It gives its slots back so that others can work, but the number of calls that
// wait is limited too. It reports false if there are too many.
func (p *permit) ask() bool {
	select {
	case p.questions <- struct{}{}:
		p.exchange([]chan struct{}{p.questions})
		return true
	default:
		return false
	}
}

// maxQuestions is how many calls may wait for a person at a time.
const maxQuestions = 32

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

// maxClients is how many clients are remembered at most.
const maxClients = 4096

// client returns what is known about a request's client.
func (l *limits) client(r *http.Request) *client {
	key := l.options.Client(r)
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.clients[key]
	if found == nil {
		l.makeRoom(now)
		found = &client{
			calls: perMinute(l.options.Calls), writes: perMinute(l.options.Writes), writeBytes: perMinute(l.options.WriteBytes),
			slots: make(chan struct{}, limit(l.options.PerSession)),
		}
		l.clients[key] = found
	}
	found.seen = now
	return found
}

// makeRoom forgets clients whose whole share is available again, or else the client that was away for longest.
func (l *limits) makeRoom(now time.Time) {
	if len(l.clients) < maxClients {
		return
	}
	var oldest string
	for key, client := range l.clients {
		if now.Sub(client.seen) > time.Minute {
			delete(l.clients, key)
		} else if oldest == "" || client.seen.Before(l.clients[oldest].seen) {
			oldest = key
		}
	}
	if len(l.clients) >= maxClients {
		delete(l.clients, oldest)
	}
}

func perMinute(most int) *rate.Limiter {
	if most <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(most)/60), most)
}

// spend takes a call of a size off a client's share.
func (c *client) spend(writes bool, size int) *excess {
	if over := take(c.calls, 1, rateCalls, tooManyCalls); over != nil || !writes {
		return over
	}
	if over := take(c.writes, 1, "rate_writes", "too many writes per minute"); over != nil {
		return over
	}
	return take(c.writeBytes, size, "rate_write_bytes", "too many bytes written per minute")
}

// exhausted reports, without taking anything, that nothing is left of a client's share.
func (c *client) exhausted() *excess {
	if c.calls == nil {
		return nil
	}
	missing := 1 - c.calls.Tokens()
	if missing <= 0 {
		return nil
	}
	return &excess{rateCalls, tooManyCalls, time.Duration(missing / float64(c.calls.Limit()) * float64(time.Second))}
}

// The reason and the text for a client that calls too often.
const (
	rateCalls    = "rate_calls"
	tooManyCalls = "too many calls per minute"
)

// take takes an amount off a share. An amount beyond the whole share needs all of it.
func take(from *rate.Limiter, amount int, reason, text string) *excess {
	if from == nil {
		return nil
	}
	amount = min(amount, from.Burst())
	if from.AllowN(time.Now(), amount) {
		return nil
	}
	wait := from.ReserveN(time.Now(), amount)
	retry := wait.Delay()
	wait.Cancel()
	return &excess{reason, text, retry}
}

// rateLimited is the code of a call that came too soon.
const rateLimited = -32000

// refuse answers a call that exceeds a limit.
func (l *limits) refuse(w http.ResponseWriter, m message, over *excess) {
	l.options.Refused(over.reason)
	seconds := strconv.Itoa(over.seconds())
	w.Header().Set("Retry-After", seconds)
	fail(w, http.StatusTooManyRequests, &refusal{m.id, rateLimited, over.text + "; try again in " + seconds + " s"})
}

// Enter lets a call of another surface start, within the same limits as the client's calls over the protocol. The call
// ends when leave is called.
func (h *HTTP) Enter(r *http.Request, writes bool) (leave func(), err error) {
	client := h.limits.client(r)
	over := client.spend(writes, int(max(0, r.ContentLength)))
	if over == nil {
		ctx, cancel := context.WithTimeout(r.Context(), turnPatience)
		defer cancel()
		permit, excess := h.limits.slot(ctx, client.slots)
		if excess == nil {
			return permit.release, nil
		}
		over = excess
	}
	h.options.Refused(over.reason)
	return nil, fault.RateLimited.Errorf("%s", over.text).WithHint("try again in %d s", over.seconds())
}
