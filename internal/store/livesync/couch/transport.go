package couch

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// newTransport is net/http's transport with limits. We decompress ourselves, because net/http's decompression has no
// limit.
func newTransport(o Options) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: min(o.Timeout, 10*time.Second), KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout: min(o.Timeout, 10*time.Second),
		MaxIdleConnsPerHost: o.Concurrency,
		// Servers close idle connections, some after 5 s. A write on such a connection loses its response, so we close
		// ours earlier.
		IdleConnTimeout:        4 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
	}
}
