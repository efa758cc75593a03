package process

import (
	"maps"
	"os/exec"
	"strings"
	"testing"
)

func TestParseMetrics(t *testing.T) {
	got := parseMetrics("# HELP go_goroutines how many\n# TYPE go_goroutines gauge\ngo_goroutines 12\nheap 3.5e+06\nby_label{code=\"200\"} 7\nodd\n\n")
	if want := (map[string]float64{"go_goroutines": 12, "heap": 3.5e6}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStartReportsAnEarlyExit(t *testing.T) {
	_, err := Start(exec.Command("false"), "127.0.0.1:1")
	if err == nil || !strings.Contains(err.Error(), "ended before it was ready") {
		t.Errorf("starting a command that exits at once: got %v", err)
	}
}
