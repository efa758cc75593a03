//go:build race

package door

// raceDetector reports whether the race detector is on.
const raceDetector = true
