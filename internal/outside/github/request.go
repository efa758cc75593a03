package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"

	"obsidian-mcp/internal/fault"
)

// maxAnswer is the size in bytes of the largest answer that is read.
const maxAnswer = 1 << 20

// session makes the requests of one call, with the token as it is now.
type session struct {
	client *Client
	token  string
}

func (c *Client) begin() (*session, error) {
	token, err := readToken(c.opt.TokenFile)
	return &session{c, token}, err
}

// request is a request to the repository.
type request struct {
	method string
	path   []string // segments below the repository
	query  url.Values
	body   any    // sent as JSON, unless it is nil
	to     string // what the request is for, such as "read the branch 'main'", for errors
}

func (r request) isWrite() bool { return r.method != http.MethodGet }

// do makes a request and decodes the answer into answer, unless that is nil.
func (s *session) do(ctx context.Context, req request, answer any) error {
	outgoing, err := s.prepare(ctx, req)
	if err != nil {
		return err
	}
	response, err := s.client.http.Do(outgoing)
	if err != nil {
		return s.unreachable(ctx, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return s.unreachable(ctx, err)
	case len(text) > maxAnswer:
		return fault.StoreUnavailable.Errorf("the answer of %s is larger than 1 MB", s.client.host()).WithHint("check adr.api")
	case response.StatusCode > 299:
		return s.refusal(req, response, text)
	case answer == nil:
		return nil
	case !isJSON(response, text):
		return s.notTheAPI(response)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return s.notTheAPI(response)
	}
	return nil
}

func (s *session) prepare(ctx context.Context, req request) (*http.Request, error) {
	var body io.Reader
	if req.body != nil {
		encoded, err := json.Marshal(req.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(encoded)
	}
	outgoing, err := http.NewRequestWithContext(ctx, req.method, s.endpoint(req).String(), body)
	if err != nil {
		return nil, err
	}
	outgoing.Header.Set("Accept", "application/vnd.github+json")
	outgoing.Header.Set("Authorization", "Bearer "+s.token)
	outgoing.Header.Set("User-Agent", strings.TrimSuffix("obsidian-mcp/"+s.client.opt.Version, "/"))
	outgoing.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	if body != nil {
		outgoing.Header.Set("Content-Type", "application/json")
	}
	return outgoing, nil
}

// endpoint returns the address of a request. Each segment of the path stays one, whatever characters it has.
func (s *session) endpoint(req request) *url.URL {
	address := *s.client.base
	segments := append(append([]string{"repos"}, strings.Split(s.client.opt.Repo, "/")...), req.path...)
	raw, plain := strings.TrimRight(address.EscapedPath(), "/"), strings.TrimRight(address.Path, "/")
	for _, segment := range segments {
		raw, plain = raw+"/"+url.PathEscape(segment), plain+"/"+segment
	}
	address.Path, address.RawPath, address.RawQuery = plain, raw, req.query.Encode()
	return &address
}

// isJSON reports whether an answer is JSON, by its type and by its text.
func isJSON(response *http.Response, text []byte) bool {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return (kind == "" || strings.HasSuffix(kind, "json")) && json.Valid(text)
}

// unreachable is the error of a request that got no answer.
func (s *session) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed, ok := errors.AsType[net.Error](err); ok && failed.Timeout() {
		return fault.StoreUnavailable.Errorf("%s did not answer within %s", s.client.host(), s.client.opt.Timeout).
			WithHint("try again later; if it stays so, check adr.api")
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return fault.StoreUnavailable.Errorf("cannot reach %s: %s", s.client.host(), s.safe(err.Error())).
		WithHint("check adr.api and the network")
}
