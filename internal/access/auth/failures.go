package auth

import (
	"container/list"
	"hash/maphash"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxAddresses is how many addresses are remembered; then the one that was
// heard of least recently is forgotten.
const maxAddresses = 4096

// maxSpared is how many credentials of an address are spared.
const maxSpared = 8

// failures counts the failed logins of each address, and says who must wait.
//
// While an address waits, a right token from there is refused too, or the
// answer would tell a guesser that it is right. One kind is spared: a token
// that this very address has used with success. Behind a proxy many share an
// address, and one who fails must not shut out those who are working. Who
// guesses gains little by it: what is spared are tokens of 16 characters or
// more, and signed ones. What a proxy hides is told apart by giving the guard
// the address that a trusted proxy reports.
type failures struct {
	perMinute int
	seed      maphash.Seed

	mu        sync.Mutex // guards what follows
	addresses map[string]*list.Element
	recent    *list.List // of *record, the last heard of in front
}

// record is what is remembered of an address.
type record struct {
	address string
	budget  *rate.Limiter
	spared  []uint64 // the tokens that it used with success, the newest last
}

func newFailures(perMinute int) *failures {
	return &failures{perMinute: perMinute, seed: maphash.MakeSeed(), addresses: map[string]*list.Element{}, recent: list.New()}
}

// wait is how long an address must wait with this token: 0 if it need not.
func (f *failures) wait(address, token string, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	element := f.addresses[network(address)]
	if element == nil {
		return 0
	}
	f.recent.MoveToFront(element)
	known := element.Value.(*record)
	missing := 1 - known.budget.TokensAt(now)
	if missing <= 0 || slices.Contains(known.spared, maphash.String(f.seed, token)) {
		return 0
	}
	return time.Duration(missing / float64(known.budget.Limit()) * float64(time.Second))
}

// failed counts a failed login. Those that ran at the same time may go beyond
// the budget; then it takes as much longer to fill up.
func (f *failures) failed(address string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remember(address).budget.ReserveN(now, 1)
}

// succeeded spares a token from now on. It gives nothing back: whoever has a
// right token could else try others without end.
func (f *failures) succeeded(address, token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.remember(address)
	sum := maphash.String(f.seed, token)
	if slices.Contains(known.spared, sum) {
		return
	}
	if len(known.spared) == maxSpared {
		known.spared = slices.Delete(known.spared, 0, 1)
	}
	known.spared = append(known.spared, sum)
}

// remember finds an address's record, or begins one.
func (f *failures) remember(address string) *record {
	address = network(address)
	if element := f.addresses[address]; element != nil {
		f.recent.MoveToFront(element)
		return element.Value.(*record)
	}
	if f.recent.Len() == maxAddresses {
		oldest := f.recent.Remove(f.recent.Back()).(*record)
		delete(f.addresses, oldest.address)
	}
	perSecond := rate.Limit(float64(f.perMinute) / 60)
	begun := &record{address: address, budget: rate.NewLimiter(perSecond, f.perMinute)}
	f.addresses[address] = f.recent.PushFront(begun)
	return begun
}

// network is what counts as one address: of IPv6 the 64 bits that a customer
// gets, since all the others are theirs to choose.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap()
	if ip.Is4() {
		return ip.String()
	}
	prefix, _ := ip.Prefix(64) // which every IPv6 address has, and which has no zone
	return prefix.String()
}
