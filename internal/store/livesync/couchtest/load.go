package couchtest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Load fills the database from the files in a folder: all_docs.json is a response of _all_docs with documents,
// open_revs.json has all branches of documents with conflicts, and local_docs.json has the local documents. The last two
// are optional.
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
		t.Fatalf("%s contains no documents", folder)
	}
	var documents []any
	for _, row := range all.Rows {
		if branches[row.ID] == nil {
			documents = append(documents, row.Doc)
		}
	}
	for _, revisions := range branches {
		for _, document := range revisions {
			documents = append(documents, document)
		}
	}
	d.Branches(t, documents...)
	for id, document := range local {
		delete(document, "_rev")
		d.want(t, http.StatusCreated, http.MethodPut, "/_local/"+Escape(strings.TrimPrefix(id, "_local/")), document)
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
