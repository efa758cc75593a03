// Package echo is the yardstick: a server made only of the MCP library, as its documentation shows it, with a
// single typed tool that answers with a text of a given size. It offers each of the library's ways to answer on a
// path of its own, and reports the same metrics as the program.
package echo

import (
	"context"
	"fmt"
	"net/http"
	"runtime/metrics"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Size is the size of the tool's answer, in bytes.
const Size = 2048

// The paths, by how answers come.
const (
	Events          = "/mcp"            // sessions, answers as streams of events: the library's default
	JSON            = "/json"           // sessions, answers as JSON
	Sessionless     = "/stateless"      // no sessions, streams of events
	SessionlessJSON = "/stateless-json" // no sessions, JSON
)

type input struct {
	Text string `json:"text" jsonschema:"what to say again and again"`
}

// Serve serves until the process ends.
func Serve(addr string) error { return http.ListenAndServe(addr, Routes()) }

// Routes returns the server's handler.
func Routes() http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "echo", Description: "Says a text again and again, 2 KB in all."}, echo)
	get := func(*http.Request) *sdk.Server { return server }
	routes := http.NewServeMux()
	for path, options := range map[string]*sdk.StreamableHTTPOptions{
		Events: nil, JSON: {JSONResponse: true}, Sessionless: {Stateless: true}, SessionlessJSON: {Stateless: true, JSONResponse: true},
	} {
		routes.Handle(path, sdk.NewStreamableHTTPHandler(get, options))
	}
	routes.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	routes.HandleFunc("/metrics", tell)
	return routes
}

func echo(_ context.Context, _ *sdk.CallToolRequest, in input) (*sdk.CallToolResult, any, error) {
	text := strings.Repeat(in.Text+" ", Size/(len(in.Text)+1)+1)[:Size]
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, nil
}

// reported are the figures of the runtime, by the names that Prometheus's collector gives them.
var reported = []struct{ name, source string }{
	{"go_goroutines", "/sched/goroutines:goroutines"},
	{"go_gc_duration_seconds_count", "/gc/cycles/total:gc-cycles"},
	{"go_memstats_alloc_bytes_total", "/gc/heap/allocs:bytes"},
	{"go_memstats_heap_alloc_bytes", "/memory/classes/heap/objects:bytes"},
	{"go_memstats_stack_inuse_bytes", "/memory/classes/heap/stacks:bytes"},
}

func tell(w http.ResponseWriter, _ *http.Request) {
	samples := make([]metrics.Sample, len(reported))
	for i, figure := range reported {
		samples[i].Name = figure.source
	}
	metrics.Read(samples)
	for i, figure := range reported {
		fmt.Fprintf(w, "%s %d\n", figure.name, samples[i].Value.Uint64())
	}
}
