# Everything that can be done with the repository. `make test` is what CI runs.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c

GO       ?= go
TOOL     := $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 2s
SIZES    := 1000,10000,100000
TRUSTED  := $(addprefix obsidian-mcp/internal/,note/vpath note/edit store/folder vault/history observe/audit access/auth)
LONGEST  := $(addprefix obsidian-mcp/internal/,store/livesync ops)
APART    := $(addprefix obsidian-mcp/internal/,app crash store/livesync/format)

# What one goroutine does, and the race detector would make ten times as slow.
PLAIN    := TestTimeIsLinear|TestClosedLooksAbsent$$|TestRealVaults|TestCostlyQuestions|TestErrorsQuoteNoNotes|TestShowChange|TestUndoOfAVeryLargeFile|TestLargeAndHostileNotes

# The race detector would have each program wait a second at its end.
export GORACE := atexit_sleep_ms=0

.PHONY: build test lint tidy vulncheck cross cases race livesync ripgrep relevance clients browser conformance deploy image fuzz bench search-bench bench-http bench-livesync livesync-long crash soak profile demo mcpb newcomer docs clean

build: ## the program, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto -o bin/obsidian-mcp ./cmd/obsidian-mcp

test: lint tidy build cross cases race livesync ripgrep relevance clients browser conformance deploy image ## all checks and tests, fastest first
	@DEMO_ONCE=1 $(MAKE) --no-print-directory demo
	@$(MAKE) --no-print-directory mcpb PLATFORMS=linux-amd64
	@$(MAKE) --no-print-directory fuzz FUZZTIME=2s
	@$(MAKE) --no-print-directory vulncheck

lint: ## formatting, vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags conformance ./internal/surface/mcp
	$(TOOL) staticcheck ./...
	$(TOOL) staticcheck -tags conformance ./internal/surface/mcp

tidy: ## go.mod names just what is used
	$(GO) mod tidy -diff

cross: ## the platforms that CI does not run on still build
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) build ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./...
	GOOS=linux GOARCH=386 CGO_ENABLED=0 $(GO) build ./...

cases: ## the data-driven tests alone, with how many cases ran (TESTDATA_ROOT=/other/data)
	@$(GO) test -count 1 -v -run 'Cases$$' ./internal/... | grep -E 'cases ran|^(--- |    --- )?FAIL|^panic' | sed 's/^ *[a-z_]*test.go:[0-9]*: //'

race: ## all tests, nearly all with the race detector, and how much of what notes are trusted to they reach; those of the whole program by themselves, since they measure time
	$(GO) test -race -cover -timeout 20m $(TRUSTED) | tools/coverage
	$(GO) test -race -skip 'Ripgrep|$(PLAIN)' -timeout 20m $(LONGEST) $$($(GO) list ./... | grep -vxF "$$(printf '%s\n' $(TRUSTED) $(LONGEST) $(APART))")
	$(GO) test -race -timeout 20m ./internal/app
	$(GO) test -timeout 20m ./internal/testkit/crash ./internal/store/livesync/format
	$(GO) test -run '$(PLAIN)' ./internal/note/md ./internal/ops ./internal/note/summary

livesync: ## what the race detector would make too long: every sort of LiveSync database, 1,000 faults, 600 racing edits
	$(GO) test -run '^(TestStore|TestFaults|TestRacing|TestInterruptedTwice)$$' ./internal/store/livesync

ripgrep: ## our regular expressions, globs and vault_search beside the real ripgrep
	OBSIDIAN_MCP_TEST_RG="$$(tools/ripgrep)" $(GO) test -run Ripgrep ./internal/text/regex ./internal/text/glob ./internal/ops

relevance: ## judged queries, ours beside bleve's answers; and the tests of the other benchmarks
	cd bench && $(GO) test -v -run TestRelevance ./relevance
	cd bench && $(GO) test ./cmd/httpbench ./cmd/livesyncbench ./internal/...

clients: build ## real MCP clients from npm, against the program
	@tools/with-vault check.mjs all

browser: build ## the page in a real Chromium: every view and action, accessibility, what must not happen; pictures in bin/browser
	@tools/browser/run

conformance: build ## the protocol's official suite, on the program and on a build with the suite's fixtures
	@tools/conformance/run

deploy: ## the Dockerfile, compose.yaml, units and proxies' configurations
	@tools/deploy-check

image: ## the image's root, built and run without a container engine
	@tools/image

docs: ## the generated tables of the README, docs/COMPARISON.md and the manual page
	$(GO) test ./internal/app -run Documents -update

fuzz: ## every fuzz target, FUZZTIME each (make fuzz FUZZTIME=10m)
	@tools/fuzz $(FUZZTIME)

vulncheck: ## known vulnerabilities, where their database can be reached
	@tools/vulncheck

bench: ## the figures of docs/BENCHMARKS.md, three quarters of an hour; NOTES=10000 leaves out the largest vault
	@tools/bench
	@tools/bench-vault $(NOTES)
	@$(MAKE) --no-print-directory search-bench

search-bench: build ## search beside ripgrep, bleve and FTS5, half an hour; NOTES=10000 for one size
	cd bench && $(GO) run -tags fts5 ./cmd/searchbench -rg "$$(../tools/ripgrep)" -notes "$(or $(NOTES),$(SIZES))" -json ../bin/search.json -svg ../bin/search.svg

bench-http: build ## calls and sessions over HTTP beside a bare server of the SDK, four minutes
	@tools/bench-http

bench-livesync: build ## a LiveSync vault of 10,000 encrypted notes: memory, requests, times; three minutes
	@tools/bench-livesync

livesync-long: ## the long forms of the tests of LiveSync: 10,000 faults, 10,000 racing edits, interruptions; half an hour
	OBSIDIAN_MCP_TEST_LONG=1 $(GO) test -timeout 60m -v -run 'Faults|Interrupt|Racing|MadeAgain|Requests' ./internal/store/livesync

crash: ## kills, failing calls and power cuts (as root) of the real program, races with other writers, the long forms of the tests of disks; half an hour
	OBSIDIAN_MCP_TEST_LONG=1 $(GO) test -timeout 60m -v -count 1 ./internal/testkit/crash
	OBSIDIAN_MCP_TEST_LONG=1 $(GO) test -timeout 30m -v -count 1 -run 'TestSwapRace' ./internal/store/folder
	OBSIDIAN_MCP_TEST_LONG=1 $(GO) test -timeout 30m -v -count 1 -run 'TestRacingOutsiders' ./internal/app

soak: build ## ten minutes of mixed calls over HTTP, watching memory, goroutines and descriptors
	@tools/bench-http soak $(or $(TIME),10m)

profile: ## the profile that the compiler optimises the program for
	$(GO) test -trimpath -run '^$$' -cpu 1 -bench '^BenchmarkScan$$/^ours$$' -benchtime 6s -cpuprofile cmd/obsidian-mcp/default.pgo -o /dev/null ./internal/note/md

demo: build ## the example vault served over HTTP, a real client that asks it things, and where to look; DEMO_ONCE=1 ends by itself
	@tools/demo

mcpb: build ## bundles for Claude Desktop in bin/, by the official packer, and this machine's tried; PLATFORMS="macos windows" for some
	@tools/mcpb/build $(PLATFORMS)

newcomer: ## what the README says, in an empty folder with an empty HOME, with the clients themselves; half an hour
	@tools/newcomer/run

clean:
	rm -rf bin
