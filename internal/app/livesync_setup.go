package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/format/setuplink"
	"obsidian-mcp/internal/surface/cli"
)

// setupLiveSync reads a setup link, tests whether the database can be used, and returns its settings.
func setupLiveSync(ctx context.Context, settings config.Config, o cli.SetupOptions) (config.LiveSync, error) {
	link, err := setuplink.Open(o.Link.Reveal(), setuplink.Options{Passphrase: format.Passphrase(o.Passphrase.Reveal()), Remote: o.Remote})
	if err != nil {
		return config.LiveSync{}, err
	}
	found, findings, ok := testLink(ctx, settings, link)
	for _, finding := range findings {
		o.Report(finding)
	}
	if err := ctx.Err(); err != nil {
		return config.LiveSync{}, err
	}
	if !ok {
		return config.LiveSync{}, errLinkTest
	}
	return found, nil
}

// errLinkTest is the end of a test that has reported why it failed.
var errLinkTest = fault.StoreUnavailable.Errorf("the database cannot be used with this link").WithHint("nothing was written")

// trial is one test of a database that a link names.
type trial struct {
	settings config.Config
	findings []doctor.Finding
	about    livesync.About
	ok       bool
	opening  error // why the database could be reached but not be opened
}

// testLink tests the database that a link names, without changing anything in it. It returns the settings that serve it,
// which may contradict the link: then a finding says so.
func testLink(ctx context.Context, settings config.Config, link setuplink.Link) (config.LiveSync, []doctor.Finding, bool) {
	named := config.LiveSync{
		URL: link.Remote.URL, Database: link.Remote.Database, User: link.Remote.User,
		Password: config.Secret(link.Remote.Password), Cache: settings.LiveSync.Cache,
	}
	passphrase := config.Secret(link.Passphrase)
	if link.Encrypt || link.Obfuscate {
		named.Passphrase = passphrase
	}
	settings.LiveSync, settings.VaultPath, settings.Vault = named, "", ""
	tested := tryLink(ctx, settings, link)
	switch {
	case tested.ok && tested.about.Fresh && link.Obfuscate: // nothing in the database shows it yet
		settings.LiveSync.Obfuscated = &link.Obfuscate
	case !tested.ok && tested.opening != nil && passphrase != "":
		settings.LiveSync.Passphrase = "" // the database may contradict the link
		if named.Passphrase == "" {
			settings.LiveSync.Passphrase = passphrase
		}
	default:
		return tested.settings.LiveSync, tested.findings, tested.ok
	}
	if again := tryLink(ctx, settings, link); again.ok || tested.ok {
		tested = again
	}
	return tested.settings.LiveSync, tested.findings, tested.ok
}

// tryLink tests the database with certain settings.
func tryLink(ctx context.Context, settings config.Config, link setuplink.Link) (t trial) {
	t.settings = settings
	reading := settings
	reading.ReadOnly = true
	begun := newStartup(silent)
	report := doctor.NewReport(ctx, func(found doctor.Finding) { t.findings = append(t.findings, found) })
	if err := settings.LiveSync.Validate(); err != nil {
		report.Failure("link", err)
		return t
	}
	database, ok := report.LiveSync(ctx, doctor.LiveSync{
		Settings: settings, Couch: couchOptions(settings.LiveSync), Cache: sealedCache(settings), Link: &link,
		Open: func() (*livesync.Store, error) { return openLiveSync(reading, silent) },
		Await: func(ctx context.Context, database *livesync.Store) error {
			t.opening = begun.await(ctx, openedLiveSync(database, settings), settings.CallTimeout)
			return t.opening
		},
	})
	if !ok {
		if !errors.Is(t.opening, fault.PermissionDenied) && !errors.Is(t.opening, fault.InvalidArgument) {
			t.opening = nil // not about the passphrase
		}
		return t
	}
	defer database.Close()
	var err error
	t.about, err = database.About(ctx)
	t.ok = err == nil
	return t
}

// linkForDevice makes a setup link for another device that is to join the database.
func linkForDevice(ctx context.Context, settings config.Config, o cli.DeviceOptions) (cli.DeviceLink, error) {
	settings.ReadOnly = true
	database, err := connectLiveSync(ctx, settings)
	if err != nil {
		return cli.DeviceLink{}, err
	}
	defer database.Close()
	about, err := database.About(ctx)
	if err != nil {
		return cli.DeviceLink{}, err
	}
	from := settings.LiveSync
	link, err := setuplink.Make(setuplink.Device{
		URL: cmp.Or(o.URL, from.URL), Database: from.Database,
		User: from.User, Password: format.Passphrase(from.Password.Reveal()), Passphrase: format.Passphrase(from.Passphrase.Reveal()),
		Shared: about.Remote.Shared(about.Settings),
	}, setuplink.Options{Passphrase: format.Passphrase(o.Passphrase.Reveal())}, rand.Reader)
	return cli.DeviceLink{
		Link: config.Secret(link), Format: doctor.DescribeFormat(about.Settings), Fresh: about.Fresh, Refuse: about.Writable,
	}, err
}
