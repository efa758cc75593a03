package couchdb

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// mostBytes is how large a document may be.
const mostBytes = 8_000_000

// given is a document as somebody wants it written.
type given struct {
	id      string
	rev     string
	deleted bool
	history struct { // of the revision, in a document from elsewhere
		Start int
		IDs   []string
	}
	body object
}

// parse takes the fields that CouchDB itself uses out of a document.
func parse(body object) (g given, err error) {
	if len(body.text()) > mostBytes {
		return g, errTooLarge
	}
	for name, into := range map[string]any{"_id": &g.id, "_rev": &g.rev, "_deleted": &g.deleted, "_revisions": &g.history} {
		if err := body.take(name, into); err != nil {
			return g, badRequest("invalid " + name)
		}
	}
	for _, computed := range []string{"_conflicts", "_revs_info", "_local_seq", "_deleted_conflicts"} {
		var ignored json.RawMessage
		if err := body.take(computed, &ignored); err != nil {
			return g, err
		}
	}
	for _, f := range body {
		if strings.HasPrefix(f.name, "_") {
			return g, failure{http.StatusBadRequest, "doc_validation", "Bad special document member: " + f.name}
		}
	}
	g.body = body
	return g, nil
}

// checkID reports what is wrong with the id of a document.
func checkID(id string) error {
	if id == "" {
		return failure{http.StatusBadRequest, "illegal_docid", "Document id must not be empty"}
	}
	if strings.HasPrefix(id, "_") && !strings.HasPrefix(id, "_design/") {
		return failure{http.StatusBadRequest, "illegal_docid", "Only reserved document ids may start with underscore."}
	}
	return nil
}

// mayWrite reports why somebody may not write a document.
func (c *call) mayWrite(d *database, id string) error {
	isAdmin := c.who.isAdmin() || d.rights.Admins.include(c.who)
	switch {
	case strings.HasPrefix(id, "_design/") && !isAdmin:
		return failure{http.StatusUnauthorized, "unauthorized", "You are not a db or server admin."}
	case !c.who.isAdmin() && d.isGuarded():
		return failure{http.StatusForbidden, "forbidden", "readers only"}
	}
	return nil
}

// edit writes a document over the revision that it names.
func (c *call) edit(d *database, g given) (*revision, error) {
	if err := checkID(g.id); err != nil {
		return nil, err
	}
	if err := c.mayWrite(d, g.id); err != nil {
		return nil, err
	}
	doc := d.documents[g.id]
	var base *revision
	switch {
	case doc == nil && g.rev != "":
		return nil, errConflict
	case doc == nil:
		doc = &document{id: g.id, revisions: map[rev]*revision{}}
	case g.rev == "":
		if base = doc.winner(); !base.deleted {
			return nil, errConflict
		}
	default:
		at, isRev := parseRev(g.rev)
		if !isRev {
			return nil, badRequest("Invalid rev format")
		}
		if base = doc.revisions[at]; base == nil || !base.isLeaf {
			return nil, errConflict
		}
	}
	d.documents[g.id] = doc
	next := doc.extend(base, g.deleted, g.body)
	d.changedNow(doc)
	return next, nil
}

// accept adds a revision from elsewhere as it is.
func (c *call) accept(d *database, g given) error {
	if err := checkID(g.id); err != nil {
		return err
	}
	if err := c.mayWrite(d, g.id); err != nil {
		return err
	}
	at, isRev := parseRev(g.rev)
	hashes := g.history.IDs
	if isRev && len(hashes) == 0 {
		hashes = []string{at.hash}
	}
	if !isRev && len(hashes) > 0 {
		at, isRev = rev{g.history.Start, hashes[0]}, true
	}
	if !isRev {
		return badRequest("Invalid rev format")
	}
	doc := d.documents[g.id]
	if doc == nil {
		doc = &document{id: g.id, revisions: map[rev]*revision{}}
	}
	if doc.graft(at, hashes, g.deleted, g.body) {
		d.documents[g.id] = doc
		d.changedNow(doc)
	}
	return nil
}

type written struct {
	OK  bool   `json:"ok"`
	ID  string `json:"id"`
	Rev string `json:"rev"`
}

// bulkDocs writes several documents. One that cannot be written does not keep the others from being written.
func (c *call) bulkDocs(d *database) (status int, value any, err error) {
	var request struct {
		Docs     []object
		NewEdits *bool `json:"new_edits"`
	}
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	if request.Docs == nil {
		return 0, nil, badRequest("POST body must include `docs` parameter.")
	}
	isFromElsewhere := request.NewEdits != nil && !*request.NewEdits
	documents := make([]given, len(request.Docs))
	for i, body := range request.Docs {
		if documents[i], err = parse(body); err != nil {
			return 0, nil, err
		}
		if documents[i].id == "" {
			documents[i].id = strings.ToLower(rand.Text())
		}
	}
	rows := []any{}
	for _, g := range documents {
		var next *revision
		if isFromElsewhere {
			err = c.accept(d, g)
		} else {
			next, err = c.edit(d, g)
		}
		switch {
		case err != nil:
			failed, isFailure := err.(failure)
			if !isFailure || failed.status == http.StatusBadRequest {
				return 0, nil, err
			}
			rows = append(rows, map[string]string{"id": g.id, "error": failed.word, "reason": failed.because})
		case next != nil:
			rows = append(rows, written{true, g.id, next.String()})
		}
	}
	return http.StatusCreated, rows, nil
}

// document reads the document that a request contains.
func (c *call) document() (given, error) {
	var body object
	if err := c.decode(&body); err != nil {
		return given{}, err
	}
	return parse(body)
}

// create writes a document that may lack an id.
func (c *call) create(d *database) (status int, value any, err error) {
	g, err := c.document()
	if err != nil {
		return 0, nil, err
	}
	if g.id == "" {
		g.id = strings.ToLower(rand.Text())
	}
	return answerWrite(c.edit(d, g))(g.id, http.StatusCreated)
}

// put writes a document.
func (c *call) put(d *database, id string) (status int, value any, err error) {
	g, err := c.document()
	if err != nil {
		return 0, nil, err
	}
	if g.id != "" && g.id != id {
		return 0, nil, badRequest("Document ID must match the one in the URL")
	}
	g.id = id
	if rev := c.query.Get("rev"); rev != "" {
		g.rev = rev
	}
	if !c.flag("new_edits", true) {
		if err := c.accept(d, g); err != nil {
			return 0, nil, err
		}
		return http.StatusCreated, written{true, id, g.rev}, nil
	}
	return answerWrite(c.edit(d, g))(id, http.StatusCreated)
}

// remove deletes a document.
func (c *call) remove(d *database, id string) (status int, value any, err error) {
	if doc := d.documents[id]; doc == nil {
		return 0, nil, errMissing
	} else if c.query.Get("rev") == "" && doc.winner().deleted {
		return 0, nil, errDeleted
	}
	return answerWrite(c.edit(d, given{id: id, rev: c.query.Get("rev"), deleted: true}))(id, http.StatusOK)
}

func answerWrite(next *revision, err error) func(id string, status int) (int, any, error) {
	return func(id string, status int) (int, any, error) {
		if err != nil {
			return 0, nil, err
		}
		return status, written{true, id, next.String()}, nil
	}
}

// local reads, writes or deletes a local document. As in CouchDB, whoever writes one last wins, whatever revision they name, and
// no validation function is asked.
func (c *call) local(d *database, id string) (status int, value any, err error) {
	known, isKnown := d.locals[id]
	switch c.Method {
	case http.MethodGet:
		if !isKnown {
			return 0, nil, errMissing
		}
		return http.StatusOK, append(object{{"_id", encoded(id)}}, known...), nil
	case http.MethodPut:
		g, err := c.document()
		if err != nil {
			return 0, nil, err
		}
		base := 0
		if g.rev != "" {
			text, isLocal := strings.CutPrefix(g.rev, "0-")
			if base, err = strconv.Atoi(text); err != nil || !isLocal {
				return 0, nil, badRequest("Invalid rev format")
			}
		}
		next := fmt.Sprintf("0-%d", base+1)
		d.locals[id] = append(object{{"_rev", encoded(next)}}, g.body...)
		return http.StatusCreated, written{true, id, next}, nil
	case http.MethodDelete:
		if !isKnown {
			return 0, nil, errMissing
		}
		delete(d.locals, id)
		return http.StatusOK, written{true, id, "0-0"}, nil
	}
	return 0, nil, errMethod
}
