package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// readPOST reads the messages of a request. It answers the request itself if it cannot read them.
func readPOST(w http.ResponseWriter, r *http.Request) (items []json.RawMessage, isBatch, ok bool) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, invalid(nil, "Content-Type must be application/json"))
		return nil, false, false
	}
	if plain, events := accepts(r); !plain && !events {
		fail(w, http.StatusNotAcceptable, invalid(nil, "Accept must allow application/json and text/event-stream"))
		return nil, false, false
	}
	if r.Header.Get(lastEventHeader) != "" {
		fail(w, http.StatusBadRequest, invalid(nil, "Last-Event-ID is only valid with GET"))
		return nil, false, false
	}
	body, err := readBody(r)
	if err != nil {
		tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
		if isTooLarge {
			fail(w, http.StatusRequestEntityTooLarge, invalid(idOf(body), fmt.Sprintf("the message is longer than %d bytes", tooLarge.Limit)))
		} else {
			fail(w, http.StatusRequestTimeout, invalid(nil, "the message did not arrive"))
		}
		return nil, false, false
	}
	items, isBatch, problem := splitMessages(bytes.Trim(body, jsonSpace))
	if problem == nil && isBatch && len(items) == 0 {
		problem = invalid(nil, "the batch is empty")
	}
	if problem != nil {
		fail(w, http.StatusBadRequest, problem)
		return nil, false, false
	}
	return items, isBatch, true
}

func readBody(r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(min(r.ContentLength, 64<<10)) + bytes.MinRead)
	}
	_, err := io.Copy(&body, r.Body)
	return body.Bytes(), err
}

// accepts returns which kinds of answer a client accepts: plain JSON, events.
func accepts(r *http.Request) (plain, events bool) {
	header := r.Header.Values("Accept")
	if len(header) == 0 {
		return true, true
	}
	for _, media := range strings.Split(strings.Join(header, ","), ",") {
		media, _, _ = strings.Cut(media, ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "*/*":
			plain, events = true, true
		case "application/json", "application/*":
			plain = true
		case "text/event-stream", "text/*":
			events = true
		}
	}
	return plain, events
}
