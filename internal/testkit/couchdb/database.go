package couchdb

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// database is a database. The server's lock guards it.
type database struct {
	documents map[string]*document
	ids       []string          // of all documents, sorted
	log       []logged          // the changes, oldest first; only the last one of a document counts
	locals    map[string]object // local documents, without _id
	rights    rights
	changed   chan struct{} // closed at the next change
}

type logged struct {
	seq      int
	document *document
}

func newDatabase() *database {
	return &database{
		documents: map[string]*document{}, locals: map[string]object{}, changed: make(chan struct{}),
		rights: rights{people{[]string{}, []string{"_admin"}}, people{[]string{}, []string{"_admin"}}}, // as a new database of CouchDB 3
	}
}

// seq is the number of the last change.
func (d *database) seq() int {
	if len(d.log) == 0 {
		return 0
	}
	return d.log[len(d.log)-1].seq
}

// spelt is the number of a change as clients see it: a text that means nothing to them.
func spelt(seq int) string { return strconv.Itoa(seq) + "-g1AAAAstandin" }

// change wakes those who wait for changes.
func (d *database) change() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// changedNow notes that a document has changed.
func (d *database) changedNow(doc *document) {
	if doc.seq == 0 {
		at, _ := slices.BinarySearch(d.ids, doc.id)
		d.ids = slices.Insert(d.ids, at, doc.id)
	}
	doc.seq = d.seq() + 1
	d.log = append(d.log, logged{doc.seq, doc})
	if len(d.log) > 2*len(d.ids)+1000 {
		d.log = slices.DeleteFunc(d.log, func(l logged) bool { return l.document.seq != l.seq })
	}
	d.change()
}

// info describes the database.
func (d *database) info(name string) any {
	count, deleted := 0, 0
	for _, doc := range d.documents {
		if doc.winner().deleted {
			deleted++
		} else {
			count++
		}
	}
	return map[string]any{
		"db_name": name, "doc_count": count, "doc_del_count": deleted, "update_seq": spelt(d.seq()), "purge_seq": "0-g1AAAAstandin",
		"compact_running": false, "instance_start_time": "0", "disk_format_version": 8, "sizes": map[string]int{"file": 0, "external": 0, "active": 0},
		"props": map[string]any{}, "cluster": map[string]int{"q": 2, "n": 1, "w": 1, "r": 1},
	}
}

// isGuarded reports whether a validation function refuses the writes of those who are no administrators.
func (d *database) isGuarded() bool {
	first, _ := slices.BinarySearch(d.ids, "_design/")
	for _, id := range d.ids[first:] {
		if !strings.HasPrefix(id, "_design/") {
			break
		}
		if winner := d.documents[id].winner(); !winner.deleted {
			var function string
			if json.Unmarshal(winner.body.get("validate_doc_update"), &function) == nil && strings.Contains(function, "forbidden") {
				return true
			}
		}
	}
	return false
}

// shown says what of a document is shown beside its body.
type shown struct{ conflicts, revs, revsInfo bool }

// show is a revision as clients see it.
func (d *document) show(r *revision, s shown) object {
	out := object{{"_id", encoded(d.id)}, {"_rev", encoded(r.String())}}
	if r.deleted {
		out = append(out, field{"_deleted", encoded(true)})
	}
	out = append(out, r.body...)
	if s.revs {
		var hashes []string
		for _, earlier := range r.path() {
			hashes = append(hashes, earlier.hash)
		}
		out = append(out, field{"_revisions", encoded(map[string]any{"start": r.number, "ids": hashes})})
	}
	if s.revsInfo {
		var all []map[string]string
		for _, earlier := range r.path() {
			status := "available"
			if !earlier.isKnown {
				status = "missing"
			} else if earlier.deleted {
				status = "deleted"
			}
			all = append(all, map[string]string{"rev": earlier.String(), "status": status})
		}
		out = append(out, field{"_revs_info", encoded(all)})
	}
	if s.conflicts {
		if all := d.conflicts(false); len(all) > 0 {
			out = append(out, field{"_conflicts", encoded(all)})
		}
	}
	return out
}
