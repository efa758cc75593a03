package patient_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/store/patient"
	"obsidian-mcp/internal/store/storetest"
)

// TestStore runs the suite of stores through the wrapper.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Subject {
		inner := mem.New(nil)
		s := patient.Open(patient.Options{Open: func() (store.Store, error) { return inner, nil }})
		return storetest.Subject{Store: s, Outside: inner.Outside, Diverge: inner.Diverge}
	})
}

// mount is a store on a drive that can be cut off.
type mount struct {
	*mem.Store
	way   chan struct{} // closed while the drive answers; calls wait for it
	calls atomic.Int32
	slow  time.Duration // how long reading takes; other calls return at once
	gone  atomic.Bool
}

func newMount() *mount { return &mount{Store: mem.New(map[string]string{"A.md": "text"}), way: open()} }

func open() chan struct{} {
	way := make(chan struct{})
	close(way)
	return way
}

func (m *mount) call() error {
	m.calls.Add(1)
	<-m.way
	if m.gone.Load() {
		return fault.StoreUnavailable.Errorf("gone")
	}
	return nil
}

func (m *mount) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	if err := m.call(); err != nil {
		return store.Info{}, err
	}
	return m.Store.Stat(ctx, path)
}

func (m *mount) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	if err := m.call(); err != nil {
		return store.File{}, err
	}
	time.Sleep(m.slow)
	return m.Store.Read(ctx, path, limit)
}

func (m *mount) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	return mem.ReadEach(ctx, m, paths, limit)
}

func (m *mount) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	if err := m.call(); err != nil {
		return err
	}
	return m.Store.Scan(ctx, want, visit)
}

func (m *mount) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if err := m.call(); err != nil {
		return nil, err
	}
	return m.Store.Commit(ctx, changes)
}

var errSilent = fault.StoreUnavailable.Errorf("does not answer")

func over(m *mount) *patient.Store {
	return patient.Open(patient.Options{Open: func() (store.Store, error) { return m, nil }, Silent: errSilent})
}

// TestDeadMount cuts off the drive: the first call fails in time, later calls fail at once without reaching the drive, and
// everything works again when the drive is back.
func TestDeadMount(t *testing.T) {
	for name, call := range map[string]func(context.Context, *patient.Store) error{
		"stat": func(ctx context.Context, s *patient.Store) error { _, err := s.Stat(ctx, "A.md"); return err },
		"read": func(ctx context.Context, s *patient.Store) error { _, err := s.Read(ctx, "A.md", 100); return err },
		"read many": func(ctx context.Context, s *patient.Store) error {
			return s.ReadMany(ctx, []vpath.Path{"A.md"}, 100)[0].Err
		},
		"scan": func(ctx context.Context, s *patient.Store) error {
			return s.Scan(ctx, func(store.Info) bool { return true }, func(store.Found) {})
		},
		"commit": func(ctx context.Context, s *patient.Store) error {
			_, err := s.Commit(ctx, []store.Change{{Path: "new/" + vpath.Path(time.Now().Format("150405")) + ".md"}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMount()
				s := over(m)
				defer s.Close()
				if err := s.Reach(t.Context()); err != nil {
					t.Fatal(err)
				}
				m.way = make(chan struct{})
				began := time.Now()
				if err := call(t.Context(), s); !errors.Is(err, errSilent) || time.Since(began) != patient.Limit {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				hung := m.calls.Load()
				for range 100 {
					if err := call(t.Context(), s); !errors.Is(err, errSilent) {
						t.Errorf("%v", err)
					}
				}
				if m.calls.Load() != hung || time.Since(began) != patient.Limit {
					t.Errorf("%d calls, after %v", m.calls.Load(), time.Since(began))
				}
				close(m.way)
				synctest.Wait()
				time.Sleep(time.Second) // the commit that hung has created a file of the previous second's name
				if err := call(t.Context(), s); err != nil {
					t.Errorf("the drive is back, but: %v", err)
				}
			})
		})
	}
}

// TestSlowIsNotDead checks that a slow call is waited for as long as the store answers other calls.
func TestSlowIsNotDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMount()
		m.slow = time.Minute
		s := over(m)
		defer s.Close()
		began := time.Now()
		if _, err := s.Read(t.Context(), "A.md", 100); err != nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began = time.Now()
		if _, err := s.Read(ctx, "A.md", 100); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		time.Sleep(time.Minute)
	})
}

// TestLateScanVisitsNothing checks that the visits of a scan that was given up are dropped.
func TestLateScanVisitsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMount()
		m.way = make(chan struct{})
		s := over(m)
		defer s.Close()
		visited := false
		if err := s.Scan(t.Context(), func(store.Info) bool { return true }, func(store.Found) { visited = true }); !errors.Is(err, errSilent) {
			t.Errorf("%v", err)
		}
		close(m.way)
		synctest.Wait()
		if visited {
			t.Error("a late visit was passed on")
		}
	})
}

// TestOpening checks that calls wait until the store is open, but not for ever, and that opening is tried again after a
// failure.
func TestOpening(t *testing.T) {
	for name, c := range map[string]struct {
		takes []time.Duration // each attempt
		errs  []error
		want  []error // of each call
		after []time.Duration
	}{
		"at once":               {[]time.Duration{0}, []error{nil}, []error{nil}, []time.Duration{0}},
		"slowly":                {[]time.Duration{3 * time.Second}, []error{nil}, []error{nil, nil}, []time.Duration{3 * time.Second, 0}},
		"never":                 {[]time.Duration{time.Hour}, []error{nil}, []error{errSilent, errSilent}, []time.Duration{patient.Limit, 0}},
		"at the second attempt": {[]time.Duration{0, 0}, []error{fault.NotFound, nil}, []error{fault.NotFound, nil}, []time.Duration{0, 0}},
		"failing slowly":        {[]time.Duration{8500 * time.Millisecond, 0}, []error{fault.NotFound, nil}, []error{errSilent, errSilent, fault.NotFound, nil}, []time.Duration{patient.Limit, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, attempts := newMount(), 0
				s := patient.Open(patient.Options{Silent: errSilent, Open: func() (store.Store, error) {
					n := attempts
					attempts++
					time.Sleep(c.takes[n])
					if c.errs[n] != nil {
						return nil, c.errs[n]
					}
					return m, nil
				}})
				defer s.Close()
				for i, want := range c.want {
					began := time.Now()
					_, err := s.Stat(t.Context(), "A.md")
					if !errors.Is(err, want) || time.Since(began) != c.after[i] {
						t.Errorf("call %d: %v after %v", i, err, time.Since(began))
					}
					time.Sleep(2 * time.Second)
				}
				time.Sleep(time.Hour)
			})
		})
	}
}

// TestLostStoreIsOpenedAgain loses a store whose folder was mounted again: it is opened and watched again.
func TestLostStoreIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mounts := []*mount{newMount(), newMount()}
		n := 0
		var back atomic.Bool
		s := patient.Open(patient.Options{
			Silent: errSilent, Lost: back.Load,
			Open: func() (store.Store, error) { n++; return mounts[n-1], nil },
		})
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		events := s.Watch(ctx)
		if event := <-events; !event.All {
			t.Errorf("%+v", event)
		}
		mounts[0].gone.Store(true)
		for range 3 {
			if _, err := s.Read(t.Context(), "A.md", 100); !errors.Is(err, fault.StoreUnavailable) {
				t.Errorf("%v", err)
			}
			synctest.Wait()
		}
		back.Store(true)
		_, _ = s.Read(t.Context(), "A.md", 100) // this call notices
		synctest.Wait()
		if event := <-events; !event.All || n != 2 {
			t.Errorf("%+v, opened %d times", event, n)
		}
		if _, err := s.Read(t.Context(), "A.md", 100); err != nil {
			t.Errorf("%v", err)
		}
		cancel()
		for range events {
			t.Error("an event came after the end")
		}
	})
}

// TestPanicFailsOnlyTheCall checks that a panic of the store does not end the program.
func TestPanicFailsOnlyTheCall(t *testing.T) {
	s := patient.Open(patient.Options{Open: func() (store.Store, error) { return broken{mem.New(nil)}, nil }})
	defer s.Close()
	if _, err := s.Config(t.Context(), "app.json"); fault.KindOf(err) != fault.Internal || err == nil {
		t.Errorf("%v", err)
	}
}

type broken struct{ *mem.Store }

func (broken) Config(context.Context, string) (store.File, error) { panic("broken") }
