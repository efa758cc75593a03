// Package format is how Self-hosted LiveSync lays a vault out in documents of
// CouchDB: their ids, the chunks of a file, compression, encryption, and what
// the documents about the database say.
//
// It is computation alone: no network, no disk, no clock. A Codec reads the
// documents that a server gives and makes those that a change must upload;
// when to send them, and what to do about a conflict, is for the store.
//
// It promises that
//
//   - every form that any release of the plugin has written is read, and only
//     forms that the database's own devices read are written;
//   - fields that it does not know survive a change of their document;
//   - a text from the database never makes it panic, and never makes it
//     allocate more than Options allow;
//   - what cannot be read for certain is an error, never other bytes;
//   - passphrases and keys are in no error and no printed value.
//
// Errors say which of three things is wrong: fault.StoreUnavailable for a
// document that is damaged or not complete, fault.PermissionDenied for what a
// passphrase does not open and for what the database does not allow, and
// fault.InvalidArgument for what a caller asked.
package format

import (
	"errors"

	"obsidian-mcp/internal/fault"
)

// What is wrong with a file that cannot be put together, in the chain of the
// error.
var (
	ErrMissing = errors.New("a chunk is missing")
	ErrSize    = errors.New("the size is wrong")
)

// The documents with a meaning of their own. The spellings are the plugin's.
const (
	VersionID        = "obsydian_livesync_version"
	MilestoneID      = "_local/obsydian_livesync_milestone"
	SyncParametersID = "_local/obsidian_livesync_sync_parameters"
	syncInfoID       = "syncinfo"
)

func damaged(format string, args ...any) *fault.Error {
	return fault.StoreUnavailable.Errorf(format, args...).
		WithHint("the document in the database is damaged or not complete; a device that holds the file can send it again")
}

// damagedBy is damaged with a cause that is not in the text.
func damagedBy(cause error, format string, args ...any) *fault.Error {
	err := damaged(format, args...)
	err.Err = cause
	return err
}
