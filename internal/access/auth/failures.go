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

// maxAddresses is how many addresses are remembered. Beyond that the least recently used one is forgotten.
const maxAddresses = 4096

// maxSpared is how many tokens of an address are spared.
const maxSpared = 8

// failures counts the failed logins of each address, and decides who must wait.
//
// While an address waits, even a correct token from there is refused, or the answer would tell a guesser that it is
// correct. The exception is a token that this address has already used with success: behind a proxy many clients share an
// address, and one that fails must not lock out those that work. That helps a guesser little, because spared tokens have
// 16 characters or more, or are signed. With a trusted proxy, Options.Address tells its clients apart.
type failures struct {
	perMinute int
	seed      maphash.Seed

	mu        sync.Mutex // guards what follows
	addresses map[string]*list.Element
	recent    *list.List // of *record, most recently used first
}

// record is what is remembered about an address.
type record struct {
	address string
	budget  *rate.Limiter
	spared  []uint64 // hashes of tokens used with success, newest last
}

func newFailures(perMinute int) *failures {
	return &failures{perMinute: perMinute, seed: maphash.MakeSeed(), addresses: map[string]*list.Element{}, recent: list.New()}
}

// wait returns how long an address must wait with this token, 0 if it need not.
func (f *failures) wait(address, token string, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	element := f.addresses[network(address)]
	if element == nil {
		return 0
	}
	f.recent.MoveToFront(element)
	found := element.Value.(*record)
	missing := 1 - found.budget.TokensAt(now)
	if missing <= 0 || slices.Contains(found.spared, maphash.String(f.seed, token)) {
		return 0
	}
	return time.Duration(missing / float64(found.budget.Limit()) * float64(time.Second))
}

// failed counts a failed login. Concurrent logins may exceed the budget, which then takes longer to fill up again.
func (f *failures) failed(address string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remember(address).budget.ReserveN(now, 1)
}

// succeeded spares a token from now on. It does not restore the budget, or a client with one correct token could try
// others without limit.
func (f *failures) succeeded(address, token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.remember(address)
	sum := maphash.String(f.seed, token)
	if slices.Contains(found.spared, sum) {
		return
	}
	if len(found.spared) == maxSpared {
		found.spared = slices.Delete(found.spared, 0, 1)
	}
	found.spared = append(found.spared, sum)
}

// remember returns the record of an address, a new one if need be.
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
	added := &record{address: address, budget: rate.NewLimiter(perSecond, f.perMinute)}
	f.addresses[address] = f.recent.PushFront(added)
	return added
}

// network returns what counts as one address: for IPv6 the first 64 bits, because a customer can choose all the others.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap()
	if ip.Is4() {
		return ip.String()
	}
	prefix, _ := ip.Prefix(64) // cannot fail; removes the zone too
	return prefix.String()
}
