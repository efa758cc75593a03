package app

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/surface/web"
)

// testLiveSync tries to reach a database, as doctor does, and looks into it
// without changing anything. Secrets that are left out are those in use, for the
// server that they are in use for.
func (p *page) testLiveSync(ctx context.Context, to web.Database) []web.Check {
	settings := p.settings
	given := config.LiveSync{
		URL: strings.TrimSpace(to.URL), Database: strings.TrimSpace(to.Name), User: strings.TrimSpace(to.User),
		Password: config.Secret(to.Password), Passphrase: config.Secret(to.Passphrase),
	}
	if own := settings.LiveSync; own.URL == given.URL && own.User == given.User {
		if given.Password == "" {
			given.Password = own.Password
		}
		if given.Passphrase == "" {
			given.Passphrase = own.Passphrase
		}
		given.Obfuscated = own.Obfuscated
	}
	settings.LiveSync, settings.ReadOnly, settings.VaultPath, settings.Vault = given, true, "", ""
	settings.CallTimeout = min(settings.CallTimeout, testPatience)
	var out bytes.Buffer
	e := &examination{out: &out}
	begun := newStartup(slog.New(slog.DiscardHandler))
	if in, ok := e.liveSync(ctx, settings, begun); ok {
		_ = in.Close()
	}
	return checks(out.String())
}

// testPatience is how long a person waits for a server that may be away.
const testPatience = 10 * time.Second

// checks are the lines of an examination.
func checks(lines string) []web.Check {
	var all []web.Check
	for line := range strings.Lines(lines) {
		mark, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, web.Check{Mark: strings.ToLower(mark), Text: strings.TrimSpace(text)})
	}
	return all
}
