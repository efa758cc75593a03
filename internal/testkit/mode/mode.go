// Package mode says how much a test run does, and makes it do the same every
// time. Only tests import it.
//
// There are four sizes. `make check` runs `go test -short` after every edit, and `make test` runs plain `go test`.
// `make verify` sets OBSIDIAN_MCP_TEST_FULL for the heavier forms. OBSIDIAN_MCP_TEST_LONG is for runs of half an hour
// that somebody starts by hand.
//
// Importing this package also fixes rapid's seed, so that every run checks the same examples. OBSIDIAN_MCP_TEST_SEED sets
// another seed.
package mode

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	_ "pgregory.net/rapid" // registers the flag that init sets
)

// defaultSeed is the seed unless the environment sets another.
const defaultSeed = 1

func init() {
	if err := flag.Set("rapid.seed", strconv.FormatUint(Seed(), 10)); err != nil {
		panic(err)
	}
}

// Full reports whether tests run in their heavier forms.
func Full() bool { return os.Getenv("OBSIDIAN_MCP_TEST_FULL") != "" || Long() }

// Long reports whether tests may take as long as they need.
func Long() bool { return os.Getenv("OBSIDIAN_MCP_TEST_LONG") != "" }

// Pick returns the size for this run.
func Pick(plain, full, long int) int {
	switch {
	case Long():
		return long
	case Full():
		return full
	}
	return plain
}

// Patience is how long tests wait for something that is bound to happen, such as an answer or an event. It only keeps a
// broken program from blocking the run: on a busy machine, everything may take minutes.
const Patience = 10 * time.Minute

// Seed is the seed of all random choices: the same in every run, unless OBSIDIAN_MCP_TEST_SEED sets another.
func Seed() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("OBSIDIAN_MCP_TEST_SEED"), 10, 64); err == nil && seed != 0 {
		return seed
	}
	return defaultSeed
}

// Rand returns a source that makes the same choices in every run. Tests that need several independent sources give each
// its own stream.
func Rand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(Seed(), stream)) }
