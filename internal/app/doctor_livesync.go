package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/text/amount"
)

// liveSync checks a vault in a database, and opens it.
func (e *examination) liveSync(ctx context.Context, settings config.Config, begun *startup) (place, bool) {
	if err := settings.LiveSync.Check(); err != nil {
		e.failure("vault", err)
		return place{}, false
	}
	if !e.contact(ctx, settings) {
		return place{}, false
	}
	reading := settings
	reading.ReadOnly = true // to look is not to mend
	database, err := openLiveSync(reading, begun.log)
	if err != nil {
		e.failure("vault", err)
		return place{}, false
	}
	in := liveSyncPlace(database, settings)
	if !e.database(ctx, settings, database, begun) {
		_ = in.Close()
		return place{}, false
	}
	return in, true
}

// contact checks one step after the other that lead to the database, so that
// the line that fails is the one that something is to be done about.
func (e *examination) contact(ctx context.Context, settings config.Config) bool {
	client, err := couch.New(couchOptions(settings.LiveSync))
	if err != nil {
		e.failure("server", err)
		return false
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, settings.CallTimeout)
	defer cancel()
	_, err = client.Info(ctx)
	err = blameDatabase(err)
	kind := fault.KindOf(err)
	if err != nil && (kind != fault.PermissionDenied && kind != fault.VaultNotFound || isNotCouchDB(err)) {
		e.failure("server", err)
		return false
	}
	e.ok("server: %s answers", settings.LiveSync.URL)
	switch {
	case errors.Is(err, fault.PermissionDenied):
		e.fail("see COUCHDB_USER and COUCHDB_PASSWORD", "login: %s", withHint(err))
		return false
	case err != nil:
		e.fail("see COUCHDB_DATABASE_NAME", "database: %s", withHint(err))
		return false
	case settings.LiveSync.User == "":
		e.look("give CouchDB an admin, and set COUCHDB_USER and COUCHDB_PASSWORD", "login: none is needed, so that everybody who reaches the server may read the vault")
	default:
		e.ok("login: '%s' is let in", settings.LiveSync.User)
	}
	return true
}

// database checks what is in the database.
func (e *examination) database(ctx context.Context, settings config.Config, in *livesync.Store, begun *startup) bool {
	if err := begun.await(ctx, liveSyncPlace(in, settings), settings.CallTimeout); err != nil {
		what := "format"
		if errors.Is(err, fault.PermissionDenied) {
			what = "passphrase"
		}
		e.failure(what, err)
		return false
	}
	about, err := in.About(ctx)
	if err != nil {
		e.failure("database", err)
		return false
	}
	if about.Fresh {
		e.look("the first note, or obsidian-mcp livesync push, makes a LiveSync vault of it", "database: '%s' is empty", about.Database)
	} else {
		e.ok("database: '%s' holds a LiveSync vault of %s", about.Database, amount.Of(about.Files, "file"))
	}
	e.format(about)
	e.writing(settings, about)
	e.documents(about)
	e.contentCache(settings)
	return true
}

// format tells how the documents are written, and how that is known.
func (e *examination) format(about livesync.About) {
	source := "as its documents show; it has no milestone"
	switch {
	case about.Stated:
		source = "as its milestone states"
	case about.Fresh:
		source = "as the settings say"
	}
	e.ok("format: %s (%s)", describe(about.Settings), source)
	if about.Settings.Encrypt || about.Settings.ObfuscatePaths {
		e.ok("passphrase: opens the vault")
	} else {
		e.ok("passphrase: none is needed")
	}
}

// withHint is an error and what to do about it, in one line.
func withHint(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}

// describe puts settings into words.
func describe(settings format.Settings) string {
	words := []string{"not encrypted", "paths in clear", "names without case"}
	if settings.Encrypt {
		words[0] = "end-to-end encrypted, V2"
		if settings.Algorithm != format.EncryptV2 {
			words[0] = "end-to-end encrypted, V1"
		}
	}
	if settings.ObfuscatePaths {
		words[1] = "paths obfuscated"
	}
	if settings.CaseSensitive {
		words[2] = "names with case"
	}
	if settings.Compress {
		words = append(words, "compressed")
	}
	return strings.Join(words, ", ")
}

// writing tells whether notes can be written, or why not.
func (e *examination) writing(settings config.Config, about livesync.About) {
	switch {
	case settings.ReadOnly:
		e.ok("writing: read-only, as set")
	case about.Writable != nil:
		e.failure("writing", about.Writable)
	case about.Access.Writing() == couch.Unknown:
		e.look("try with obsidian-mcp call create_note", "writing: the server tells only when a note is written whether it may be")
	default:
		e.ok("writing: notes can be written")
	}
}

// documents tells of notes that a person has to look at.
func (e *examination) documents(about livesync.About) {
	conflicts := make([]string, len(about.Conflicts))
	for i, path := range about.Conflicts {
		conflicts[i] = string(path)
	}
	slices.Sort(conflicts)
	e.list(conflicts, "changed on several devices at once, and not written until the conflict is resolved on a device", "open each on a device, which asks which side to keep")
}

// damaged names the documents that could not be read so far.
func damaged(ctx context.Context, in *livesync.Store) []string {
	about, err := in.About(ctx)
	if err != nil {
		return nil
	}
	names := make([]string, len(about.Damaged))
	for i, problem := range about.Damaged {
		names[i] = fmt.Sprintf("%s (%s)", problemPlace(problem), problem.Kind)
	}
	slices.Sort(names)
	return names
}

// contentCache tells whether notes are kept on this machine.
func (e *examination) contentCache(settings config.Config) {
	file := sealedCache(settings)
	switch {
	case file == "" && settings.LiveSync.Cache:
		e.look("set OBSIDIAN_MCP_CACHE_DIR to a folder", "cache: OBSIDIAN_MCP_LIVESYNC_CACHE is on, but OBSIDIAN_MCP_CACHE_DIR is off, so that each start reads all notes from the database")
	case file == "":
		e.ok("cache: off; nothing of the vault is kept on this machine, and each start reads all notes from the database")
	default:
		if err := tryWritingInto(settings.CacheDir); err != nil {
			e.look("set OBSIDIAN_MCP_CACHE_DIR to a folder that can be written", "cache: %s, so that each start reads all notes from the database", err)
			return
		}
		e.ok("cache: notes are kept, encrypted, in %s", settings.CacheDir)
	}
}
