package process

import (
	"maps"
	"os/exec"
	"testing"
	"time"
)

func TestParseMetrics(t *testing.T) {
	got := parseMetrics("# HELP go_goroutines how many\n# TYPE go_goroutines gauge\ngo_goroutines 12\nheap 3.5e+06\nby_label{code=\"200\"} 7\nodd\n\n")
	if want := (map[string]float64{"go_goroutines": 12, "heap": 3.5e6}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStartTellsOfAnEarlyEnd(t *testing.T) {
	began := time.Now()
	if _, err := Start(exec.Command("false"), "127.0.0.1:1"); err == nil {
		t.Error("a process that ended was ready")
	}
	if took := time.Since(began); took > longestStart/2 {
		t.Errorf("it took %v to see the end", took)
	}
}
