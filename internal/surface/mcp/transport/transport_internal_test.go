package transport

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func FuzzAccept(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","method":"x"}]`, `{"id":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":1.5,"result":{}}`,
	} {
		f.Add([]byte(line), true)
	}
	f.Fuzz(func(t *testing.T, line []byte, batches bool) {
		c := &lineConn{out: io.Discard, done: make(chan struct{}), calls: newCalls()}
		if batches {
			c.calls.version = batchVersion
		}
		message := c.accept(t.Context(), line)
		if message != nil && !json.Valid(line) {
			t.Errorf("%q was accepted", line)
		}
	})
}

// A client cancels its call after its turn has come, but before the SDK has received it.
func TestCancelledWhileHandedOver(t *testing.T) {
	c := newCalls()
	request := c.begin(message{id: json.RawMessage("7"), method: "tools/call"}, newStream("", true))
	if !c.admit(request, func() {}) || c.early(request) != nil {
		t.Fatal("the call is cancelled already")
	}
	if c.notification(message{method: "notifications/cancelled", params: json.RawMessage(`{"requestId":7}`)}) == nil {
		t.Fatal("the call is unknown")
	}
	cancel := c.early(request)
	if cancel == nil || !strings.Contains(string(cancel.Params), `"requestId":`+idKey(request.ID.Raw())) {
		t.Errorf("the SDK gets %+v", cancel)
	}
	c.settle(idKey(request.ID.Raw()))
	if c.early(request) != nil {
		t.Error("a call that has ended is cancelled")
	}
}

// Clients that share a session of the SDK never use the same id there, not even one after the other: cancelling one's
// call cannot hit another's.
func TestSharedIDsAreNeverReused(t *testing.T) {
	c := newCalls()
	c.shared = true
	seen := map[any]bool{}
	for range 3 {
		request := c.begin(message{id: json.RawMessage("1"), method: "ping"}, newStream("", false))
		if seen[request.ID.Raw()] || request.ID.Raw() == int64(1) {
			t.Errorf("the id %v is reused", request.ID.Raw())
		}
		seen[request.ID.Raw()] = true
		c.settle(idKey(request.ID.Raw()))
	}
}

func TestAnswersOfBatchAreBounded(t *testing.T) {
	collect := newBatch(newStream("", false))
	for i := range 5 {
		collect.expect()
		_ = collect.deliver([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"%s"}`, i, strings.Repeat("x", 10<<20))), 0, nil)
	}
	if collect.bytes > maxBatchAnswers+1000 || len(collect.answers) != 5 || !strings.Contains(string(collect.answers[4]), `"id":4`) {
		t.Errorf("%d bytes, the last answer is %.100s", collect.bytes, collect.answers[4])
	}
}

// What waits to be fetched again is bounded, for all sessions together.
func TestArchiveIsBounded(t *testing.T) {
	var kept archive
	owner := &session{}
	for range 100 {
		answers := newStream("", true)
		answers.expect()
		owner.keep(answers, &kept)
		_ = answers.deliver(make([]byte, 1<<20), 0, nil)
	}
	if kept.bytes > archiveBytes || len(owner.streams) != len(kept.all) || len(owner.streams) != archiveBytes>>20 {
		t.Errorf("%d bytes, %d and %d streams", kept.bytes, len(kept.all), len(owner.streams))
	}
	for range 10 { // streams that have finished before they are kept give way to each other too
		answers := newStream("", true)
		answers.expect()
		_ = answers.deliver(make([]byte, 8<<20), 0, nil)
		owner.keep(answers, &kept)
	}
	if kept.bytes > archiveBytes || len(owner.streams) != len(kept.all) {
		t.Errorf("%d bytes, %d and %d streams", kept.bytes, len(kept.all), len(owner.streams))
	}
	kept.tidy(time.Now().Add(archiveTime + time.Second))
	if kept.bytes != 0 || len(owner.streams) != 0 {
		t.Errorf("%d bytes, %d streams are left", kept.bytes, len(owner.streams))
	}
}

// The session of a client that never reads its notifications grows only a little.
func TestUnreadNotificationsAreBounded(t *testing.T) {
	notifications := newStream("0", true)
	notifications.standalone = true
	for range 1000 {
		notifications.put([]byte("news"))
	}
	if len(notifications.kept) > unreadMessages {
		t.Errorf("%d messages wait for nobody", len(notifications.kept))
	}
	notifications.attach(-1)
	for range 1000 {
		notifications.put([]byte("news"))
	}
	if len(notifications.kept) != keptMessages {
		t.Errorf("%d messages wait for a reader", len(notifications.kept))
	}
}

// A client that cut an emoji in two waits for an answer with its id.
func TestRefusedMessagesKeepTheirID(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x \ud83d"}}`: "7",
		`{"params":{"name":"\udc00","id":9},"method":"tools/call","id":"a\"b"}`:       `"a\"b"`,
		`{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`:                             "null",
		`{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}`:                             "null",
		`{"jsonrpc":"2.0","id":7,"method":"ping"`:                                     "null",
		`[{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\ud83d"}}]`:          "null",
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping","params":{"x":"\ud83d"}}`:      "null",
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"x":"\ud83d"}}`: "null",
	} {
		_, _, problem := splitMessages([]byte(line))
		if problem == nil || !strings.Contains(string(problem.encoded()), `"id":`+want+`,`) {
			t.Errorf("%s: %+v, want id %s", line, problem, want)
		}
	}
}
