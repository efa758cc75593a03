package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// statusError is the cause of an error that the host has answered with.
type statusError struct {
	status  int
	message string // what the host says; may be empty
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.message) }

// isStatus reports whether the host has answered with a status.
func isStatus(err error, status int) bool {
	answered, ok := errors.AsType[*statusError](err)
	return ok && answered.status == status
}

// says reports whether the host has answered with a status and a message that contains a text.
func says(err error, status int, text string) bool {
	answered, ok := errors.AsType[*statusError](err)
	return ok && answered.status == status && strings.Contains(strings.ToLower(answered.message), text)
}

// refusal turns an answer that is not a success into an error.
func (s *session) refusal(req request, response *http.Response, text []byte) error {
	answered := &statusError{response.StatusCode, s.safe(messageOf(text))}
	because := func(err *fault.Error) error {
		err.Err = answered
		return err
	}
	status := response.StatusCode
	switch {
	case status < 400:
		return because(s.redirected(response))
	case status >= 500:
		return because(fault.StoreUnavailable.Errorf("%s answers with status %d%s", s.client.host(), status, quoted(answered.message)).
			WithHint("try again later; if it stays so, check adr.api"))
	case status == http.StatusTooManyRequests || status == http.StatusForbidden && isRateLimit(response, answered.message):
		return because(s.tooMany(response))
	case !isJSON(response, text):
		return because(s.notTheAPI(response))
	case status == http.StatusUnauthorized:
		return because(fault.PermissionDenied.Errorf("%s does not accept the token%s", s.client.host(), quoted(answered.message)).
			WithHint("put a valid token into the file that adr.token_file names"))
	case status == http.StatusForbidden, status == http.StatusNotFound && req.isWrite():
		// A token that may not write gets "not found" for some requests.
		return because(s.forbidden(req.to, answered.message))
	case status == http.StatusNotFound:
		return because(fault.NotFound.Errorf("repository '%s' not found at %s", s.client.opt.Repo, s.client.host()).
			WithHint("check adr.repo; if the repository is private, the token of adr.token_file must have access to it"))
	case status == http.StatusConflict:
		return because(fault.Conflict.Errorf("%s refuses to %s%s", s.client.host(), req.to, quoted(answered.message)).
			WithHint("try again; if the branch is protected, set adr.mode to pr"))
	case status == http.StatusUnprocessableEntity:
		return because(fault.InvalidArgument.Errorf("%s refuses to %s%s", s.client.host(), req.to, quoted(answered.message)).
			WithHint("check adr.branch and adr.path"))
	}
	return because(fault.StoreUnavailable.Errorf("%s answers with status %d%s", s.client.host(), status, quoted(answered.message)).
		WithHint("check adr.api and adr.repo"))
}

func (s *session) forbidden(to, message string) *fault.Error {
	return fault.PermissionDenied.Errorf("the token may not %s in repository '%s'%s", to, s.client.opt.Repo, quoted(message)).
		WithHint("give the token of adr.token_file the permissions Contents and Pull requests, read and write, for this repository")
}

func (s *session) redirected(response *http.Response) *fault.Error {
	to, err := response.Location()
	switch {
	case err != nil:
		return fault.StoreUnavailable.Errorf("%s answers with status %d", s.client.host(), response.StatusCode).WithHint("check adr.api")
	case to.Host == s.client.base.Host && to.Scheme == s.client.base.Scheme:
		return fault.NotFound.Errorf("repository '%s' has moved", s.client.opt.Repo).WithHint("set adr.repo to its new name")
	}
	return fault.StoreUnavailable.Errorf("%s redirects to %s, where the token is not sent", s.client.host(), s.safe(to.Scheme+"://"+to.Host)).
		WithHint("set adr.api to the address of the API itself")
}

func (s *session) notTheAPI(response *http.Response) *fault.Error {
	kind := "something that is not JSON"
	if strings.Contains(response.Header.Get("Content-Type"), "html") {
		kind = "a web page"
	}
	return fault.StoreUnavailable.Errorf("the server at %s is not GitHub's API: it sends %s", s.client.host(), kind).
		WithHint("check adr.api: it is https://api.github.com for GitHub, and ends in /api/v3 for GitHub Enterprise")
}

// isRateLimit reports whether a refusal is about too many requests.
func isRateLimit(response *http.Response, message string) bool {
	return response.Header.Get("Retry-After") != "" || response.Header.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(strings.ToLower(message), "rate limit")
}

func (s *session) tooMany(response *http.Response) *fault.Error {
	when := "try again later"
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		when = fmt.Sprintf("try again in %d seconds", seconds)
	} else if at, err := http.ParseTime(response.Header.Get("Retry-After")); err == nil {
		when = "try again after " + at.UTC().Format(time.RFC3339)
	} else if reset, err := strconv.ParseInt(response.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && reset > 0 {
		when = "try again after " + time.Unix(reset, 0).UTC().Format(time.RFC3339)
	}
	return fault.RateLimited.Errorf("%s allows no more requests with this token", s.client.host()).WithHint("%s", when)
}

// messageOf returns what the host says in an answer: its message, and what it says about single fields.
func messageOf(text []byte) string {
	var answer struct {
		Message string
		Errors  []json.RawMessage
	}
	_ = json.Unmarshal(text, &answer) // not every answer has a message
	parts := []string{answer.Message}
	for _, raw := range answer.Errors {
		var detail struct{ Message, Field, Code string }
		var plain string
		switch {
		case json.Unmarshal(raw, &plain) == nil:
		case json.Unmarshal(raw, &detail) != nil:
		case detail.Message != "":
			plain = detail.Message
		default:
			plain = strings.TrimSpace(detail.Field + " " + detail.Code)
		}
		if plain != "" {
			parts = append(parts, plain)
		}
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	return strings.Join(parts, ": ")
}

// maxMessage is how many characters of a host's message are shown.
const maxMessage = 200

// safe returns what came from the network as one short line without the token.
func (s *session) safe(text string) string {
	text = visible.Line(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " "))
	text = strings.ReplaceAll(text, s.token, "***")
	if utf8.RuneCountInString(text) > maxMessage {
		text = string([]rune(text)[:maxMessage]) + "…"
	}
	return text
}

// quoted returns what the host says as the end of a message.
func quoted(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
