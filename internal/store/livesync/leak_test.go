package livesync_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no goroutine is left when the tests are done.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Test transports close their idle connections with the store, as the store's own transport does.

func (m *trafficMeter) CloseIdleConnections()    { closeIdle(m.to) }
func (c *cuttableNetwork) CloseIdleConnections() { closeIdle(c.to) }
func (w *network) CloseIdleConnections()         { closeIdle(http.DefaultTransport) }

func closeIdle(transport http.RoundTripper) {
	(&http.Client{Transport: transport}).CloseIdleConnections()
}
