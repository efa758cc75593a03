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

// ErrLostAnswer is in the chain of an error after which a write may or may not have happened, because the response did
// not arrive. The caller has to read the document to find out.
var ErrLostAnswer = errors.New("the response to a write was lost")

// ErrCertificate is in the chain of an error caused by the server's certificate. Retrying does not help.
var ErrCertificate = errors.New("the certificate is not trusted")

// ErrNotCouchDB is in the chain of an error if a server responded that is not CouchDB.
var ErrNotCouchDB = errors.New("the server is not CouchDB")

// errNoSuch marks a 404 from CouchDB itself, as opposed to one from a proxy that does not find CouchDB.
var errNoSuch = errors.New("not_found")

// failure is a failed attempt.
type failure struct {
	err         error
	status      int           // of the response; 0 if there was none
	code        string        // CouchDB's error code
	again       bool          // a retry may help
	nothingDone bool          // the request certainly had no effect
	wait        time.Duration // the pause that the server asked for
}

// mayRepeat reports whether the request may be sent again. A write that must happen once is sent again only if it had no
// effect: the server was never reached, or it reported too many requests. A 503 does not prove that: a proxy or a
// cluster may send it after the write.
func (f *failure) mayRepeat(r request) bool { return f.again && (f.nothingDone || !r.once) }

// fault returns the error for the caller.
func (f *failure) fault(r request) error {
	if !r.once || f.nothingDone {
		return f.err
	}
	return &fault.Error{
		Kind: fault.KindOf(f.err), Message: f.err.Error() + "; the write may or may not have happened",
		Hint: fault.HintOf(f.err), Err: errors.Join(ErrLostAnswer, f.err),
	}
}

// networkFailure is for a request without a response.
func (c *Client) networkFailure(ctx context.Context, err error) *failure {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // drops the URL, which contains an id
	}
	if ctx.Err() != nil {
		return &failure{err: ended(ctx), again: true}
	}
	if why := certificateProblem(err); why != "" {
		return &failure{nothingDone: true, err: &fault.Error{
			Kind: fault.StoreUnavailable, Message: "the certificate of " + c.server.Host + " is not trusted: " + why,
			Hint: "use the host name in the certificate, and let this machine trust its authority", Err: ErrCertificate,
		}}
	}
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain || strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return &failure{nothingDone: true, err: fault.StoreUnavailable.Errorf("%s does not speak TLS", c.server.Host).WithHint("does its address begin with http://?")}
	}
	return &failure{again: true, nothingDone: notReached(err), err: fault.StoreUnavailable.Errorf("CouchDB at %s cannot be reached: %w", c.server.Host, err).WithHint("%s", whenToRetry(0))}
}

// notReached reports whether no connection was made, so that the server never saw the request.
func notReached(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && (operation.Op == "dial" || operation.Op == "proxyconnect")
}

// certificateProblem describes what is wrong with a certificate, or returns "".
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

// bodyFailure is for a successful response whose body could not be read.
func (c *Client) bodyFailure(ctx context.Context, err error) *failure {
	if ctx.Err() != nil {
		return &failure{err: ended(ctx), again: true}
	}
	if _, classified := errors.AsType[*fault.Error](err); classified {
		return &failure{err: err}
	}
	return &failure{again: true, err: fault.StoreUnavailable.Errorf("the response from CouchDB was cut off: %w", err)}
}

// statusFailure is for a response with an error status.
func (c *Client) statusFailure(r request, response *http.Response, body []byte) *failure {
	var answer struct{ Error, Reason string }
	isCouch := json.Unmarshal(body, &answer) == nil && answer.Error != "" && answer.Reason != "" // other servers send "error" too
	f := &failure{status: response.StatusCode, code: answer.Error}
	switch status := response.StatusCode; {
	case status >= 500, status == http.StatusRequestTimeout:
		f.again, f.wait = true, retryAfter(response)
		f.err = fault.StoreUnavailable.Errorf("CouchDB responded %d %s", status, http.StatusText(status)).WithHint("%s", whenToRetry(f.wait))
	case status == http.StatusTooManyRequests:
		f.again, f.nothingDone, f.wait = true, true, retryAfter(response)
		f.err = fault.StoreUnavailable.Errorf("CouchDB responded that it gets too many requests").WithHint("%s", whenToRetry(f.wait))
	case status >= 300 && status < 400:
		f.nothingDone = true
		f.err = redirected(response)
	default:
		f.nothingDone = true
		f.err = c.refused(r, status, isCouch, c.scrub(answer.Error+": "+answer.Reason))
	}
	return f
}

// whenToRetry says when a caller should try again, given the pause that the server asked for.
func whenToRetry(pause time.Duration) string {
	if pause <= 0 {
		return "try again in a few seconds"
	}
	return fmt.Sprintf("try again in %d seconds", int(pause.Seconds()+0.999))
}

// refused returns the error for a 4xx response.
func (c *Client) refused(r request, status int, isCouch bool, reason string) error {
	switch status {
	case http.StatusUnauthorized:
		return c.unauthorized()
	case http.StatusForbidden:
		if strings.Contains(strings.ToLower(reason), "temporarily locked") { // its error is that of every refusal
			return c.locked()
		}
		return c.forbidden(r.writes)
	case http.StatusNotFound:
		if !isCouch {
			return c.notCouchDB(fault.VaultNotFound, "there is no CouchDB at %s", c.server).
				WithHint("the address may lack a path, such as /couchdb")
		}
		err := &fault.Error{Kind: fault.VaultNotFound, Message: fmt.Sprintf("CouchDB at %s has no database '%s'", c.server.Host, c.opt.Database), Err: errNoSuch}
		if strings.HasSuffix(c.server.Path, "/"+c.opt.Database) {
			return err.WithHint("the address ends with the database's name: remove it there")
		}
		return err
	case http.StatusConflict:
		return fault.Conflict.Errorf("the document has changed in the meantime")
	case http.StatusRequestEntityTooLarge:
		return fault.InvalidArgument.Errorf("the document or request is too large for CouchDB").
			WithHint("raise CouchDB's setting max_document_size, or the limit of a proxy in front of it")
	}
	if !isCouch {
		return c.notCouchDB(fault.StoreUnavailable, "the server at %s is not CouchDB (it responded %d)", c.server.Host, status)
	}
	return fault.InvalidArgument.Errorf("CouchDB refused the request (%d %s)", status, reason)
}

func (c *Client) notCouchDB(kind fault.Kind, format string, args ...any) *fault.Error {
	return &fault.Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: ErrNotCouchDB}
}

func (c *Client) unauthorized() error {
	if c.opt.User == "" {
		return fault.PermissionDenied.Errorf("CouchDB at %s requires a user and a password", c.server.Host)
	}
	return &fault.Error{
		Kind:    fault.PermissionDenied,
		Message: fmt.Sprintf("CouchDB at %s does not let '%s' in to '%s': wrong user or password", c.server.Host, c.opt.User, c.opt.Database),
		Err:     ErrLogin,
	}
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
	return fault.StoreUnavailable.Errorf("CouchDB redirects %s (%d), and redirects are not followed", where, response.StatusCode).
		WithHint("use the address that it redirects to")
}

// scrub makes a text from the server fit for an error: short, on one line, and without the password, plain or encoded,
// which the server may have repeated.
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

// ended returns why a context is done: a fault, unless the caller cancelled it.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errSilence), errors.Is(cause, errTotal):
		return fault.StoreUnavailable.Errorf("CouchDB: %w", cause)
	case errors.Is(cause, context.DeadlineExceeded):
		return fault.Timeout.Errorf("CouchDB did not respond: %w", cause)
	}
	return cause
}

// retryAfter returns the pause that a server asks for, given in seconds or as a date.
func retryAfter(response *http.Response) time.Duration {
	header := response.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return time.Until(date)
	}
	return 0
}

// pause returns the time until the next attempt. It grows with each attempt and is random, so that clients that failed
// together do not retry together.
func (c *Client) pause(try int, asked time.Duration) time.Duration {
	const first, longest = 200 * time.Millisecond, 15 * time.Second
	grown := min(first<<min(try, 10), longest)
	spread := time.Duration(float64(grown) * (0.5 + c.opt.Rand()/2))
	return max(spread, min(asked, longest))
}

// isTooLarge reports whether a response exceeded the limits, so that asking for less helps.
func isTooLarge(err error) bool { return errors.Is(err, errTooLarge) }

var errTooLarge = errors.New("the response is too large")
