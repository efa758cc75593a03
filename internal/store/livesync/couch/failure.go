package couch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
)

// ErrLostAnswer is in the chain of an error after which a write may have been
// done, or not: the answer did not arrive. Whoever wrote reads what is there.
var ErrLostAnswer = errors.New("the answer to a write was lost")

// ErrCertificate is in the chain of an error that a server's certificate
// caused. It does not go away by itself.
var ErrCertificate = errors.New("the certificate is not trusted")

// errNoSuch is CouchDB's own word for a 404, as opposed to that of a proxy
// that does not find CouchDB.
var errNoSuch = errors.New("not_found")

// failure is an attempt without success.
type failure struct {
	err         error
	status      int           // of the answer; 0 if there was none
	code        string        // CouchDB's word for it
	again       bool          // asking again may help
	nothingDone bool          // the server certainly did nothing
	wait        time.Duration // that the server asked for
}

// mayRepeat reports whether the request may be sent again. A write that must
// happen once is sent again only if the server has not done it: it was never
// reached, or it said that there were too many requests. A 503 says nothing of
// the kind, since a proxy or a cluster may give it after the fact.
func (f *failure) mayRepeat(r request) bool { return f.again && (f.nothingDone || !r.once) }

// fault is the failure as the caller gets it.
func (f *failure) fault(r request) error {
	if !r.once || f.nothingDone {
		return f.err
	}
	return &fault.Error{
		Kind: fault.KindOf(f.err), Message: f.err.Error() + "; what was written may have arrived, or not",
		Hint: fault.HintOf(f.err), Err: errors.Join(ErrLostAnswer, f.err),
	}
}

// networkFailure is for a request that got no answer.
func (c *Client) networkFailure(ctx context.Context, err error) *failure {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the URL has an id in it, and says nothing new
	}
	if ctx.Err() != nil {
		return &failure{err: ended(ctx), again: true}
	}
	if why := certificateProblem(err); why != "" {
		return &failure{nothingDone: true, err: &fault.Error{
			Kind: fault.StoreUnavailable, Message: "the certificate of " + c.server.Host + " is not trusted: " + why,
			Hint: "the address must be the name in the certificate, and its authority one that this machine trusts", Err: ErrCertificate,
		}}
	}
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain || strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return &failure{nothingDone: true, err: fault.StoreUnavailable.Errorf("%s does not speak TLS", c.server.Host).WithHint("does its address begin with http://?")}
	}
	return &failure{again: true, nothingDone: notReached(err), err: fault.StoreUnavailable.Errorf("CouchDB at %s cannot be reached: %w", c.server.Host, err)}
}

// notReached reports whether no connection came about, so that the server
// knows nothing of the request.
func notReached(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && (operation.Op == "dial" || operation.Op == "proxyconnect")
}

// certificateProblem says in words what is wrong with a certificate, or "".
func certificateProblem(err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		other     *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &authority):
		return "its authority is unknown"
	case errors.As(err, &name):
		return "it is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired, or is not valid yet"
	case errors.As(err, &invalid), errors.As(err, &other):
		return "it is not valid"
	}
	return ""
}

// bodyFailure is for an answer that began well and could not be read.
func (c *Client) bodyFailure(ctx context.Context, err error) *failure {
	if ctx.Err() != nil {
		return &failure{err: ended(ctx), again: true}
	}
	if _, classified := errors.AsType[*fault.Error](err); classified {
		return &failure{err: err}
	}
	return &failure{again: true, err: fault.StoreUnavailable.Errorf("CouchDB's answer was cut off: %w", err)}
}

// statusFailure is for an answer other than success.
func (c *Client) statusFailure(r request, response *http.Response, body []byte) *failure {
	var said struct{ Error, Reason string }
	isCouch := json.Unmarshal(body, &said) == nil && said.Error != "" && said.Reason != "" // others say error, too
	f := &failure{status: response.StatusCode, code: said.Error}
	switch status := response.StatusCode; {
	case status >= 500, status == http.StatusRequestTimeout:
		f.again, f.wait = true, retryAfter(response)
		f.err = fault.StoreUnavailable.Errorf("CouchDB answers %d %s", status, http.StatusText(status))
	case status == http.StatusTooManyRequests:
		f.again, f.nothingDone, f.wait = true, true, retryAfter(response)
		f.err = fault.StoreUnavailable.Errorf("CouchDB answers that it gets too many requests")
	case status >= 300 && status < 400:
		f.nothingDone = true
		f.err = redirected(response)
	default:
		f.nothingDone = true
		f.err = c.refused(r, status, isCouch, c.scrub(said.Error+": "+said.Reason))
	}
	return f
}

// refused is the fault for a 4xx.
func (c *Client) refused(r request, status int, isCouch bool, said string) error {
	switch status {
	case http.StatusUnauthorized:
		return c.unauthorized()
	case http.StatusForbidden:
		return c.forbidden(r.writes)
	case http.StatusNotFound:
		if !isCouch {
			return fault.VaultNotFound.Errorf("there is no CouchDB at %s", c.server).WithHint("the address may lack a path, such as /couchdb")
		}
		err := &fault.Error{Kind: fault.VaultNotFound, Message: fmt.Sprintf("CouchDB at %s has no database '%s'", c.server.Host, c.opt.Database), Err: errNoSuch}
		if strings.HasSuffix(c.server.Path, "/"+c.opt.Database) {
			return err.WithHint("the address holds the database's name too: leave it out there")
		}
		return err
	case http.StatusConflict:
		return fault.Conflict.Errorf("the document has changed meanwhile")
	case http.StatusRequestEntityTooLarge:
		return fault.InvalidArgument.Errorf("CouchDB takes no document or request of this size").WithHint("its setting max_document_size, or that of a proxy before it, is too small")
	}
	if !isCouch {
		return fault.StoreUnavailable.Errorf("what answers at %s (with %d) is no CouchDB", c.server.Host, status)
	}
	return fault.InvalidArgument.Errorf("CouchDB refuses the request (%d %s)", status, said)
}

func (c *Client) unauthorized() error {
	if c.opt.User == "" {
		return fault.PermissionDenied.Errorf("CouchDB at %s wants a user and a password", c.server.Host)
	}
	return fault.PermissionDenied.Errorf("CouchDB at %s does not let '%s' in to '%s': wrong user or password", c.server.Host, c.opt.User, c.opt.Database)
}

func (c *Client) forbidden(writes bool) error {
	if writes {
		return fault.PermissionDenied.Errorf("CouchDB does not let '%s' write to '%s'", c.opt.User, c.opt.Database)
	}
	return fault.PermissionDenied.Errorf("CouchDB does not let '%s' read '%s'", c.opt.User, c.opt.Database)
}

func redirected(response *http.Response) error {
	where := "elsewhere"
	if to, err := response.Location(); err == nil {
		where = "to " + to.Scheme + "://" + to.Host
	}
	return fault.StoreUnavailable.Errorf("CouchDB's address leads %s (%d), which is not followed", where, response.StatusCode).
		WithHint("give the address that it leads to")
}

// scrub makes a text of the server's fit for an error: short, of one line, and
// without the password, plain or as it was sent, which a server may repeat.
func (c *Client) scrub(text string) string {
	if password := c.opt.Password.Reveal(); password != "" {
		sent := base64.StdEncoding.EncodeToString([]byte(c.opt.User + ":" + password))
		text = strings.NewReplacer(sent, c.opt.Password.String(), password, c.opt.Password.String()).Replace(text)
	}
	if len(text) > 200 {
		text = text[:200]
	}
	return strings.Trim(strconv.Quote(strings.ToValidUTF8(text, "")), `"`)
}

// ended says why a context is over, as a fault unless the caller wanted it.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errSilence), errors.Is(cause, errTotal):
		return fault.StoreUnavailable.Errorf("CouchDB gives %w", cause)
	case errors.Is(cause, context.DeadlineExceeded):
		return fault.Timeout.Errorf("CouchDB has not answered: %w", cause)
	}
	return cause
}

// retryAfter is the pause that a server asks for, in seconds or until a date.
func retryAfter(response *http.Response) time.Duration {
	said := response.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(said); err == nil {
		return time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
	if date, err := http.ParseTime(said); err == nil {
		return time.Until(date)
	}
	return 0
}

// pause grows with each attempt, and is spread so that servers that failed
// together do not come back together.
func (c *Client) pause(try int, asked time.Duration) time.Duration {
	const first, longest = 200 * time.Millisecond, 15 * time.Second
	grown := min(first<<min(try, 10), longest)
	spread := time.Duration(float64(grown) * (0.5 + c.opt.Rand()/2))
	return max(spread, min(asked, longest))
}

// isTooLarge reports whether an answer was beyond the limits, so that asking
// for less helps.
func isTooLarge(err error) bool { return errors.Is(err, errTooLarge) }

var errTooLarge = errors.New("the answer is too large")
