//go:build !race

package format_test

const slowKeys = false
