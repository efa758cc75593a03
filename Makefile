# `make help` lists the commands; docs/CONTRIBUTING.md says when to run which.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO       ?= go
TOOL     := $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 30s
SIZES    := 1000,10000,100000

# Packages with goroutines that share data: make test runs only these with the race detector.
RACE := $(addprefix ./internal/,access/door index observe/audit store/mem store/patient surface/mcp/... system/... vault vault/call)
# Goroutines share data in these too, but with the race detector they take minutes: make verify runs them with it.
SLOW_RACE := $(addprefix ./internal/,access/auth observe/metrics observe/pulse store/folder store/livesync store/livesync/cache \
             store/livesync/couch store/transfer surface/web vault/history)

# Packages that keep notes safe: their tests must reach 95 % of the statements.
TRUSTED := $(addprefix ./internal/,note/vpath note/edit store/folder vault/history observe/audit access/auth)

# One set of build flags for all tests, so that they share their compiled packages. The program that people run has its own
# (tools/compile).
export GOFLAGS += -trimpath -pgo=off
# Without this, the race detector lets each program wait a second before it exits.
export GORACE := atexit_sleep_ms=0

# The packages that take longest. They mostly wait, so they start first and run beside the others.
LONGEST := $(addprefix ./internal/,store/livesync app ops)

ALL_BUT = $(LONGEST) $(OTHERS)
OTHERS = $$(comm -23 <($(GO) list ./... | sort) <($(GO) list $(LONGEST) $(1) | sort))

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

## Three sizes of tests

.PHONY: check test verify
check: fmt vet deadcode ## before every commit, under 90 s: formatting, vet, dead code, import table, generated documents, short tests
	CGO_ENABLED=0 $(GO) test -vet=off -short ./...

test: ## what a newcomer runs, 5 to 10 minutes on two cores: lint, all Go tests, race detector, a real client
	@$(MAKE) --no-print-directory --jobs=2 packages lint
	@$(MAKE) --no-print-directory --jobs=2 tests races
	@PROGRAM=bin/test/obsidian-mcp tools/with-vault check.mjs sdk
	@echo "All tests passed."

verify: build all-modules ## everything else, except random tests: staticcheck, dead code, the other races, heavy forms, browser, conformance, image, deployment files
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target --assume-old=build $(VERIFY)
	@echo "Everything is verified."

# Two of them run at a time, each beside what the other leaves idle: first those that take longest. The program is built by
# then; if it were to be built again, those that need it would have to wait.
VERIFY := full staticcheck cross windows deadcode race relevance image coverage browser pdf oracle deploy clients conformance size release-proof newcomer-quick vulncheck

## Their parts

.PHONY: modules all-modules packages test-program tests races lint fmt vet staticcheck tidy deadcode
modules: MODULES := .
modules all-modules: # again if the network fails: a download that times out says nothing about the code
	@for module in $(MODULES); do for try in 1 2 3; do $(GO) -C "$$module" mod download && break; [ $$try -lt 3 ] || exit 1; done; done

all-modules: MODULES := tools tools/deploycheck bench

packages: # what the tests need from npm
	@tools/authserver/install & tools/octagonal/install & tools/clients/install sdk & \
	  failed=0; for job in $$(jobs -p); do wait "$$job" || failed=1; done; exit $$failed

tests races: export OBSIDIAN_MCP_TEST_PROGRAM := $(CURDIR)/bin/test/obsidian-mcp
tests: test-program # all Go tests but those of races
	CGO_ENABLED=0 $(GO) test -p 3 -vet=off -timeout 20m $(call ALL_BUT,$(RACE))

races: test-program # beside tests, which often wait
	tools/race -p=1 -timeout=20m $(RACE)

test-program: # the program that tests run; it shares its compiled packages with them
	@CGO_ENABLED=0 $(GO) build -o bin/test/obsidian-mcp ./cmd/obsidian-mcp

lint: fmt vet tidy ## formatting, vet, go.mod

fmt:
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }

vet: modules
	CGO_ENABLED=0 $(GO) vet ./...

staticcheck:
	@$(GO) build -C tools -o ../bin/lint ./lint
	CGO_ENABLED=0 $(GO) vet -vettool="$(CURDIR)/bin/lint" ./...
	CGO_ENABLED=0 $(GO) vet -tags conformance ./internal/surface/mcp/...

tidy: modules
	$(GO) mod tidy -diff

deadcode: ## functions that the program never reaches
	@tools/deadcode

.PHONY: race full coverage relevance cross windows
race: # the packages that make test leaves out, because they are slow with the race detector
	tools/race -timeout=40m $(SLOW_RACE)

# The heavier forms of the tests, beside the real ripgrep; packages without any are not run again.
FULL = OBSIDIAN_MCP_TEST_PROGRAM="$(CURDIR)/bin/obsidian-mcp" OBSIDIAN_MCP_TEST_FULL=1 OBSIDIAN_MCP_TEST_RG="$$(tools/ripgrep)" CGO_ENABLED=0 $(GO) test -vet=off -timeout 40m

full: build # of the packages that take longest, only the tests that have a heavier form
	@$(GO) build -C tools -o ../bin/heavy ./heavy
	@bin/heavy $(LONGEST) > bin/heavy.txt && tools/ripgrep > /dev/null
	@jobs=(); while read -r package tests; do $(FULL) -run "$$tests" "$$package" & jobs+=($$!); done < bin/heavy.txt; \
	  failed=0; $(FULL) -p 1 $(call OTHERS,$(TRUSTED)) || failed=1; for job in "$${jobs[@]}"; do wait "$$job" || failed=1; done; exit $$failed

coverage: build # the same of the packages that keep notes safe, and which statements their tests reach
	$(FULL) -cover $(TRUSTED) | tools/coverage

relevance: ## search quality on judged queries, compared with bleve; also the tests of the benchmarks
	cd bench && CGO_ENABLED=0 $(GO) test -v ./relevance
	cd bench && CGO_ENABLED=0 $(GO) test ./cmd/httpbench ./cmd/livesyncbench ./internal/... ./retrieval

cross: # the platforms that CI does not run on: a build for Windows, the types of the others
	@$(GO) build -C tools -o ../bin/typecheck ./typecheck
	@bin/typecheck windows/amd64 windows/arm64 darwin/arm64 linux/386 freebsd/amd64
	@GOOS=windows GOARCH=amd64 tools/compile bin/obsidian-mcp.exe

windows: cross ## the Windows program under wine: an MCP session that writes, reads, renames and removes notes; skipped without wine
	@$(GO) build -C tools -o ../bin/wine ./wine
	@bin/wine bin/obsidian-mcp.exe

.PHONY: cases clients browser pdf oracle conformance deploy image size release-proof newcomer-quick newcomer vulncheck
cases: ## only the data-driven tests, with the number of cases (TESTDATA_ROOT=/other/data)
	@$(GO) test -count 1 -v -run 'Cases$$' ./internal/... | grep -E 'cases ran|^(--- |    --- )?FAIL|^panic' | sed 's/^ *[a-z_]*test.go:[0-9]*: //'

clients: build ## real MCP clients from npm, against the program
	@tools/with-vault check.mjs all

browser: build ## the page in a real Chromium: every view and action, accessibility, attacks; screenshots in bin/browser
	@tools/browser/run

pdf: ## the text of PDF documents by different programs, compared with poppler's pdftotext
	@tools/pdf/run

oracle: # dates, recurrences and queries, compared with the libraries that Obsidian and its plugins use
	@tools/oracle/run

conformance: build ## the protocol's official suite, on the program and on a build with the suite's fixtures
	@tools/conformance/run

deploy: ## the Dockerfile, compose.yaml, units and proxies' configurations
	@tools/deploy-check

image: ## the image's root, built and run without a container engine
	@tools/image

size: build # the program's size, and what docs/DEPENDENCIES.md says of it
	@SYMBOLS=1 GOOS=linux GOARCH=amd64 tools/compile bin/obsidian-mcp-symbols
	@$(GO) build -C tools -o ../bin/size ./size
	@$(GO) test -C tools -vet=off ./size
	@bin/size $(SIZEFLAGS) bin/obsidian-mcp-symbols

release-proof: build cross ## a release for two platforms, made twice; its files installed, started and removed
	@tools/release/proof

newcomer-quick:
	@tools/newcomer/run quick

newcomer: ## the README's commands in an empty folder with an empty HOME, and its clients; half an hour
	@tools/newcomer/run

vulncheck: ## known vulnerabilities, if their database can be reached
	@tools/vulncheck

## Building and trying

.PHONY: build debug demo mcpb release dependencies golden changelog profile clean
build: ## the program, in bin/
	@tools/compile bin/obsidian-mcp

debug: ## the program for a debugger: with symbols, without optimisation; bin/obsidian-mcp-debug
	CGO_ENABLED=0 $(GO) build -gcflags='all=-N -l' -o bin/obsidian-mcp-debug ./cmd/obsidian-mcp

demo: build ## serve the example vault over HTTP, with calls by a real client; DEMO_ONCE=1 exits after them
	@tools/demo

mcpb: build ## bundles for Claude Desktop in bin/, made with the official packer; tests the one for this machine; PLATFORMS="macos windows" for some
	@tools/mcpb/build $(PLATFORMS)

release: ## everything that a release consists of, in dist/: make release VERSION=v1.2.3 [PLATFORMS="linux/amd64 …"]; docs/RELEASING.md
	@$(GO) build -C tools -o ../bin/release ./release
	@tools/npm-install tools/mcpb --ignore-scripts
	@bin/release -version "$(VERSION)" $(if $(PLATFORMS),-platforms "$(PLATFORMS)") $(if $(UPDATE),-update)

dependencies: ## write docs/DEPENDENCIES.md: which modules the program consists of, and how large they are
	@$(MAKE) --no-print-directory size SIZEFLAGS=-update

golden: ## rewrite every golden file and generated document
	files=$$(grep -rl '"obsidian-mcp/internal/testkit/golden"' --include='*_test.go' internal); \
	  $(GO) test $$(dirname $$files | sort -u | sed 's,^,./,') -run "^($$(sed -n 's/^func \(Test[^(]*\)(.*/\1/p' $$files | paste -sd '|'))$$" -update

changelog: ## move the unreleased fragments into changelog/VERSION and write CHANGELOG.md: VERSION=1.2.0, and DATE=2026-12-24 if not that of the last commit
	@tools/changelog "$(VERSION)" $(DATE)

profile: ## the profile that the compiler optimises the program for
	$(GO) test -run '^$$' -cpu 1 -bench '^BenchmarkScan$$/^ours$$' -benchtime 6s -cpuprofile cmd/obsidian-mcp/default.pgo -o /dev/null ./internal/note/md

clean: ## remove what was built
	rm -rf bin dist

## By hand: random tests, long forms, measurements

.PHONY: fuzz livesync-long crash soak bench search-bench bench-retrieval bench-http bench-livesync
fuzz: ## random tests: every fuzz target for FUZZTIME, every law with a new seed; failing inputs are saved
	@tools/fuzz $(FUZZTIME)

livesync-long: ## the long forms of the LiveSync tests: 10,000 faults, 10,000 racing edits, interruptions; half an hour
	OBSIDIAN_MCP_TEST_LONG=1 $(GO) test -timeout 60m -v -count 1 ./internal/store/livesync

crash: build ## kills, failing calls and power cuts (as root) of the real program, races with other writers; half an hour
	OBSIDIAN_MCP_TEST_LONG=1 OBSIDIAN_MCP_TEST_PROGRAM=$(CURDIR)/bin/obsidian-mcp \
	  $(GO) test -timeout 60m -v -count 1 ./internal/testkit/crash ./internal/store/folder ./internal/app

soak: build ## ten minutes of mixed calls over HTTP, watching memory, goroutines and descriptors
	@tools/bench-http soak $(or $(TIME),10m)

bench: ## the figures of docs/BENCHMARKS.md, three quarters of an hour; NOTES=10000 leaves out the largest vault
	@tools/bench
	@tools/bench-vault $(NOTES)
	@$(MAKE) --no-print-directory search-bench

search-bench: build ## search compared with ripgrep, bleve and FTS5, half an hour; NOTES=10000 for one size
	cd bench && $(GO) run -tags fts5 ./cmd/searchbench -rg "$$(../tools/ripgrep)" -notes "$(or $(NOTES),$(SIZES))" -json ../bin/search.json -svg ../bin/search.svg

bench-retrieval: ## how well search answers public sets of questions; DATA=a folder with seekstone's fixtures, locomo10.json, or both
	@[ -n "$(DATA)" ] || { echo "say where the data is: make bench-retrieval DATA=folder"; exit 2; }
	cd bench && CGO_ENABLED=0 $(GO) run ./cmd/retrievalbench -data "$(abspath $(DATA))"

bench-http: build ## calls and sessions over HTTP compared with a bare server of the SDK, four minutes
	@tools/bench-http

bench-livesync: build ## a LiveSync vault of 10,000 encrypted notes: memory, requests, times; three minutes
	@tools/bench-livesync
