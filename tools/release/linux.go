package main

import (
	"bytes"
	"errors"
	"strings"
)

const (
	summary     = "Lets AI clients read, search, link and edit an Obsidian vault"
	description = `An MCP server for Obsidian vaults: a folder of Markdown files, or the database of
Self-hosted LiveSync. "obsidian-mcp install" sets up the AI clients of a user.
To serve a vault over HTTP, see systemd's user unit obsidian-mcp.service.`
)

// linuxFiles are what a package for Linux installs. The system has its own folder for completions of zsh.
func (r *release) linuxFiles(p platform, zsh string) ([]file, error) {
	program, err := r.programFile(p, "usr/bin/obsidian-mcp")
	if err != nil {
		return nil, err
	}
	unit, err := packagedUnit(r.texts.unit)
	if err != nil {
		return nil, err
	}
	manual, err := compressed(r.texts.manual)
	if err != nil {
		return nil, err
	}
	files := []file{
		program,
		{"usr/lib/systemd/user/obsidian-mcp.service", 0o644, unit},
		{"usr/share/bash-completion/completions/obsidian-mcp", 0o644, r.texts.completions["bash"]},
		{"usr/share/fish/vendor_completions.d/obsidian-mcp.fish", 0o644, r.texts.completions["fish"]},
		{zsh + "/_obsidian-mcp", 0o644, r.texts.completions["zsh"]},
		{"usr/share/man/man1/obsidian-mcp.1.gz", 0o644, manual},
		{"usr/share/doc/obsidian-mcp/env.example", 0o644, r.texts.environment},
	}
	return append(files, inside("usr/share/doc/obsidian-mcp", r.legal())...), nil
}

const (
	ownProgram      = "ExecStart=%h/.local/bin/obsidian-mcp "
	packagedProgram = "ExecStart=/usr/bin/obsidian-mcp "
	packagedHead    = `# Serves your vault over HTTP while you are logged in. It can read all your files.
#
#   install -D -m 0600 /usr/share/doc/obsidian-mcp/env.example ~/.config/obsidian-mcp/env      # and edit it
#   obsidian-mcp token new          # put only the token into the file "token":
#   install -m 0600 token ~/.config/obsidian-mcp/token
#   systemctl --user enable --now obsidian-mcp
#   loginctl enable-linger          # so that it runs while you are not logged in
`
)

// packagedUnit changes the unit for an installation without root to the program that a package installs.
func packagedUnit(unit []byte) ([]byte, error) {
	_, rest, ok := bytes.Cut(unit, []byte("\n\n"))
	if !ok || bytes.Count(rest, []byte(ownProgram)) != 1 {
		return nil, errors.New("deploy/systemd/obsidian-mcp.service no longer has a comment above it and one " + ownProgram)
	}
	rest = bytes.Replace(rest, []byte(ownProgram), []byte(packagedProgram), 1)
	return append([]byte(packagedHead+"\n"), rest...), nil
}

// packageVersion is the version as packages sort it: a release candidate comes before its release.
func (r *release) packageVersion() string { return strings.Replace(r.number, "-", "~", 1) }
