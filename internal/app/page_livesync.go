package app

import (
	"context"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/format/setuplink"
	"obsidian-mcp/internal/surface/web"
)

// testLiveSync runs doctor's checks on a database, without changing anything in it. If it is on the server in use,
// secrets that are left out are those in use.
func (p *page) testLiveSync(ctx context.Context, to web.Database) []web.Check {
	if to.Link != "" {
		return p.testSetupLink(ctx, to)
	}
	database := config.LiveSync{
		URL: strings.TrimSpace(to.URL), Database: strings.TrimSpace(to.Name), User: strings.TrimSpace(to.User),
		Password: config.Secret(to.Password), Passphrase: config.Secret(to.Passphrase),
	}
	if own := p.settings.LiveSync; own.URL == database.URL && own.User == database.User {
		if database.Password == "" {
			database.Password = own.Password
		}
		if database.Passphrase == "" {
			database.Passphrase = own.Passphrase
		}
		database.Obfuscated = own.Obfuscated
	}
	settings := p.settings
	settings.LiveSync, settings.ReadOnly, settings.VaultPath, settings.Vault = database, true, "", ""
	settings.CallTimeout = min(settings.CallTimeout, testPatience)
	var checks []web.Check
	report := doctor.NewReport(ctx, func(found doctor.Finding) { checks = append(checks, checkOf(found)) })
	if opened, ok := liveSyncBackend.examine(ctx, report, settings, newStartup(silent)); ok {
		_ = opened.files.Close()
	}
	return checks
}

// testSetupLink runs the checks on the database that a setup link names.
func (p *page) testSetupLink(ctx context.Context, to web.Database) []web.Check {
	link, err := setuplink.Open(to.Link, setuplink.Options{Passphrase: format.Passphrase(to.LinkPassphrase)})
	var checks []web.Check
	report := doctor.NewReport(ctx, func(found doctor.Finding) { checks = append(checks, checkOf(found)) })
	if err != nil {
		report.Failure("link", err)
		return checks
	}
	settings := p.settings
	settings.ReadOnly, settings.CallTimeout = true, min(settings.CallTimeout, testPatience)
	_, findings, _ := testLink(ctx, settings, link)
	for _, found := range findings {
		checks = append(checks, checkOf(found))
	}
	return checks
}

func checkOf(found doctor.Finding) web.Check {
	return web.Check{Mark: strings.ToLower(string(found.Mark)), Text: found.String()}
}

// testPatience is how long a person waits for a server that may be away.
const testPatience = 10 * time.Second
