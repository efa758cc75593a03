package transport

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// eventWriter writes server-sent events and flushes each one.
type eventWriter struct {
	w      http.ResponseWriter
	buffer bytes.Buffer
}

// beginEvents turns an answer into a stream of events.
func beginEvents(w http.ResponseWriter) *eventWriter {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return &eventWriter{w: w}
}

// prime gives the client an id from which it can resume if it is cut off now, and says how soon it should try.
func (e *eventWriter) prime(id string) error {
	return e.write("event: prime\nid: ", id, "\nretry: 1000\ndata: \n\n")
}

// message writes a message of the protocol. Its JSON has no line breaks.
func (e *eventWriter) message(id string, data []byte) error {
	e.buffer.Reset()
	e.buffer.WriteString("event: message\n")
	if id != "" {
		e.buffer.WriteString("id: " + id + "\n")
	}
	e.buffer.WriteString("data: ")
	e.buffer.Write(data)
	e.buffer.WriteString("\n\n")
	return e.flush()
}

// endpoint tells a client of the oldest version where to post messages.
func (e *eventWriter) endpoint(uri string) error {
	return e.write("event: endpoint\ndata: ", uri, "\n\n")
}

// part tells the client that the stream ends for now, and when to come back.
func (e *eventWriter) part(retry time.Duration) error {
	if retry <= 0 {
		return nil
	}
	return e.write("event: close\nretry: ", strconv.FormatInt(retry.Milliseconds(), 10), "\ndata: \n\n")
}

func (e *eventWriter) comment(text string) error { return e.write(": ", text, "\n\n") }

func (e *eventWriter) write(parts ...string) error {
	e.buffer.Reset()
	for _, part := range parts {
		e.buffer.WriteString(part)
	}
	return e.flush()
}

func (e *eventWriter) flush() error {
	if _, err := e.w.Write(e.buffer.Bytes()); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}
