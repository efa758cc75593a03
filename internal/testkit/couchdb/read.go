package couchdb

import (
	"encoding/json"
	"net/http"
	"slices"
)

// read answers with a document, or with some of its revisions.
func (c *call) read(d *database, id string) (status int, value any, err error) {
	doc := d.documents[id]
	show := shown{c.flag("conflicts", false), c.flag("revs", false), c.flag("revs_info", false)}
	switch {
	case doc == nil:
		return 0, nil, errMissing
	case c.query.Has("open_revs"):
		return c.openRevs(doc, show)
	case c.query.Has("rev"):
		wanted, err := doc.revision(c.query.Get("rev"), c.flag("latest", false))
		if err != nil {
			return 0, nil, err
		}
		return http.StatusOK, doc.show(wanted, show), nil
	case doc.winner().deleted:
		return 0, nil, errDeleted
	}
	return http.StatusOK, doc.show(doc.winner(), show), nil
}

// revision finds a revision whose body is known, or the winner among the leaves that follow it.
func (d *document) revision(text string, latest bool) (*revision, error) {
	at, isRev := parseRev(text)
	if !isRev {
		return nil, badRequest("Invalid rev format")
	}
	found := d.revisions[at]
	if found != nil && latest {
		for _, leaf := range d.leaves() {
			if slices.Contains(leaf.path(), found) {
				found = leaf
				break
			}
		}
	}
	if found == nil || !found.isKnown {
		return nil, errMissing
	}
	return found, nil
}

// openRevs answers with all leaves of a document, or with those that are named.
func (c *call) openRevs(doc *document, show shown) (status int, value any, err error) {
	rows := []any{}
	if c.query.Get("open_revs") == "all" {
		for _, leaf := range doc.leaves() {
			rows = append(rows, map[string]any{"ok": doc.show(leaf, show)})
		}
		return http.StatusOK, rows, nil
	}
	var names []string
	if err := json.Unmarshal([]byte(c.query.Get("open_revs")), &names); err != nil {
		return 0, nil, badRequest("invalid JSON in open_revs")
	}
	for _, name := range names {
		if found, err := doc.revision(name, c.flag("latest", false)); err != nil {
			rows = append(rows, map[string]any{"missing": name})
		} else {
			rows = append(rows, map[string]any{"ok": doc.show(found, show)})
		}
	}
	return http.StatusOK, rows, nil
}

// bulkGet answers with revisions of several documents: those that are named, or all leaves.
func (c *call) bulkGet(d *database) (status int, value any, err error) {
	var request struct {
		Docs []struct{ ID, Rev string }
	}
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	if request.Docs == nil {
		return 0, nil, badRequest("Missing JSON list of 'docs'.")
	}
	show := shown{revs: c.flag("revs", false)}
	results := []any{}
	for _, wanted := range request.Docs {
		rows := []any{}
		missing := func(rev string) {
			rows = append(rows, map[string]any{"error": map[string]string{"id": wanted.ID, "rev": rev, "error": "not_found", "reason": "missing"}})
		}
		doc := d.documents[wanted.ID]
		switch {
		case doc == nil && wanted.Rev == "":
			missing("undefined")
		case doc == nil:
			missing(wanted.Rev)
		case wanted.Rev == "":
			for _, leaf := range doc.leaves() {
				rows = append(rows, map[string]any{"ok": doc.show(leaf, show)})
			}
		default:
			found, err := doc.revision(wanted.Rev, c.flag("latest", false))
			if err != nil {
				missing(wanted.Rev)
				break
			}
			rows = append(rows, map[string]any{"ok": doc.show(found, show)})
		}
		results = append(results, map[string]any{"id": wanted.ID, "docs": rows})
	}
	return http.StatusOK, map[string]any{"results": results}, nil
}

// row is a row of a list of documents.
type row struct {
	ID    string `json:"id,omitempty"`
	Key   string `json:"key"`
	Error string `json:"error,omitempty"`
	Value any    `json:"value,omitempty"`
	Doc   any    `json:"doc,omitempty"`
}

// list answers with the documents by id, or with those that are named.
func (c *call) list(d *database) (status int, value any, err error) {
	var request struct{ Keys []string }
	if c.Method == http.MethodPost {
		if err := c.decode(&request); err != nil {
			return 0, nil, err
		}
	}
	if keys := c.query.Get("keys"); keys != "" && json.Unmarshal([]byte(keys), &request.Keys) != nil {
		return 0, nil, badRequest("invalid JSON in keys")
	}
	if key, isGiven, err := c.text("key"); err != nil {
		return 0, nil, err
	} else if isGiven {
		request.Keys = []string{key}
	}
	limit, err := c.number("limit", len(d.ids))
	if err != nil {
		return 0, nil, err
	}
	skip, err := c.number("skip", 0)
	if err != nil {
		return 0, nil, err
	}
	ids := request.Keys
	if ids == nil {
		if ids, err = c.between(d.ids); err != nil {
			return 0, nil, err
		}
	}
	rows := []row{}
	for _, id := range ids {
		doc := d.documents[id]
		switch {
		case request.Keys == nil && doc.winner().deleted:
			continue
		case skip > 0:
			skip--
			continue
		case request.Keys == nil && len(rows) >= limit:
			return http.StatusOK, map[string]any{"total_rows": len(d.ids), "offset": 0, "rows": rows}, nil
		}
		rows = append(rows, c.rowOf(doc, id))
	}
	return http.StatusOK, map[string]any{"total_rows": len(d.ids), "offset": 0, "rows": rows}, nil
}

// between lists the ids of the part of a list that is asked for.
func (c *call) between(ids []string) ([]string, error) {
	for _, alias := range [][2]string{{"start_key", "startkey"}, {"end_key", "endkey"}} {
		if c.query.Has(alias[0]) {
			c.query.Set(alias[1], c.query.Get(alias[0]))
		}
	}
	first, hasFirst, err := c.text("startkey")
	if err != nil {
		return nil, err
	}
	last, hasLast, err := c.text("endkey")
	if err != nil {
		return nil, err
	}
	descending := c.flag("descending", false)
	if descending {
		first, hasFirst, last, hasLast = last, hasLast, first, hasFirst
	}
	inclusive := c.flag("inclusive_end", true)
	from, to := 0, len(ids)
	if hasFirst {
		from, _ = slices.BinarySearch(ids, first)
	}
	if hasLast {
		var isThere bool
		if to, isThere = slices.BinarySearch(ids, last); isThere && inclusive {
			to++
		}
	}
	part := slices.Clone(ids[min(from, to):to])
	if descending {
		slices.Reverse(part)
	}
	return part, nil
}

// rowOf is the row of a document in a list.
func (c *call) rowOf(doc *document, id string) row {
	if doc == nil {
		return row{Key: id, Error: "not_found"}
	}
	winner := doc.winner()
	value := map[string]any{"rev": winner.String()}
	withDocs := c.flag("include_docs", false)
	if winner.deleted {
		value["deleted"] = true
		out := row{ID: id, Key: id, Value: value}
		if withDocs {
			out.Doc = json.RawMessage("null")
		}
		return out
	}
	out := row{ID: id, Key: id, Value: value}
	if withDocs {
		out.Doc = doc.show(winner, shown{conflicts: c.flag("conflicts", false)})
	}
	return out
}

// listLocals answers with the local documents that are named.
func (c *call) listLocals(d *database) (status int, value any, err error) {
	var request struct{ Keys []string }
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	rows := []row{}
	for _, id := range request.Keys {
		known, isKnown := d.locals[id]
		if !isKnown {
			rows = append(rows, row{Key: id, Error: "not_found"})
			continue
		}
		out := row{ID: id, Key: id, Value: map[string]json.RawMessage{"rev": known.get("_rev")}}
		if c.flag("include_docs", false) {
			out.Doc = append(object{{"_id", encoded(id)}}, known...)
		}
		rows = append(rows, out)
	}
	return http.StatusOK, map[string]any{"total_rows": nil, "offset": nil, "rows": rows}, nil
}
