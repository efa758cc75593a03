package livesync_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no goroutine is left when the tests are done.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What tests put between a store and its database lets go of connections when
// the store does, as the store's own transport would.

func (m *meter) CloseIdleConnections() { closeIdle(m.to) }
func (c *cable) CloseIdleConnections() { closeIdle(c.to) }
func (w *wire) CloseIdleConnections()  { closeIdle(http.DefaultTransport) }

func closeIdle(transport http.RoundTripper) {
	(&http.Client{Transport: transport}).CloseIdleConnections()
}
