package search_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that nothing is left running when the tests are done.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
