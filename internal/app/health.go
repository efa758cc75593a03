package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// health asks the server that runs with the same settings how it is. A server
// that listens everywhere is asked on loopback.
func health(ctx context.Context, settings config.Config, path string) error {
	host := settings.HTTP.Host
	if address := net.ParseIP(host); host == "" || address != nil && address.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	url := "http://" + net.JoinHostPort(host, strconv.Itoa(settings.HTTP.Port)) + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fault.InvalidArgument.Errorf("%s: %w", url, err)
	}
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(request) // by no proxy
	if err != nil {
		return fault.Internal.Errorf("no server answers: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
		return fault.Internal.Errorf("%s: %s", answer.Status, fmt.Sprintf("%q", body))
	}
	return nil
}
