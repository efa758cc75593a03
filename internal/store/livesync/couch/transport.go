package couch

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// newTransport is net/http's, with limits. Decompression is our own, since
// that of net/http knows no limit.
func newTransport(o Options) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: min(o.Timeout, 10*time.Second), KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout: min(o.Timeout, 10*time.Second),
		MaxIdleConnsPerHost: o.Concurrency,
		// Servers close idle connections, some after 5 s. A write that meets such
		// a connection has lost its answer, so ours are closed first.
		IdleConnTimeout:        4 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
	}
}
