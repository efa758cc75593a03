package crash

import (
	"sync"
	"sync/atomic"
	"time"
)

// driver is a client that starts the program again after each crash.
type driver struct {
	*world
	counts      *tally
	ready       func() error  // makes the vault readable again after a crash
	crash       func(*client) // ends the program, at once or for lack of a disk
	mute        bool          // answers after the start of the crash do not count
	interrupted *change       // under way when the last crash came
	start       time.Duration // how long the first answer took
}

// moment is when a crash comes: a share of the time that the program takes to start or, after the first answer, of a
// multiple of that time, so that a busy machine sees as many changes as an idle one. The zero moment is right after the
// first answer.
type moment struct {
	starting bool
	share    float64
}

// The assumed time of the first start, how many times the time of a start the program serves at most, and how long at
// most.
const (
	firstStart  = 100 * time.Millisecond
	mostStarts  = 8
	longestLife = 2 * time.Second
)

// anyMoment is a random moment: while the program makes changes or, in one of eight cases, while it starts.
func (w *world) anyMoment() moment {
	return moment{starting: w.random.IntN(8) == 0, share: w.random.Float64()}
}

// serveUntilCrash starts the program, checks what the last crash has left, and makes changes until the next crash.
func (d *driver) serveUntilCrash(when moment) {
	d.t.Helper()
	if err := d.ready(); err != nil {
		d.t.Fatal(err)
	}
	began := time.Now()
	c := d.connect()
	defer c.gone()
	doom := &doom{crash: func() { d.crash(c) }}
	defer d.counts.crash()
	defer doom.come()
	if when.starting {
		defer time.AfterFunc(time.Duration(when.share*float64(max(d.start, firstStart))), doom.come).Stop()
	}
	if err := d.firstAnswer(c); err != nil {
		if !doom.came() {
			d.t.Fatalf("no answer after a crash in %s: %v", d.underWay(), err)
		}
		return
	}
	d.start = time.Since(began)
	d.settled(d.start, doom)
	if err := d.remembered(c.ask); err != nil && !doom.came() {
		d.t.Fatalf("after a crash: %v", err)
	}
	if !when.starting && when.share > 0 {
		life := min(time.Duration(when.share*mostStarts*float64(d.start)), longestLife)
		defer time.AfterFunc(life, doom.come).Stop()
		d.changeUntil(c, doom)
	}
}

// doom is a crash that happens once.
type doom struct {
	once  sync.Once
	begun atomic.Bool
	crash func()
}

// come crashes the program, and returns when that is done, even if another goroutine does it.
func (d *doom) come() {
	d.once.Do(func() {
		d.begun.Store(true)
		d.crash()
	})
}

func (d *doom) came() bool { return d.begun.Load() }

// firstAnswer performs the handshake and reads a note.
func (d *driver) firstAnswer(c *client) error {
	if err := c.initialize(); err != nil {
		return err
	}
	_, err := c.call("read_note", map[string]any{"name": "Work/Long 0"})
	return err
}

// settled checks the vault after a crash. If the next crash comes too soon for that, the vault is checked after that one.
func (d *driver) settled(took time.Duration, doom *doom) {
	d.t.Helper()
	made, err := d.settle(d.interrupted)
	if err != nil && doom.came() {
		return
	}
	d.counts.restart(made, err, took)
	if err != nil {
		d.t.Fatalf("after a crash in %s: %v", d.underWay(), err)
	}
	if took > hangs {
		d.t.Errorf("the first answer after a crash in %s took %v", d.underWay(), took)
	}
	d.interrupted = nil
}

func (d *driver) underWay() string {
	if d.interrupted == nil {
		return "no change"
	}
	return d.interrupted.tool
}

// changeUntil makes changes until the program does not answer any more, or refuses because its disk is gone. A change that
// was answered was made.
func (d *driver) changeUntil(c *client, doom *doom) {
	d.t.Helper()
	kinds := kinds()
	for {
		next, err := kinds[d.random.IntN(len(kinds))].next(d.world, c.ask)
		if err != nil && doom.came() {
			return
		}
		if err != nil {
			d.t.Fatal(err)
		}
		answer, err := c.call(next.tool, next.arguments)
		switch {
		case err == nil && !(d.mute && doom.came()):
			next.id = answer.Meta.ChangeID
			d.made(next)
			d.counts.answers(1)
			continue
		case !doom.came():
			d.t.Fatalf("%s %v: %v", next.tool, next.arguments, err)
		}
		d.interrupted = &next
		return
	}
}
