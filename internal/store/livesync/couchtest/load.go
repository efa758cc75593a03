package couchtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Load fills the database with what a folder holds: all_docs.json, an answer
// of _all_docs with documents; open_revs.json, all branches of those documents
// that have several; local_docs.json, what is not replicated. The last two may
// be missing.
func (d *Database) Load(t testing.TB, folder string) {
	t.Helper()
	var all struct {
		Rows []struct {
			ID  string
			Doc json.RawMessage
		}
	}
	branches, local := map[string][]json.RawMessage{}, map[string]map[string]any{}
	read(t, filepath.Join(folder, "all_docs.json"), &all)
	read(t, filepath.Join(folder, "open_revs.json"), &branches)
	read(t, filepath.Join(folder, "local_docs.json"), &local)
	if len(all.Rows) == 0 {
		t.Fatalf("%s holds no documents", folder)
	}
	var documents []any
	for _, row := range all.Rows {
		if branches[row.ID] == nil {
			documents = append(documents, row.Doc)
		}
	}
	for _, several := range branches {
		for _, document := range several {
			documents = append(documents, document)
		}
	}
	d.Branches(t, documents...)
	for id, document := range local {
		delete(document, "_rev")
		d.want(t, http.StatusCreated, http.MethodPut, "/_local/"+url.PathEscape(strings.TrimPrefix(id, "_local/")), document)
	}
}

func read(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
