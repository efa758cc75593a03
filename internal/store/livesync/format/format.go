// Package format implements the layout of an Obsidian vault in CouchDB documents as Self-hosted LiveSync defines
// it: document ids, the chunks of a file, compression, encryption, and the documents that describe the database.
//
// It only computes: no network, no disk, no clock. A Codec reads documents and makes the documents that a change
// must upload. When to send them, and how to handle conflicts, is up to the store.
//
// It promises that
//
//   - it reads every form that any release of the plugin has written, and writes only forms that the database's
//     own devices read;
//   - unknown fields survive a change of their document;
//   - no text from the database makes it panic, or allocate more than Options allow;
//   - if a content cannot be read reliably it returns an error, never other bytes;
//   - passphrases and keys never appear in errors or printed values.
//
// Errors have one of three kinds: fault.StoreUnavailable for a damaged or incomplete document,
// fault.PermissionDenied if the passphrase does not decrypt a document or the database does not allow a write, and
// fault.InvalidArgument for a mistake of the caller.
package format

import (
	"errors"

	"obsidian-mcp/internal/fault"
)

// Causes, in the error chain, of a file whose content cannot be assembled.
var (
	ErrMissing = errors.New("a chunk is missing")
	ErrSize    = errors.New("the size is wrong")
)

// Ids of the documents that describe the database. The spellings are the plugin's.
const (
	VersionID        = "obsydian_livesync_version"
	MilestoneID      = "_local/obsydian_livesync_milestone"
	SyncParametersID = "_local/obsidian_livesync_sync_parameters"
	syncInfoID       = "syncinfo"
)

func damaged(format string, args ...any) *fault.Error {
	return fault.StoreUnavailable.Errorf(format, args...).
		WithHint("the document in the database is damaged or incomplete; a device that has the file can upload it again")
}

// damagedBy is damaged with a cause that errors.Is finds but the message does not repeat.
func damagedBy(cause error, format string, args ...any) *fault.Error {
	err := damaged(format, args...)
	err.Err = cause
	return err
}
