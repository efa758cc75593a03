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

// request is one question to the server.
type request struct {
	method string
	at     *url.URL
	about  string // what is asked, for the log; never an id, which is a path of the vault
	body   []byte // JSON, or nil
	writes bool   // changes documents, which an error then says
	once   bool   // must not be repeated unless it certainly did nothing
	live   bool   // the answer comes bit by bit, which a server that compresses would hold back
}

// ask sends a request, again where that is right and may help, and decodes the
// answer.
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
		c.opt.Log.Debug("asking CouchDB again", "request", r.about, "attempt", try+2, "in", pause, "reason", failed.err.Error())
		if c.opt.Sleep(ctx, pause) != nil {
			return failed.fault(r)
		}
	}
}

// attempt sends a request once, when its turn has come.
func (c *Client) attempt(ctx context.Context, r request, answer any) *failure {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return &failure{err: ended(ctx), nothingDone: true}
	}
	return c.exchange(ctx, r, c.opt.Timeout, answer)
}

// exchange sends a request and reads the answer. It ends once nothing has
// moved for the given time of silence.
func (c *Client) exchange(ctx context.Context, r request, silence time.Duration, answer any) *failure {
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
		return c.statusFailure(r, response, body.text())
	}
	if err != nil {
		return c.bodyFailure(ctx, err)
	}
	err = body.decode(answer)
	switch {
	case body.broken != nil:
		return c.bodyFailure(ctx, body.broken)
	case err != nil:
		return &failure{again: true, err: fault.StoreUnavailable.Errorf("CouchDB's answer is no JSON of the right form")}
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
		out.Body = io.NopCloser(watched{bytes.NewReader(r.body), watch})
		out.ContentLength = int64(len(r.body))
	}
	if c.opt.User != "" {
		out.SetBasicAuth(c.opt.User, c.opt.Password.Reveal())
	}
	return out
}

// The causes for which we ourselves end a request.
var (
	errSilence = errors.New("no answer in time")
	errTotal   = errors.New("no answer in the time that a call has")
	errQuiet   = errors.New("nothing has changed")
)

// watchdog ends a request in which nothing moves.
type watchdog struct {
	silence time.Duration
	timer   *time.Timer
}

// watched is a reader whose every progress calms the watchdog.
type watched struct {
	io.Reader
	watch *watchdog
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 && w.watch.timer.Stop() {
		w.watch.timer.Reset(w.watch.silence)
	}
	return n, err
}
