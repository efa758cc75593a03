//go:build race

package livesync_test

// slow says that the race detector makes everything take several times as long,
// and deriving keys ten times. What is left out or shortened for it runs
// without it too.
const slow = true
