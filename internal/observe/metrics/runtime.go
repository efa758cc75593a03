package metrics

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// writeRuntime writes the state of the process under the names that Go
// dashboards expect.
func writeRuntime(out *page) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	out.gauge("go_goroutines", "Number of goroutines that currently exist.", float64(runtime.NumGoroutine()))
	out.gauge("go_memstats_alloc_bytes", "Bytes allocated in the heap and in use.", float64(memory.Alloc))
	out.counter("go_memstats_alloc_bytes_total", "Bytes allocated in the heap so far.", float64(memory.TotalAlloc))
	out.gauge("go_memstats_heap_alloc_bytes", "Bytes of heap objects in use.", float64(memory.HeapAlloc))
	out.gauge("go_memstats_heap_inuse_bytes", "Bytes of heap spans in use.", float64(memory.HeapInuse))
	out.gauge("go_memstats_heap_idle_bytes", "Bytes of heap spans that wait to be used.", float64(memory.HeapIdle))
	out.gauge("go_memstats_heap_objects", "Objects in the heap.", float64(memory.HeapObjects))
	out.gauge("go_memstats_stack_inuse_bytes", "Bytes of stacks in use.", float64(memory.StackInuse))
	out.gauge("go_memstats_sys_bytes", "Bytes obtained from the system.", float64(memory.Sys))
	out.family("go_gc_duration_seconds", "Pauses of garbage collections.", "summary")
	out.sample("go_gc_duration_seconds_sum", "", float64(memory.PauseTotalNs)/1e9)
	out.sample("go_gc_duration_seconds_count", "", float64(memory.NumGC))
	if resident, ok := residentPages(); ok {
		out.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", float64(resident)*float64(os.Getpagesize()))
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		out.gauge("process_open_fds", "Number of open file descriptors.", float64(len(files)))
	}
}

// residentPages returns how many pages of the process are in memory; ok is false where the system does not say.
func residentPages() (pages int, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		pages, err := strconv.Atoi(fields[1])
		return pages, err == nil
	}
	return 0, false
}
