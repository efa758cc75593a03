package couchdb

import (
	"encoding/json"
	"net/http"
)

// failure is an answer that says why a request failed.
type failure struct {
	status        int
	word, because string
}

func (f failure) Error() string { return f.word + ": " + f.because }

// MarshalJSON implements json.Marshaler.
func (f failure) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Error  string `json:"error"`
		Reason string `json:"reason"`
	}{f.word, f.because})
}

var (
	errNoDatabase   = failure{http.StatusNotFound, "not_found", "Database does not exist."}
	errMissing      = failure{http.StatusNotFound, "not_found", "missing"}
	errDeleted      = failure{http.StatusNotFound, "not_found", "deleted"}
	errConflict     = failure{http.StatusConflict, "conflict", "Document update conflict."}
	errNotJSON      = failure{http.StatusBadRequest, "bad_request", "invalid UTF-8 JSON"}
	errMethod       = failure{http.StatusMethodNotAllowed, "method_not_allowed", "Only GET,HEAD,POST,PUT,DELETE allowed"}
	errLogin        = failure{http.StatusUnauthorized, "unauthorized", "Name or password is incorrect."}
	errLocked       = failure{http.StatusForbidden, "forbidden", "Account is temporarily locked due to multiple authentication failures"}
	errAnonymous    = failure{http.StatusUnauthorized, "unauthorized", "You are not authorized to access this db."}
	errNotAllowed   = failure{http.StatusForbidden, "forbidden", "You are not allowed to access this db."}
	errNotAdmin     = failure{http.StatusUnauthorized, "unauthorized", "You are not a server admin."}
	errTooLarge     = failure{http.StatusRequestEntityTooLarge, "document_too_large", ""}
	errFileExists   = failure{http.StatusPreconditionFailed, "file_exists", "The database could not be created, the file already exists."}
	errDatabaseName = failure{http.StatusBadRequest, "illegal_database_name", "Name: only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, and / are allowed. Must begin with a letter."}
)

func badRequest(because string) failure {
	return failure{http.StatusBadRequest, "bad_request", because}
}

// send answers with a value as JSON.
func send(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Server", "CouchDB/3.5.0 (stand-in)")
	w.WriteHeader(status)
	_, _ = w.Write(append(encoded(value), '\n'))
}
