//go:build race

package format_test

// slowKeys says that deriving a key takes ten times as long as it should.
const slowKeys = true
