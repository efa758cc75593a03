package measure

import (
	"errors"
	"os"
	"testing"
	"time"
)

func TestSummary(t *testing.T) {
	var costs []Cost
	for i := range 100 {
		costs = append(costs, Cost{Wall: time.Duration(100-i) * time.Millisecond, CPU: time.Millisecond})
	}
	got := Summary(costs)
	if got.Wall != (Spread{Best: 1, P50: 51, P99: 100}) || got.CPU.P99 != 1 || got.Samples != 100 {
		t.Errorf("got %+v", got)
	}
}

func TestBestOfEach(t *testing.T) {
	got := BestOfEach(map[string][]Cost{
		"fast": {{Wall: 9 * time.Millisecond}, {Wall: time.Millisecond}},
		"slow": {{Wall: 4 * time.Millisecond}, {Wall: 40 * time.Millisecond}},
	})
	if got.Wall != (Spread{Best: 1, P50: 4, P99: 4}) || got.Samples != 4 {
		t.Errorf("got %+v", got)
	}
}

func TestOfShortRepeats(t *testing.T) {
	calls := 0
	if _, err := OfShort(func() error { calls++; return nil }); err != nil || calls < 10 {
		t.Errorf("%d calls of something short, %v", calls, err)
	}
	failure := errors.New("no")
	if _, err := OfShort(func() error { return failure }); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

func TestOfCountsTheProcessor(t *testing.T) {
	cost, err := Of(func() error {
		for end := time.Now().Add(30 * time.Millisecond); time.Now().Before(end); {
		}
		return nil
	})
	if err != nil || cost.CPU == 0 || cost.Wall < 30*time.Millisecond {
		t.Errorf("got %+v, %v", cost, err)
	}
}

func TestMemory(t *testing.T) {
	before, err := MemoryOf(0)
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	held := make([]byte, size)
	for i := range held {
		held[i] = 1
	}
	after, err := MemoryOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if grown := after.Anonymous - before.Anonymous; grown < size*3/4 {
		t.Errorf("64 MB more, but anonymous memory grew by %d", grown)
	}
	if held[size-1] != 1 || after.Resident < after.Anonymous {
		t.Errorf("resident %d, anonymous %d", after.Resident, after.Anonymous)
	}
	if _, err := CPUOf(os.Getpid()); err != nil {
		t.Error(err)
	}
}
