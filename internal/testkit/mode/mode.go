// Package mode says how much a test run does, and makes it do the same every
// time. Only tests import it.
//
// There are four sizes. `go test -short` is what `make check` runs after every
// edit; plain `go test` is `make test`; `make verify` sets
// OBSIDIAN_MCP_TEST_FULL for the heavier forms; OBSIDIAN_MCP_TEST_LONG is for
// runs of half an hour that somebody starts by hand.
//
// Importing this package also fixes rapid's seed, so that a law is checked on
// the same examples in every run. OBSIDIAN_MCP_TEST_SEED names another seed.
package mode

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"

	_ "pgregory.net/rapid" // registers the flag that init sets
)

// defaultSeed is what random choices start from unless the environment names
// another seed.
const defaultSeed = 1

func init() {
	if err := flag.Set("rapid.seed", strconv.FormatUint(Seed(), 10)); err != nil {
		panic(err)
	}
}

// Full reports whether the heavier forms of tests are to run.
func Full() bool { return os.Getenv("OBSIDIAN_MCP_TEST_FULL") != "" || Long() }

// Long reports whether tests may take as long as they need.
func Long() bool { return os.Getenv("OBSIDIAN_MCP_TEST_LONG") != "" }

// Pick returns the size of a test for this run.
func Pick(plain, full, long int) int {
	switch {
	case Long():
		return long
	case Full():
		return full
	}
	return plain
}

// Seed is where random choices start: the same number in every run, unless
// OBSIDIAN_MCP_TEST_SEED says otherwise.
func Seed() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("OBSIDIAN_MCP_TEST_SEED"), 10, 64); err == nil && seed != 0 {
		return seed
	}
	return defaultSeed
}

// Rand makes the same choices in every run. Tests that need several
// independent sources give each its own stream.
func Rand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(Seed(), stream)) }
