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
	"obsidian-mcp/internal/testkit/skip"
)

// recording is the list of calls that changed the disk.
type recording struct {
	base   string
	events []event
	misses func(event) bool // syncs that are left out; may be nil
}

// on returns a disk whose calls are recorded.
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

// history is a sequence of commits with the vault's files before the first and after each.
type history struct {
	commits []example
	states  []map[string]string
	spoilt  []map[string]string // the same, when others have spoilt the only commit
	noLinks bool                // the file system has no hard links
}

// cutTrial makes a history once and then cuts the power at every moment of it.
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
	ct := &cutTrial{T: t, history: h, seen: map[string]bool{}}
	ct.recording = recording{base: quickDir(t), misses: misses}
	layNotes(t, filepath.Join(ct.base, "vault"))
	ct.disk = newModel(t, ct.base)
	on := ct.on()
	if h.noLinks {
		record := on.calls.Around
		on.calls.Around = func(c disk.Call, do func() error) error {
			if c.Kind == "link" || c.Kind == "exchange" {
				do = func() error { return syscall.ENOTSUP }
			}
			return record(c, do)
		}
	}
	f, err := open(ct.vault(), Options{State: ct.stateDir()}, on)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.commits {
		err := e.commit(t, f, func() {
			for name, text := range e.spoilt {
				ct.add(event{kind: "others", path: "/vault/" + name, data: []byte(text)})
			}
		})
		if (err == nil) != (e.spoilt == nil) {
			t.Fatal(err)
		}
		ct.add(event{kind: acknowledged})
	}
	f.Close()
	ct.explore()
	return ct
}

func (ct *cutTrial) vault() string    { return filepath.Join(ct.base, "vault") }
func (ct *cutTrial) stateDir() string { return filepath.Join(ct.base, "state") }

// explore cuts the power after each call.
func (ct *cutTrial) explore() {
	random := mode.Rand(uint64(len(ct.events)))
	ct.cutHere(-1, random)
	for i, e := range ct.events {
		ct.disk.apply(e)
		switch {
		case e.kind == "others":
			ct.states = ct.spoilt
		case e.kind == acknowledged && ct.spoilt != nil:
			ct.states = ct.states[:1]
		case e.kind == acknowledged:
			ct.states = ct.states[1:]
		}
		ct.cutHere(i, random)
		if ct.misses != nil && len(ct.damage) > 0 {
			return
		}
	}
}

func (ct *cutTrial) cutHere(moment int, random *rand.Rand) {
	for _, s := range survivals(ct.disk, random) {
		ct.cut(moment, ct.states[:min(2, len(ct.states))], ct.disk.after(s))
	}
}

// cut opens what a power cut left on the disk, and checks the vault. It checks each state of the disk only once.
func (ct *cutTrial) cut(moment int, allowed []map[string]string, left map[string]string) {
	key := fmt.Sprint(len(ct.states), left)
	if ct.seen[key] {
		return
	}
	ct.seen[key] = true
	ct.cuts++
	ct.lay(left)
	recovery := recording{base: ct.base}
	problem := ct.restart(allowed, recovery.on())
	if ct.cuts%50 == 0 && problem == "" && ct.misses == nil {
		ct.lay(left)
		problem = ct.cutAgain(newModel(ct.T, ct.base), recovery.events, allowed)
	}
	if problem != "" {
		last := "the start"
		if moment >= 0 {
			last = fmt.Sprint(ct.events[moment].kind, " ", ct.events[moment].path, " ", ct.events[moment].to)
		}
		ct.damage = append(ct.damage, fmt.Sprintf("a cut after call %d (%s): %s\nthe disk had %v", moment, last, problem, slices.Sorted(maps.Keys(left))))
	}
}

// cutAgain cuts the power again, during the recovery.
func (ct *cutTrial) cutAgain(m *model, events []event, allowed []map[string]string) string {
	random := mode.Rand(uint64(1000 + len(events)))
	for i, e := range events {
		m.apply(e)
		list := survivals(m, random)
		for _, s := range []survival{list[0], list[5], list[len(list)-1]} {
			left := m.after(s)
			key := fmt.Sprint(allowed, left)
			if ct.seen[key] {
				continue
			}
			ct.seen[key] = true
			ct.lay(left)
			ct.cuts++
			if problem := ct.restart(allowed, vaultDisk{}); problem != "" {
				return fmt.Sprintf("then one after call %d (%s %s) of the recovery: %s", i, e.kind, e.path, problem)
			}
		}
	}
	return ""
}

// lay writes the state after a power cut to the disk.
func (ct *cutTrial) lay(left map[string]string) {
	emptyDir(ct.T, ct.base)
	for _, path := range slices.Sorted(maps.Keys(left)) {
		name := filepath.Join(ct.base, path)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		switch {
		case err != nil:
		case strings.HasSuffix(path, "/"):
			err = os.MkdirAll(name, 0o755)
		default:
			err = os.WriteFile(name, []byte(left[path]), 0o644)
		}
		if err != nil {
			ct.Fatal(err)
		}
	}
}

// restart opens the vault and returns what is wrong with it.
func (ct *cutTrial) restart(allowed []map[string]string, on vaultDisk) string {
	f, err := open(ct.vault(), Options{State: ct.stateDir()}, on)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if err := f.Scan(ct.Context(), func(store.Info) bool { return false }, func(store.Found) {}); err != nil {
		return err.Error()
	}
	got := filesIn(ct.T, ct.vault())
	if !slices.ContainsFunc(allowed, func(want map[string]string) bool { return maps.Equal(want, got) }) {
		return "the vault is neither old nor new:\n" + cmp.Diff(allowed[len(allowed)-1], got)
	}
	if left := journals(ct.T, f); left > 0 {
		return fmt.Sprint(left, " journals are left")
	}
	if _, err := os.Stat(filepath.Join(f.state, "conflicts")); err == nil && ct.spoilt == nil {
		return "a version was kept that nobody else had changed"
	}
	return ""
}

// histories are sequences of commits that build on each other.
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
	all["several in sequence"] = row
	return all
}

// TestPowerCuts cuts the power after each call of each commit, with everything that a disk may then do: after the next
// start each commit is made completely or not at all, and completely if it was acknowledged.
func TestPowerCuts(t *testing.T) {
	skip.OnWindows(t, "the model is that of a disk on which folders can be synced")
	for name, h := range histories() {
		if testing.Short() && name != "delete" && name != "edit" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ct := runCuts(t, h, nil)
			for _, damage := range ct.damage[:min(3, len(ct.damage))] {
				t.Error(damage)
			}
			t.Logf("%d calls, %d cuts, %d damaged", len(ct.events), ct.cuts, len(ct.damage))
		})
	}
}

// TestPowerCutsFindMissingSyncs leaves out one kind of sync after the other: each must lead to damage.
func TestPowerCutsFindMissingSyncs(t *testing.T) {
	skip.OnWindows(t, "the model is that of a disk on which folders can be synced")
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
			if ct := runCuts(t, rename, misses); len(ct.damage) == 0 {
				t.Errorf("%d cuts did no damage", ct.cuts)
			}
		})
	}
}
