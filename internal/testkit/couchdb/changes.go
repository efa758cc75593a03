package couchdb

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// feed is what somebody wants to know of the changes.
type feed struct {
	since    int
	limit    int
	allRevs  bool // of each document, not only of the winner
	withDocs bool
	show     shown
	wanted   func(*document) bool
}

// change is a row of a feed.
type change struct {
	Seq     string              `json:"seq"`
	ID      string              `json:"id"`
	Changes []map[string]string `json:"changes"`
	Deleted bool                `json:"deleted,omitempty"`
	Doc     any                 `json:"doc,omitempty"`
}

// changes answers with the changes since a position. A long poll waits for the next one, and writes a line feed now and then.
func (c *call) changes(d *database) (status int, value any, err error) {
	f, err := c.feed(d)
	if err != nil {
		return 0, nil, err
	}
	rows, last := d.since(f)
	if kind := c.query.Get("feed"); kind != "longpoll" || len(rows) > 0 {
		if kind != "" && kind != "normal" && kind != "longpoll" {
			return 0, nil, badRequest("this stand-in has normal feeds and long polls only")
		}
		return http.StatusOK, map[string]any{"results": rows, "last_seq": spelt(last), "pending": 0}, nil
	}
	c.wait(d, f)
	return 0, nil, nil
}

func (c *call) feed(d *database) (f feed, err error) {
	f = feed{allRevs: c.query.Get("style") == "all_docs", withDocs: c.flag("include_docs", false)}
	f.show.conflicts = c.flag("conflicts", false)
	f.wanted = func(*document) bool { return true }
	if f.limit, err = c.number("limit", 1<<30); err != nil {
		return f, err
	}
	f.limit = max(f.limit, 1)
	switch since := c.query.Get("since"); since {
	case "", "0":
	case "now":
		f.since = d.seq()
	default:
		number, _, _ := strings.Cut(strings.Trim(since, `"`), "-")
		if f.since, err = strconv.Atoi(number); err != nil {
			return f, badRequest("Malformed sequence supplied in 'since' parameter.")
		}
	}
	switch filter := c.query.Get("filter"); {
	case filter == "_selector" && c.Method == http.MethodPost:
		var request struct{ Selector map[string]json.RawMessage }
		if err := c.decode(&request); err != nil {
			return f, err
		}
		if f.wanted, err = compile(request.Selector); err != nil {
			return f, err
		}
	case filter != "":
		return f, failure{http.StatusNotFound, "not_found", "missing json key: filters"}
	}
	return f, nil
}

// since lists changes, the oldest first, and the position after them.
func (d *database) since(f feed) (rows []change, last int) {
	rows, last = []change{}, max(f.since, d.seq())
	for _, l := range d.log {
		if l.seq <= f.since || l.document.seq != l.seq || !f.wanted(l.document) {
			continue
		}
		if len(rows) == f.limit {
			return rows, last
		}
		winner := l.document.winner()
		row := change{Seq: spelt(l.seq), ID: l.document.id, Deleted: winner.deleted}
		for i, leaf := range l.document.leaves() {
			if i == 0 || f.allRevs {
				row.Changes = append(row.Changes, map[string]string{"rev": leaf.String()})
			}
		}
		if f.withDocs {
			row.Doc = l.document.show(winner, f.show)
		}
		if rows = append(rows, row); len(rows) == f.limit {
			last = l.seq
		}
	}
	return rows, last
}

// wait answers when there is a change. The server's lock is held before and after, but not meanwhile.
func (c *call) wait(d *database, f feed) {
	heartbeat, timeout := c.milliseconds("heartbeat", time.Minute), c.milliseconds("timeout", time.Minute)
	beat, end := time.NewTicker(heartbeat), time.NewTimer(timeout)
	defer beat.Stop()
	defer end.Stop()
	if c.query.Has("heartbeat") {
		end.Stop()
	}
	c.writer.Header().Set("Content-Type", "application/json")
	c.write(`{"results":[` + "\n")
	for isOver, isBeat := false, false; ; isBeat = false {
		rows, last := d.since(f)
		if isOver || len(rows) > 0 || c.server.databases[c.name] != d {
			texts := make([]string, len(rows))
			for i, row := range rows {
				texts[i] = string(encoded(row))
			}
			c.write(strings.Join(texts, ",\n") + "\n],\n\"last_seq\":" + string(encoded(spelt(last))) + `,"pending":0}` + "\n")
			return
		}
		changed := d.changed
		c.server.mu.Unlock()
		select {
		case <-changed:
		case <-beat.C:
			isBeat = true
		case <-end.C:
			isOver = true
		case <-c.Context().Done():
			isOver = true
		}
		c.server.mu.Lock()
		if isBeat {
			c.write("\n")
		}
	}
}

// write sends a text at once, without the server's lock, because the client may be slow.
func (c *call) write(text string) {
	c.server.mu.Unlock()
	defer c.server.mu.Lock()
	_, _ = io.WriteString(c.writer, text)
	_ = http.NewResponseController(c.writer).Flush()
}

func (c *call) milliseconds(name string, otherwise time.Duration) time.Duration {
	if n, err := strconv.Atoi(c.query.Get(name)); err == nil && n > 0 {
		return time.Duration(n) * time.Millisecond
	}
	return otherwise
}

// compile makes a condition of the part of CouchDB's selectors that compares texts.
func compile(selector map[string]json.RawMessage) (func(*document) bool, error) {
	var all []func(*document) bool
	for name, value := range selector {
		condition, err := compileField(name, value)
		if err != nil {
			return nil, err
		}
		all = append(all, condition)
	}
	return func(d *document) bool {
		for _, condition := range all {
			if !condition(d) {
				return false
			}
		}
		return true
	}, nil
}

func compileField(name string, value json.RawMessage) (func(*document) bool, error) {
	unknown := failure{http.StatusBadRequest, "invalid_operator", "this stand-in does not know the selector " + name + ": " + string(value)}
	if name == "$nor" {
		var parts []map[string]json.RawMessage
		if json.Unmarshal(value, &parts) != nil {
			return nil, unknown
		}
		var conditions []func(*document) bool
		for _, part := range parts {
			condition, err := compile(part)
			if err != nil {
				return nil, err
			}
			conditions = append(conditions, condition)
		}
		return func(d *document) bool {
			for _, condition := range conditions {
				if condition(d) {
					return false
				}
			}
			return true
		}, nil
	}
	var test struct {
		Regex string `json:"$regex"`
	}
	if name != "_id" || json.Unmarshal(value, &test) != nil || test.Regex == "" {
		return nil, unknown
	}
	pattern, err := regexp.Compile(test.Regex)
	if err != nil {
		return nil, unknown
	}
	return func(d *document) bool { return pattern.MatchString(d.id) }, nil
}
