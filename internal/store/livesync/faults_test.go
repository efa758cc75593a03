package livesync_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// TestFaults works with a vault while faults are injected into its requests. Changes that were reported as made are made,
// failed ones are not, no file is ever incomplete, and when the faults end everything continues by itself. The full form
// injects 1,000 faults.
func TestFaults(t *testing.T) {
	t.Parallel()
	target := mode.Pick(15, 510, 5000)
	happened := faultCounts{map[string]int{}, map[string]int{}}
	for number, name := range []string{"plain", "encrypted and obfuscated"} {
		t.Run(name, func(t *testing.T) {
			w := newWorkload(t, sorts()[name], uint64(number))
			w.injector.tally = happened
			commits := 0
			for faults := 0; faults < target && !t.Failed(); _, faults = w.proxy.Counts() {
				commits += w.workUnderFaults(t)
				w.checkpoint(t)
			}
			requests, faults := w.proxy.Counts()
			t.Logf("%d faults in %d requests; %d of %d commits failed", faults, requests, w.failures, commits)
		})
	}
	t.Logf("faults %v at %v", happened.faults, happened.requests)
	if mode.Full() && (len(happened.faults) != len(faultKinds) || len(happened.requests) != 5) {
		t.Error("not every fault was injected at every kind of request")
	}
}

const (
	onlyWrites = 10 // index of the first of two kinds that only writes can have
	slowFaults = 94 // faults beyond it take long
)

// faultInjector chooses faults at random.
type faultInjector struct {
	random *rand.Rand
	storm  faultKind // the fault that is repeated for a while
	left   int       // how many more requests it affects

	tally faultCounts
}

// faultCounts counts faults by kind, and by kind of request.
type faultCounts struct{ faults, requests map[string]int }

// faultKind is a kind of fault.
type faultKind struct {
	name  string
	new   func(*rand.Rand) couchtest.Fault
	below int // a random number from 0 to 99 below this one chooses this kind, or an earlier one
}

// faultKinds are all kinds of faults. Those that take long are rare.
var faultKinds = []faultKind{
	{"delay", func(r *rand.Rand) couchtest.Fault {
		return couchtest.Delay(time.Duration(r.IntN(30)) * time.Millisecond)
	}, 10},
	{"cut", func(r *rand.Rand) couchtest.Fault { return couchtest.CutAfter(r.Int64N(3000)) }, 22},
	{"truncate", func(r *rand.Rand) couchtest.Fault { return couchtest.TruncateAfter(r.Int64N(1000)) }, 34},
	{"reset", func(*rand.Rand) couchtest.Fault { return couchtest.Reset() }, 44},
	{"lose", func(*rand.Rand) couchtest.Fault { return couchtest.LoseAnswer() }, 58},
	{"500", func(*rand.Rand) couchtest.Fault { return couchtest.Status(500, "internal_server_error") }, 63},
	{"502", func(*rand.Rand) couchtest.Fault { return couchtest.Status(502, "bad_gateway") }, 67},
	{"503", func(*rand.Rand) couchtest.Fault { return couchtest.Status(503, "service_unavailable") }, 71},
	{"429", func(*rand.Rand) couchtest.Fault { return couchtest.Status(429, "too_many_requests") }, 75},
	{"401", func(*rand.Rand) couchtest.Fault { return couchtest.Status(401, "unauthorized") }, 78},
	{"conflicts", func(*rand.Rand) couchtest.Fault { return couchtest.Conflicts() }, 86},
	{"413", func(*rand.Rand) couchtest.Fault { return couchtest.Status(413, "too_large") }, 89},
	{"garbage", func(*rand.Rand) couchtest.Fault { return couchtest.Garbage() }, 94},
	{"endless", func(*rand.Rand) couchtest.Fault { return couchtest.Endless() }, 96},
	{"bomb", func(*rand.Rand) couchtest.Fault { return couchtest.Bomb() }, 98},
	{"hang", func(*rand.Rand) couchtest.Fault { return couchtest.Hang() }, 100},
}

// decide chooses the fault for a request, for Proxy.Script.
func (m *faultInjector) decide(r *http.Request) couchtest.Fault {
	chance, chosen := m.random.IntN(100), m.throw()
	switch {
	case m.left > 0:
		m.left--
		chosen = m.storm
	case chance < 2:
		m.storm, m.left = chosen, 5+m.random.IntN(20)
		if chosen.below > slowFaults {
			m.left = 1
		}
	case chance > 20:
		return nil
	case isWrite(r) && chance < 8:
		chosen = faultKinds[onlyWrites+m.random.IntN(2)]
	}
	if !fits(chosen.name, r) {
		return nil
	}
	m.tally.faults[chosen.name]++
	m.tally.requests[requestKind(r)]++
	return chosen.new(m.random)
}

func (m *faultInjector) throw() faultKind {
	number := m.random.IntN(100)
	return faultKinds[slices.IndexFunc(faultKinds, func(candidate faultKind) bool { return number < candidate.below })]
}

// fits reports whether a server could respond like this: a read has no conflicts, and a request without a body is not too
// large.
func fits(name string, r *http.Request) bool {
	return isWrite(r) || name != "conflicts" && name != "413"
}

func isWrite(r *http.Request) bool {
	return r.Method == http.MethodPut || strings.HasSuffix(r.URL.Path, "/_bulk_docs")
}

func requestKind(r *http.Request) string {
	for _, endpoint := range []string{"_changes", "_local", "_bulk_docs", "_all_docs"} {
		if strings.Contains(r.URL.Path, "/"+endpoint) {
			return endpoint
		}
	}
	return "document"
}
