//go:build !race

package livesync_test

const slow = false
