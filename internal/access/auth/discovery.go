package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/json"
)

const (
	maxDocument    = 1 << 20 // bytes of a document of an issuer
	requestTimeout = 5 * time.Second
	maxRedirects   = 3
)

// careful returns a client that follows no redirect to another server, and does not wait long.
func careful(client *http.Client) *http.Client {
	own := http.Client{}
	if client != nil {
		own = *client
	}
	if own.Timeout == 0 || own.Timeout > requestTimeout {
		own.Timeout = requestTimeout
	}
	own.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		switch first := before[0].URL; {
		case next.URL.Host != first.Host || next.URL.Scheme != first.Scheme:
			return errors.New("it redirects to another server")
		case len(before) > maxRedirects:
			return errors.New("it redirects without end")
		}
		return nil
	}
	return &own
}

// discover finds the address of the issuer's keys as RFC 8414 and OpenID Connect Discovery say.
func (k *keyring) discover(ctx context.Context) (*url.URL, error) {
	var first error
	for _, address := range metadataAddresses(k.where) {
		keys, err := k.keyAddress(ctx, address)
		if err == nil {
			return keys, nil
		}
		first = cmp.Or(first, err)
		if _, unanswered := errors.AsType[*url.Error](err); unanswered {
			break // the other documents are on the same server
		}
	}
	return nil, first
}

// metadataAddresses returns where an issuer may describe itself. If it has a path, the well-known part comes before it or,
// by the older rule of OpenID Connect, after it.
func metadataAddresses(issuer *url.URL) []*url.URL {
	path := strings.TrimSuffix(issuer.Path, "/")
	at := func(path string) *url.URL {
		address := *issuer
		address.Path, address.RawPath = path, ""
		return &address
	}
	addresses := []*url.URL{at("/.well-known/oauth-authorization-server" + path), at("/.well-known/openid-configuration" + path)}
	if path != "" {
		addresses = append(addresses, at(path+"/.well-known/openid-configuration"))
	}
	return addresses
}

// keyAddress reads such a description. It must name the issuer byte for byte, or another issuer could take its place.
func (k *keyring) keyAddress(ctx context.Context, from *url.URL) (*url.URL, error) {
	var metadata struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := k.get(ctx, from, &metadata); err != nil {
		return nil, err
	}
	if metadata.Issuer != k.issuer {
		return nil, fmt.Errorf("%s describes another issuer", from)
	}
	keys, err := url.Parse(metadata.Keys)
	if err != nil || !secure(keys) || keys.Scheme == "http" && k.where.Scheme == "https" {
		return nil, fmt.Errorf("%s does not name an https address for its keys", from)
	}
	return keys, nil
}

// get fetches a JSON document of bounded size.
func (k *keyring) get(ctx context.Context, address *url.URL, into any) error {
	request := &http.Request{Method: http.MethodGet, URL: address, Header: http.Header{"Accept": {"application/json"}}}
	response, err := k.client.Do(request.WithContext(ctx))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", address, response.StatusCode)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", address, err)
	case len(content) > maxDocument:
		return fmt.Errorf("%s is longer than 1 MB", address)
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s is not valid JSON of the expected form", address)
	}
	return nil
}
