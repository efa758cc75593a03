package config

import (
	"fmt"
	"path/filepath"

	"obsidian-mcp/internal/fault"
)

// VaultIsFolder reports whether the vault is a folder on this machine rather than a database.
func (c Config) VaultIsFolder() bool { return !c.LiveSync.Configured() }

// NamesVault reports whether the settings name a vault.
func (c Config) NamesVault() bool { return c.VaultName() != "" }

// VaultName returns the vault that the settings name, in words; "" if they name none.
func (c Config) VaultName() string {
	switch {
	case !c.VaultIsFolder():
		return fmt.Sprintf("the database '%s' at %s", c.LiveSync.Database, c.LiveSync.URL)
	case c.VaultPath != "":
		return filepath.Clean(c.VaultPath)
	}
	return c.Vault
}

// CheckVault refuses settings that name two vaults, or half of one.
func (c Config) CheckVault() error {
	if err := c.OneVault(); err != nil || c.VaultIsFolder() {
		return err
	}
	return c.LiveSync.Check()
}

// OneVault refuses settings that name both a folder and a database: whichever it served might be the wrong one.
func (c Config) OneVault() error {
	if c.VaultIsFolder() || c.VaultPath == "" && c.Vault == "" {
		return nil
	}
	folder, database := "OBSIDIAN_VAULT_PATH="+c.VaultPath, "COUCHDB_BASE_URL="+c.LiveSync.URL
	if c.VaultPath == "" {
		folder = "OBSIDIAN_VAULT=" + c.Vault
	}
	if c.LiveSync.URL == "" {
		database = "COUCHDB_DATABASE_NAME=" + c.LiveSync.Database
	}
	return fault.VaultNotFound.Errorf("a folder (%s) and a CouchDB (%s) are both configured", folder, database).
		WithHint("a vault is in one of them: unset the other")
}
