package history

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/system/disk"
)

// TestMain makes of the test's program one that records changes, if it is
// told to.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HISTORY_TEST_DIR"); dir != "" {
		if err := recordThere(Options{Dir: dir, Secret: os.Getenv("HISTORY_TEST_SECRET")}); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// recordThere records changes, and says of each when it is recorded and when it
// is settled. It kills itself before a call to the system, if that is wanted.
func recordThere(o Options) error {
	count, _ := strconv.Atoi(os.Getenv("HISTORY_TEST_COUNT"))
	fatal, _ := strconv.Atoi(os.Getenv("HISTORY_TEST_FATAL"))
	h := quick(o)
	h.disk.calls.Before(func(disk.Call) error {
		if fatal--; fatal == 0 {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		return nil
	})
	for i := range count {
		p, err := h.Begin(background, numbered(i))
		if err != nil {
			return err
		}
		fmt.Println("begun", p.ID(), i)
		if err := p.Made(nil); err != nil {
			return err
		}
		fmt.Println("made", p.ID(), i)
	}
	return nil
}

// program is the test's program, to record so many changes.
func program(o Options, count, fatal int) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "HISTORY_TEST_DIR="+o.Dir, "HISTORY_TEST_SECRET="+o.Secret,
		"HISTORY_TEST_COUNT="+strconv.Itoa(count), "HISTORY_TEST_FATAL="+strconv.Itoa(fatal))
	return command
}

// acknowledged is what processes said: which change was recorded, and how.
type acknowledged map[string]struct {
	number int
	made   bool
}

func (a acknowledged) note(t *testing.T, output string) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(output))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) != 3 || words[0] == "error" {
			t.Fatalf("a process says %q", lines.Text())
		}
		number, _ := strconv.Atoi(words[2])
		a[words[1]] = struct {
			number int
			made   bool
		}{number, words[0] == "made"}
	}
}

// check looks for everything that was acknowledged.
func (a acknowledged) check(t *testing.T, what string, h *History) {
	t.Helper()
	found := map[string]Change{}
	ids := idsOf(all(t, h))
	if !slices.IsSorted(ids) {
		t.Errorf("%s: the ids do not sort as the changes do", what)
	}
	for _, c := range all(t, h) {
		found[c.ID] = c
	}
	if len(ids) != len(found) {
		t.Errorf("%s: %d changes have %d ids", what, len(ids), len(found))
	}
	for id, said := range a {
		c, there := found[id]
		if !there || said.made && !c.Made {
			t.Fatalf("%s: of %s there is %+v, %v", what, id, c, there)
		}
		want := numbered(said.number).Files[0]
		if got := bytesOf(t, h, c); !slices.Equal(got, []string{string(want.Before), string(want.After)}) {
			t.Fatalf("%s: %s has %q", what, id, got)
		}
	}
}

// TestProcesses: two record at once, a third finds everything.
func TestProcesses(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		each := 500
		if o.Secret != "" && !long() {
			each = 50
		}
		var running []*exec.Cmd
		var outputs [2]strings.Builder
		for i := range outputs {
			command := program(o, each, 0)
			command.Stdout, command.Stderr = &outputs[i], &outputs[i]
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, command)
		}
		said := acknowledged{}
		for i, command := range running {
			if err := command.Wait(); err != nil {
				t.Errorf("%v: %s", err, &outputs[i])
			}
			said.note(t, outputs[i].String())
		}
		if len(said) != len(outputs)*each {
			t.Errorf("%d changes were acknowledged", len(said))
		}
		said.check(t, "both", quick(o))
		if s, err := quick(o).State(background); err != nil || s.Changes != len(said) || s.Unsettled+s.Damaged+s.Foreign > 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// TestKilledAtEveryCall: a process that ends before any call to the system has
// lost nothing that it acknowledged, and the next can go on.
func TestKilledAtEveryCall(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		said := acknowledged{}
		kills := 0
		for fatal := 1; ; fatal++ {
			output, err := program(o, 3, fatal).Output()
			said.note(t, string(output))
			said.check(t, fmt.Sprintf("killed at call %d", fatal), quick(o))
			if err == nil {
				break
			}
			kills++
		}
		if kills < 15 || len(said) < 15 {
			t.Errorf("%d kills, %d changes acknowledged", kills, len(said))
		}
	})
}

// TestKilled: processes that are killed at any moment have lost nothing that
// they acknowledged.
func TestKilled(t *testing.T) {
	kills := 20
	if long() {
		kills = 500
	}
	onBoth(t, func(t *testing.T, o Options) {
		said := acknowledged{}
		for range kills / 2 {
			command := program(o, 100_000, 0)
			output, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(output)
			first, _ := lines.ReadString('\n')
			time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() { command.Process.Kill() })
			var rest strings.Builder
			lines.WriteTo(&rest)
			command.Wait()
			whole := rest.String()
			said.note(t, first+whole[:strings.LastIndexByte(whole, '\n')+1])
		}
		said.check(t, "killed", quick(o))
		t.Logf("%d kills, %d changes acknowledged", kills/2, len(said))
	})
}
