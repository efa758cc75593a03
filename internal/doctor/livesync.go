package doctor

import (
	"cmp"
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
	"obsidian-mcp/internal/store/livesync/format/setuplink"
	"obsidian-mcp/internal/text/amount"
)

// LiveSync is a vault in a database that is to be checked.
type LiveSync struct {
	Settings config.Config
	Couch    couch.Options
	Cache    string // the file that keeps the notes, encrypted; "" for none
	Open     func() (*livesync.Store, error)
	Await    func(context.Context, *livesync.Store) error // waits until the database answers
	Link     *setuplink.Link                              // the link that names the database; nil if settings do
}

// remedy is what to do if a setting is wrong.
func (at LiveSync) remedy(settings string) string {
	if at.Link != nil {
		return fromDevice
	}
	return settings
}

// explain adds to an error of the database what to do about it.
func (at LiveSync) explain(err error) error {
	explained := ExplainDatabase(err)
	if hint := fault.HintOf(explained); at.Link == nil || hint != "" && !strings.Contains(hint, "COUCHDB_BASE_URL") {
		return explained
	}
	return &fault.Error{Kind: fault.KindOf(err), Message: explained.Error(), Hint: fromDevice, Err: err}
}

// LiveSync checks a vault in a database and opens it. False means that it could not be opened; the report says why.
func (r *Report) LiveSync(ctx context.Context, at LiveSync) (*livesync.Store, bool) {
	if err := at.Settings.LiveSync.Check(); err != nil {
		r.Failure("vault", err)
		return nil, false
	}
	if at.Link != nil {
		r.link(*at.Link)
	}
	if !r.contact(ctx, at) {
		return nil, false
	}
	database, err := at.Open()
	if err != nil {
		r.Failure("vault", err)
		return nil, false
	}
	if !r.database(ctx, at, database) {
		_ = database.Close()
		return nil, false
	}
	return database, true
}

// contact checks the steps that lead to the database one after the other, so that the line that fails shows what to fix.
func (r *Report) contact(ctx context.Context, at LiveSync) bool {
	client, err := couch.New(at.Couch)
	if err != nil {
		r.Failure("server", err)
		return false
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, at.Settings.CallTimeout)
	defer cancel()
	_, err = client.Info(ctx)
	kind := fault.KindOf(err)
	if err != nil && (kind != fault.PermissionDenied && kind != fault.VaultNotFound || isNotCouch(err)) {
		r.Failure("server", at.explain(err))
		return false
	}
	if version, err := client.Version(ctx); err == nil && version != "" {
		r.ok("server: %s answers, CouchDB %s", at.Couch.URL, version)
	} else {
		r.ok("server: %s answers", at.Couch.URL)
	}
	switch {
	case errors.Is(err, fault.PermissionDenied):
		r.fail(at.remedy("check COUCHDB_USER and COUCHDB_PASSWORD"), "login: %s", withHint(err))
		return false
	case err != nil:
		r.fail(at.remedy("check COUCHDB_DATABASE_NAME"), "database: %s", withHint(err))
		return false
	case at.Couch.User == "":
		r.look("give CouchDB an admin, and set COUCHDB_USER and COUCHDB_PASSWORD",
			"login: not needed, so everyone who reaches the server may read the vault")
	default:
		r.ok("login: '%s' may log in", at.Couch.User)
	}
	return true
}

// database checks what is in the database.
func (r *Report) database(ctx context.Context, at LiveSync, database *livesync.Store) bool {
	if err := at.Await(ctx, database); err != nil {
		switch denied := errors.Is(err, fault.PermissionDenied); {
		case denied && at.Link != nil:
			r.fail(fromDevice, "passphrase: the vault's passphrase in the link does not open the database")
		case denied:
			r.Failure("passphrase", err)
		default:
			r.Failure("format", err)
		}
		return false
	}
	about, err := database.About(ctx)
	if err != nil {
		r.Failure("database", err)
		return false
	}
	if about.Fresh {
		r.look("the first note, or obsidian-mcp livesync push, makes it a LiveSync vault",
			"database: '%s' is empty", about.Database)
	} else {
		r.ok("database: '%s' holds a LiveSync vault of %s", about.Database, amount.Of(about.Files, "file"))
	}
	r.format(about)
	r.versions(about)
	if at.Link != nil {
		r.agreement(*at.Link, about)
	}
	r.writing(at.Settings, about)
	r.conflicts(about)
	r.contentCache(at)
	return true
}

// format reports how the documents are written, and how that is known.
func (r *Report) format(about livesync.About) {
	source := "as its documents show; it has no milestone"
	switch {
	case about.Stated:
		source = "as its milestone states"
	case about.Fresh:
		source = "as the settings say"
	}
	r.ok("format: %s (%s)", DescribeFormat(about.Settings), source)
	if about.Settings.Encrypt || about.Settings.ObfuscatePaths {
		r.ok("passphrase: opens the vault")
	} else {
		r.ok("passphrase: not needed")
	}
}

// withHint is an error and what to do about it, in one line.
func withHint(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}

// DescribeFormat puts the format of a LiveSync vault into words.
func DescribeFormat(settings format.Settings) string {
	words := []string{"not encrypted", "paths in clear", "case-insensitive names"}
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
		words[2] = "case-sensitive names"
	}
	if settings.Compress {
		words = append(words, "compressed")
	}
	return strings.Join(words, ", ")
}

// writing reports whether notes can be written, or why not.
func (r *Report) writing(settings config.Config, about livesync.About) {
	switch {
	case settings.ReadOnly:
		r.ok("writing: read-only, as set")
	case about.Writable != nil:
		r.Failure("writing", about.Writable)
	case about.Access.Writing() == couch.Unknown:
		r.look("try obsidian-mcp call create_note", "writing: only an attempt will show whether notes can be written")
	default:
		r.ok("writing: notes can be written")
	}
}

// conflicts reports notes that exist in several versions.
func (r *Report) conflicts(about livesync.About) {
	paths := make([]string, len(about.Conflicts))
	for i, path := range about.Conflicts {
		paths[i] = string(path)
	}
	slices.Sort(paths)
	r.list(paths, "changed on several devices at once, and not written until the conflict is resolved",
		"the tool resolve_conflict merges the versions, or keeps the one that you choose: "+
			"obsidian-mcp call resolve_conflict --note NAME --dry-run")
}

// contentCache reports whether notes are kept on this machine.
func (r *Report) contentCache(at LiveSync) {
	switch {
	case at.Cache == "" && at.Settings.LiveSync.Cache:
		r.look("set OBSIDIAN_MCP_CACHE_DIR to a folder",
			"cache: OBSIDIAN_MCP_LIVESYNC_CACHE is on, but OBSIDIAN_MCP_CACHE_DIR is off, "+
				"so each start reads all notes from the database")
	case at.Cache == "":
		r.ok("cache: off; nothing of the vault is kept on this machine, and each start reads all notes from the database")
	default:
		if err := tryWritingInto(at.Settings.CacheDir); err != nil {
			r.look("set OBSIDIAN_MCP_CACHE_DIR to a folder that can be written",
				"cache: %s, so each start reads all notes from the database", err)
			return
		}
		r.ok("cache: notes are kept, encrypted, in %s", at.Settings.CacheDir)
	}
}

// InspectLiveSync reports the documents that could not be read while the index was built.
func (r *Report) InspectLiveSync(ctx context.Context, database *livesync.Store) {
	about, err := database.About(ctx)
	if err != nil {
		return
	}
	names := make([]string, len(about.Damaged))
	for i, problem := range about.Damaged {
		names[i] = fmt.Sprintf("%s (%s)", ProblemName(problem), problem.Kind)
	}
	slices.Sort(names)
	r.list(names, "cannot be read", "obsidian-mcp livesync verify says why")
}

// ProblemName is the name of a damaged document for people: its path, or else its id.
func ProblemName(problem livesync.Problem) string { return cmp.Or(problem.Path, problem.ID) }

// ProblemRemedies say what to do about each kind of damage.
var ProblemRemedies = map[livesync.ProblemKind]string{
	livesync.MissingChunk:  "open the note on the device that wrote it, and let it sync; or edit it there, so that it is sent again",
	livesync.WrongSize:     "edit the note on a device that has all of it, so that it is sent again",
	livesync.Undecryptable: "it was written with another passphrase; edit the note on a device that has it, so that it is sent again",
	livesync.Damaged:       "edit the note on a device that has it, so that it is sent again",
	livesync.Conflicted:    "the tool resolve_conflict merges the versions, or keeps the one that you choose",
	livesync.WrongID:       "devices ignore it; rename the note on a device that has it, or rebuild the database from that device",
	livesync.BadPath:       "no device can hold a file of this name; rename it on the device that made it",
}
