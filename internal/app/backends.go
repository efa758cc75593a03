package app

import (
	"context"
	"log/slog"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault"
)

// backend is a kind of store that can hold a vault. Everything that differs between the kinds is a field of it or of
// the openedStore that it makes: a new kind is a package below store, its settings, and a row of backends.
type backend struct {
	// configured reports whether the settings name a vault of this kind.
	configured func(config.Config) bool
	// open opens the store that the settings name. It does not wait for a server or a drive that does not answer.
	open func(config.Config, *slog.Logger) (openedStore, error)
	// examine opens the store for doctor step by step, and reports on each. False means that it could not be opened.
	examine func(context.Context, *doctor.Report, config.Config, *startup) (openedStore, bool)
	// refuses says why open would fail for good, without opening anything.
	refuses func(config.Config) error
	// folder is the folder of this machine that holds the vault; "" if it is not in a folder.
	folder func(config.Config) (string, error)
}

// backends lists the kinds of stores. The last one is used if the settings name none of the others.
var backends = []backend{liveSyncBackend, folderBackend}

// backendOf is the kind of store that the settings name.
func backendOf(settings config.Config) backend {
	for _, kind := range backends {
		if kind.configured(settings) {
			return kind
		}
	}
	return backends[len(backends)-1]
}

// openStore opens the store that the settings name.
func openStore(settings config.Config, log *slog.Logger) (openedStore, error) {
	if err := settings.OneVault(); err != nil {
		return openedStore{}, err
	}
	return backendOf(settings).open(settings, log)
}

// openedStore is a store with everything that the rest of the program has to know about it. The code that serves it does
// not know which kind it is.
type openedStore struct {
	files store.Store
	id    string      // the vault's id in URIs
	cache vault.Cache // of the index; none if the notes' text must not reach the disk in clear

	stateName string // the folder in the state folder that belongs to this vault
	secret    string // seals the history; "" if it is not sealed
	// sharedKey signs confirmations for all servers of this vault; nil if it has a key file.
	sharedKey func() []byte
	// probe waits for the first contact; nil if opening has made it.
	probe func(context.Context) error
	// isFinal reports whether an error of the first contact never goes away; nil if the kind of the error says so.
	isFinal func(error) bool
	// inspect runs doctor's checks that need the index.
	inspect func(ctx context.Context, r *doctor.Report, folders int)

	kind      string             // for people: folder, LiveSync
	location  string             // of the vault, for people
	folder    string             // the real path of the vault's folder; "" for a database
	variables []clients.Variable // name the vault in a client's entry; secrets are names of files to fill in
}

// reach waits for the first contact, and says why it failed.
func (s openedStore) reach(ctx context.Context) error {
	if s.probe == nil {
		return nil
	}
	return s.probe(ctx)
}

// endsProgram reports whether an error of the first contact will not go away while the program runs.
func (s openedStore) endsProgram(err error) bool {
	switch fault.KindOf(err) {
	case fault.VaultNotFound, fault.PermissionDenied, fault.InvalidArgument:
		return true
	}
	return err != nil && s.isFinal != nil && s.isFinal(err)
}
