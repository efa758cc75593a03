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

// TestFaults: a vault is worked with while its network and its server do their
// worst. What was reported as done is done, what was not is not, no file is
// ever half there, and when it is over everything goes on by itself.
func TestFaults(t *testing.T) {
	t.Parallel()
	target := mode.Pick(50, 510, 5000)
	happened := tally{map[string]int{}, map[string]int{}}
	for number, name := range []string{"plain", "encrypted and obfuscated"} {
		t.Run(name, func(t *testing.T) {
			w := newWorkload(t, sorts()[name], uint64(number))
			w.mischief.tally = happened
			commits := 0
			for faults := 0; faults < target && !t.Failed(); _, faults = w.proxy.Counts() {
				commits += w.stretch(t)
				w.checkpoint(t)
			}
			requests, faults := w.proxy.Counts()
			t.Logf("%d faults in %d requests; %d of %d commits failed", faults, requests, w.failures, commits)
		})
	}
	t.Logf("faults %v at %v", happened.faults, happened.places)
	if mode.Full() && (len(happened.faults) != len(mishaps) || len(happened.places) != 5) {
		t.Error("not every fault was injected at every kind of request")
	}
}

const (
	onlyWrites  = 10 // the place of the first of two mishaps that reading cannot have
	slowMishaps = 94 // those beyond it take long
)

// mischief decides by chance what is done to a request.
type mischief struct {
	random *rand.Rand
	storm  mishap // the one that does not stop for a while
	left   int    // how many requests it lasts

	tally
}

// tally is how often each fault happened, and how often where.
type tally struct{ faults, places map[string]int }

// mishap is a fault that may happen.
type mishap struct {
	name string
	make func(*rand.Rand) couchtest.Fault
	most int // the number below which a throw of 0 to 99 means this one, or one before
}

// mishaps are all that may happen. Those which take long are seldom.
var mishaps = []mishap{
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

// decide is the script of a proxy.
func (m *mischief) decide(r *http.Request) couchtest.Fault {
	chance, thrown := m.random.IntN(100), m.throw()
	switch {
	case m.left > 0:
		m.left--
		thrown = m.storm
	case chance < 2:
		m.storm, m.left = thrown, 5+m.random.IntN(20)
		if thrown.most > slowMishaps {
			m.left = 1
		}
	case chance > 20:
		return nil
	case isWrite(r) && chance < 8:
		thrown = mishaps[onlyWrites+m.random.IntN(2)]
	}
	if !fits(thrown.name, r) {
		return nil
	}
	m.faults[thrown.name]++
	m.places[placeOf(r)]++
	return thrown.make(m.random)
}

func (m *mischief) throw() mishap {
	number := m.random.IntN(100)
	return mishaps[slices.IndexFunc(mishaps, func(one mishap) bool { return number < one.most })]
}

// fits reports whether a server could answer a request like this: reading has
// no conflicts, and what has no body is not too large.
func fits(name string, r *http.Request) bool {
	return isWrite(r) || name != "conflicts" && name != "413"
}

func isWrite(r *http.Request) bool {
	return r.Method == http.MethodPut || strings.HasSuffix(r.URL.Path, "/_bulk_docs")
}

func placeOf(r *http.Request) string {
	for _, place := range []string{"_changes", "_local", "_bulk_docs", "_all_docs"} {
		if strings.Contains(r.URL.Path, "/"+place) {
			return place
		}
	}
	return "document"
}
