package history

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/system/disk"
	"obsidian-mcp/internal/testkit/mode"
)

// TestMain turns the test binary into a program that records changes if the
// environment says so.
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

// recordThere records changes and prints a line when each is begun and when it is
// made. With HISTORY_TEST_FATAL=n it kills itself before its nth system call.
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

// program returns a command that records count changes.
func program(o Options, count, fatal int) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "HISTORY_TEST_DIR="+o.Dir, "HISTORY_TEST_SECRET="+o.Secret,
		"HISTORY_TEST_COUNT="+strconv.Itoa(count), "HISTORY_TEST_FATAL="+strconv.Itoa(fatal))
	return command
}

// acknowledged holds what processes reported, by the id of the change.
type acknowledged map[string]struct {
	number int
	made   bool
}

func (a acknowledged) add(t *testing.T, output string) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(output))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) != 3 || words[0] == "error" {
			t.Fatalf("unexpected output of a process: %q", lines.Text())
		}
		number, _ := strconv.Atoi(words[2])
		a[words[1]] = struct {
			number int
			made   bool
		}{number, words[0] == "made"}
	}
}

// check checks that the history has everything that was acknowledged.
func (a acknowledged) check(t *testing.T, what string, h *History) {
	t.Helper()
	found := map[string]Change{}
	ids := idsOf(all(t, h))
	if !slices.IsSorted(ids) {
		t.Errorf("%s: the ids are not in the order of the changes", what)
	}
	for _, c := range all(t, h) {
		found[c.ID] = c
	}
	if len(ids) != len(found) {
		t.Errorf("%s: %d changes have %d ids", what, len(ids), len(found))
	}
	for id, report := range a {
		c, ok := found[id]
		if !ok || report.made && !c.Made {
			t.Fatalf("%s: change %s is %+v, found %v", what, id, c, ok)
		}
		want := numbered(report.number).Files[0]
		if got := bytesOf(t, h, c); !slices.Equal(got, []string{string(want.Before), string(want.After)}) {
			t.Fatalf("%s: %s has %q", what, id, got)
		}
	}
}

// TestProcessesShareHistory: two processes record at once, a third finds everything.
func TestProcessesShareHistory(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		each := mode.Pick(100, 500, 500)
		if testing.Short() {
			each = 10
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
		reported := acknowledged{}
		for i, command := range running {
			if err := command.Wait(); err != nil {
				t.Errorf("%v: %s", err, &outputs[i])
			}
			reported.add(t, outputs[i].String())
		}
		if len(reported) != len(outputs)*each {
			t.Errorf("%d changes were acknowledged", len(reported))
		}
		reported.check(t, "both", quick(o))
		if s, err := quick(o).State(background); err != nil || s.Changes != len(reported) || s.Unsettled+s.Damaged+s.Foreign > 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// TestKilledAtEveryCall kills a process before each of its system calls: nothing that
// it acknowledged is lost, and the next process can go on.
func TestKilledAtEveryCall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts about 40 processes")
	}
	onBoth(t, func(t *testing.T, o Options) {
		reported := acknowledged{}
		kills := 0
		for fatal := 1; ; fatal++ {
			output, err := program(o, 3, fatal).Output()
			reported.add(t, string(output))
			reported.check(t, fmt.Sprintf("killed at call %d", fatal), quick(o))
			if err == nil {
				break
			}
			kills++
		}
		if kills < 15 || len(reported) < 15 {
			t.Errorf("%d kills, %d changes acknowledged", kills, len(reported))
		}
	})
}

// TestKilledAtRandom kills processes at random moments: nothing that they acknowledged
// is lost.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts 20 processes")
	}
	kills := mode.Pick(20, 100, 500)
	onBoth(t, func(t *testing.T, o Options) {
		random := mode.Rand(uint64(len(o.Secret)))
		reported := acknowledged{}
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
			time.AfterFunc(time.Duration(random.IntN(20_000))*time.Microsecond, func() { command.Process.Kill() })
			var rest strings.Builder
			lines.WriteTo(&rest)
			command.Wait()
			text := rest.String()
			reported.add(t, first+text[:strings.LastIndexByte(text, '\n')+1]) // the last line may be torn
		}
		reported.check(t, "killed", quick(o))
		t.Logf("%d kills, %d changes acknowledged", kills/2, len(reported))
	})
}
