package folder

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
	"obsidian-mcp/internal/testkit/mode"
)

// recording is what was done to the disk, call by call.
type recording struct {
	base   string
	events []event
	misses func(event) bool // syncs that are left out; may be nil
}

// on is a disk that is recorded.
func (r *recording) on() vaultDisk {
	lock := make(chan struct{}, 1)
	return vaultDisk{calls: disk.Disk{Around: func(c disk.Call, do func() error) error {
		lock <- struct{}{}
		defer func() { <-lock }()
		err := do()
		if err == nil && c.Kind != "open" {
			r.add(event{kind: c.Kind, path: r.relative(callPath(c)), to: r.relative(callTarget(c)), data: slices.Clone(c.Data)})
		}
		return err
	}}}
}

func (r *recording) add(e event) {
	if r.misses == nil || !r.misses(e) {
		r.events = append(r.events, e)
	}
}

func (r *recording) relative(path string) string { return strings.TrimPrefix(path, r.base) }

// history is a row of commits with the vault's files before, and after each.
type history struct {
	commits []example
	states  []map[string]string
	spoilt  []map[string]string // the same, when others have spoilt the only commit
	noLinks bool                // the file system has no hard links
}

// cutTrial makes a history once and cuts the power wherever it can.
type cutTrial struct {
	*testing.T
	recording
	history
	disk   *model
	damage []string
	seen   map[string]bool
	cuts   int
}

// acknowledged is the event that a commit returned.
const acknowledged = "acknowledged"

func runCuts(t *testing.T, h history, misses func(event) bool) *cutTrial {
	one := &cutTrial{T: t, history: h, seen: map[string]bool{}}
	one.recording = recording{base: quickDir(t), misses: misses}
	layNotes(t, filepath.Join(one.base, "vault"))
	one.disk = newModel(t, one.base)
	on := one.on()
	if h.noLinks {
		record := on.calls.Around
		on.calls.Around = func(c disk.Call, do func() error) error {
			if c.Kind == "link" || c.Kind == "exchange" {
				do = func() error { return syscall.ENOTSUP }
			}
			return record(c, do)
		}
	}
	f, err := open(one.vault(), Options{State: one.stateDir()}, on)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.commits {
		err := e.commit(t, f, func() {
			for name, text := range e.spoilt {
				one.add(event{kind: "others", path: "/vault/" + name, data: []byte(text)})
			}
		})
		if (err == nil) != (e.spoilt == nil) {
			t.Fatal(err)
		}
		one.add(event{kind: acknowledged})
	}
	f.Close()
	one.explore()
	return one
}

func (one *cutTrial) vault() string    { return filepath.Join(one.base, "vault") }
func (one *cutTrial) stateDir() string { return filepath.Join(one.base, "state") }

// explore cuts the power after each call.
func (one *cutTrial) explore() {
	random := mode.Rand(uint64(len(one.events)))
	one.cutHere(-1, random)
	for i, e := range one.events {
		one.disk.apply(e)
		switch {
		case e.kind == "others":
			one.states = one.spoilt
		case e.kind == acknowledged && one.spoilt != nil:
			one.states = one.states[:1]
		case e.kind == acknowledged:
			one.states = one.states[1:]
		}
		one.cutHere(i, random)
		if one.misses != nil && len(one.damage) > 0 {
			return
		}
	}
}

func (one *cutTrial) cutHere(moment int, random *rand.Rand) {
	for _, s := range survivals(one.disk, random) {
		one.cut(moment, one.states[:min(2, len(one.states))], one.disk.after(s))
	}
}

// cut starts again from what a cut left, and looks at the vault. What was
// looked at before is not looked at again.
func (one *cutTrial) cut(moment int, allowed []map[string]string, left map[string]string) {
	key := fmt.Sprint(len(one.states), left)
	if one.seen[key] {
		return
	}
	one.seen[key] = true
	one.cuts++
	one.lay(left)
	recovery := recording{base: one.base}
	problem := one.restart(allowed, recovery.on())
	if one.cuts%50 == 0 && problem == "" && one.misses == nil {
		one.lay(left)
		problem = one.cutAgain(newModel(one.T, one.base), recovery.events, allowed)
	}
	if problem != "" {
		last := "the start"
		if moment >= 0 {
			last = fmt.Sprint(one.events[moment].kind, " ", one.events[moment].path, " ", one.events[moment].to)
		}
		one.damage = append(one.damage, fmt.Sprintf("a cut after call %d (%s): %s\nthe disk had %v", moment, last, problem, slices.Sorted(maps.Keys(left))))
	}
}

// cutAgain cuts the power during the recovery, too.
func (one *cutTrial) cutAgain(m *model, events []event, allowed []map[string]string) string {
	random := mode.Rand(uint64(1000 + len(events)))
	for i, e := range events {
		m.apply(e)
		list := survivals(m, random)
		for _, s := range []survival{list[0], list[5], list[len(list)-1]} {
			left := m.after(s)
			key := fmt.Sprint(allowed, left)
			if one.seen[key] {
				continue
			}
			one.seen[key] = true
			one.lay(left)
			one.cuts++
			if problem := one.restart(allowed, vaultDisk{}); problem != "" {
				return fmt.Sprintf("then one after call %d (%s %s) of the recovery: %s", i, e.kind, e.path, problem)
			}
		}
	}
	return ""
}

// lay makes the disk what it is after a cut.
func (one *cutTrial) lay(left map[string]string) {
	emptyDir(one.T, one.base)
	for _, path := range slices.Sorted(maps.Keys(left)) {
		name := filepath.Join(one.base, path)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		switch {
		case err != nil:
		case strings.HasSuffix(path, "/"):
			err = os.MkdirAll(name, 0o755)
		default:
			err = os.WriteFile(name, []byte(left[path]), 0o644)
		}
		if err != nil {
			one.Fatal(err)
		}
	}
}

// restart opens the vault and reports what is wrong with it.
func (one *cutTrial) restart(allowed []map[string]string, on vaultDisk) string {
	f, err := open(one.vault(), Options{State: one.stateDir()}, on)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if err := f.Scan(one.Context(), func(store.Info) bool { return false }, func(store.Found) {}); err != nil {
		return err.Error()
	}
	got := filesIn(one.T, one.vault())
	if !slices.ContainsFunc(allowed, func(want map[string]string) bool { return maps.Equal(want, got) }) {
		return "the vault is neither old nor new:\n" + cmp.Diff(allowed[len(allowed)-1], got)
	}
	if left := journals(one.T, f); left > 0 {
		return fmt.Sprint(left, " journals are left")
	}
	if _, err := os.Stat(filepath.Join(f.state, "conflicts")); err == nil && one.spoilt == nil {
		return "a version was kept that nobody else had changed"
	}
	return ""
}

// histories are rows of commits, each of which finds what the one before left.
func histories() map[string]history {
	all := map[string]history{}
	for _, e := range examples() {
		h := history{commits: []example{e}, states: []map[string]string{e.before(), e.after()}}
		if e.spoilt != nil {
			h.states = []map[string]string{exampleNotes(), e.forward(nil)}
			h.spoilt = []map[string]string{e.before(), e.forward(e.spoilt)}
		}
		all[e.name] = h
		if strings.HasPrefix(e.name, "rename") || strings.HasPrefix(e.name, "delete") {
			h.noLinks = true
			all[e.name+" without hard links"] = h
		}
	}
	row := history{states: []map[string]string{exampleNotes()}}
	for _, name := range []string{"create", "settings", "delete", "move"} {
		e := all[name].commits[0]
		row.commits = append(row.commits, e)
		row.states = append(row.states, changed(row.states[len(row.states)-1], e.now))
	}
	all["one after the other"] = row
	return all
}

// TestPowerCuts cuts the power after each call of each commit, with all that a
// disk may do then: after the next start each commit is there or not, and
// there if it was acknowledged.
func TestPowerCuts(t *testing.T) {
	for name, h := range histories() {
		if testing.Short() && name != "delete" && name != "edit" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := runCuts(t, h, nil)
			for _, damage := range one.damage[:min(3, len(one.damage))] {
				t.Error(damage)
			}
			t.Logf("%d calls, %d cuts, %d damaged", len(one.events), one.cuts, len(one.damage))
		})
	}
}

// TestPowerCutsFindMissingSyncs leaves syncs out, one kind after the other:
// that they are needed must be seen.
func TestPowerCutsFindMissingSyncs(t *testing.T) {
	if testing.Short() {
		t.Skip("cuts the power hundreds of times")
	}
	rename := histories()["rename with links"]
	inJournal := func(e event) bool { return strings.Contains(e.path, "/"+journalFolder) }
	for name, misses := range map[string]func(event) bool{
		"of notes":               func(e event) bool { return e.kind == "sync" && !inJournal(e) },
		"of journals":            func(e event) bool { return e.kind == "sync" && inJournal(e) },
		"of the journals' names": func(e event) bool { return e.kind == "syncdir" && inJournal(e) },
		"of where a note goes":   func(e event) bool { return e.kind == "syncdir" && e.path == "/vault/sub/deep" },
		"of the notes' names":    func(e event) bool { return e.kind == "syncdir" && strings.HasPrefix(e.path, "/vault") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if one := runCuts(t, rename, misses); len(one.damage) == 0 {
				t.Errorf("%d cuts did no damage", one.cuts)
			}
		})
	}
}
