package couch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"obsidian-mcp/internal/fault"
)

// request is one request to the server.
type request struct {
	method string
	at     *url.URL
	about  string // what it does, for the log; never an id, which would reveal a path of the vault
	body   []byte // JSON, or nil
	writes bool   // changes documents; errors say so
	once   bool   // must not be repeated unless it certainly had no effect
	live   bool   // the response arrives bit by bit; compression would delay it

	accepted *bool // set to whether fewer nodes of a cluster than wanted have carried it out; may be nil
}

// ask sends a request, retries it if that is safe and may help, and decodes the response.
func (c *Client) ask(ctx context.Context, r request, answer any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opt.Total, errTotal)
	defer cancel()
	for try := 0; ; try++ {
		failed := c.attempt(ctx, r, answer)
		if failed == nil {
			return nil
		}
		pause := c.pause(try, failed.wait)
		if try >= c.opt.Retries || ctx.Err() != nil || !failed.mayRepeat(r) {
			return failed.fault(r)
		}
		c.opt.Log.Debug("retrying a CouchDB request", "request", r.about, "attempt", try+2, "in", pause, "reason", failed.err.Error())
		if c.opt.Sleep(ctx, pause) != nil {
			return failed.fault(r)
		}
	}
}

// attempt sends a request once, as soon as fewer than Concurrency are in flight.
func (c *Client) attempt(ctx context.Context, r request, answer any) *failure {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return &failure{err: ended(ctx), nothingDone: true}
	}
	return c.exchange(ctx, r, c.opt.Timeout, answer)
}

// exchange sends a request and reads the response. It fails once no byte has moved for the duration silence.
func (c *Client) exchange(ctx context.Context, r request, silence time.Duration, answer any) *failure {
	if err := c.opt.Logins.held(); err != nil {
		return &failure{err: err, nothingDone: true}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := &watchdog{silence: silence, timer: time.AfterFunc(silence, func() { cancel(errSilence) })}
	defer watch.timer.Stop()

	response, err := c.http.Do(c.newRequest(ctx, r, watch))
	if err != nil {
		return c.networkFailure(ctx, err)
	}
	defer response.Body.Close()
	body, err := c.openBody(response, watch)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		failed := c.statusFailure(r, response, body.text())
		if errors.Is(failed.err, ErrLogin) {
			c.opt.Logins.record(failed.err)
		}
		return failed
	}
	c.opt.Logins.record(nil)
	if err != nil {
		return c.bodyFailure(ctx, err)
	}
	if r.accepted != nil {
		*r.accepted = response.StatusCode == http.StatusAccepted
	}
	err = body.decode(answer)
	switch {
	case body.broken != nil:
		return c.bodyFailure(ctx, body.broken)
	case err != nil:
		return &failure{again: true, err: fault.StoreUnavailable.Errorf("the response from CouchDB is not the expected JSON")}
	}
	return nil
}

func (c *Client) newRequest(ctx context.Context, r request, watch *watchdog) *http.Request {
	out := (&http.Request{Method: r.method, URL: r.at, Host: r.at.Host, Header: http.Header{}}).WithContext(ctx)
	out.Header.Set("Accept", "application/json")
	if !r.live {
		out.Header.Set("Accept-Encoding", "gzip")
	}
	out.Header.Set("User-Agent", "obsidian-mcp")
	if r.body != nil {
		out.Header.Set("Content-Type", "application/json")
		out.Body = io.NopCloser(watched{from: bytes.NewReader(r.body), watch: watch})
		out.ContentLength = int64(len(r.body))
	}
	if c.opt.User != "" {
		out.SetBasicAuth(c.opt.User, c.opt.Password.Reveal())
	}
	return out
}

// Causes for which we ourselves cancel a request.
var (
	errSilence = errors.New("no response in time")
	errTotal   = errors.New("no response within the time limit of a call")
	errQuiet   = errors.New("nothing has changed")
)

// watchdog cancels a request that makes no progress.
type watchdog struct {
	silence time.Duration
	timer   *time.Timer
}

// watched is a reader that resets the watchdog whenever it reads something.
type watched struct {
	from  io.Reader
	watch *watchdog
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if n > 0 && w.watch.timer.Stop() {
		w.watch.timer.Reset(w.watch.silence)
	}
	return n, err
}
