package cli

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// DeviceOptions say what kind of setup link to make.
type DeviceOptions struct {
	URL        string        // of CouchDB, for devices; "" for the one in the settings
	Passphrase config.Secret // of the link
}

// DeviceLink is a setup link for a new device.
type DeviceLink struct {
	Link   config.Secret
	Format string // of the database, in words
	Fresh  bool   // the database is still empty
	Refuse error  // why a device could not sync with the link, or nil
}

// printLink prints a setup link for a new device.
func (s *setup) printLink() error {
	settings, err := s.program.settings(s.cmd)
	if err == nil {
		err = settings.LiveSync.Check()
	}
	if err != nil {
		return err
	}
	address := settings.LiveSync.URL
	if s.deviceURL != "" {
		named := config.LiveSync{URL: strings.TrimRight(s.deviceURL, "/ "), Database: settings.LiveSync.Database}
		if err := named.Validate(); err != nil {
			return &usage{fmt.Errorf("--device-url: %w", errors.Unwrap(err))}
		}
		address = named.URL
	}
	passphrase, err := s.newPassphrase()
	if err != nil {
		return err
	}
	made, err := s.program.LiveSync.Device(s.cmd.Context(), settings, DeviceOptions{URL: address, Passphrase: passphrase})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(s.program.Out, made.Link.Reveal()); err != nil || s.quiet {
		return err
	}
	s.explain(made, address, settings.LiveSync.User)
	return nil
}

// explain says what the link contains and what to do with it.
func (s *setup) explain(made DeviceLink, address, user string) {
	contains := "the address of the database"
	if user != "" {
		contains += fmt.Sprintf(", the login of '%s'", user)
	}
	if !strings.HasPrefix(made.Format, "not encrypted, paths in clear") {
		contains += ", the vault's passphrase"
	}
	s.message("the link contains " + contains + "; send its passphrase another way")
	s.message("the vault is " + made.Format)
	if made.Fresh {
		s.message("the database is still empty: on the first device choose that it is a new vault")
	}
	if made.Refuse != nil {
		s.message("devices cannot sync with it yet: " + visible.Line(made.Refuse.Error()))
	}
	if problem := unreachable(address); problem != "" {
		s.message(problem)
	}
	s.message("on the device: install the plugin Self-hosted LiveSync, choose \"Use a Setup URI\", and paste the link")
}

// unreachable says why a device may not reach an address.
func unreachable(address string) string {
	server, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := server.Hostname()
	ip := net.ParseIP(host)
	switch {
	case host == "localhost" || ip != nil && ip.IsLoopback():
		return "other devices cannot reach " + address + ": name the address that they use with --device-url"
	case ip == nil && !strings.Contains(host, "."):
		return "devices may not know the name '" + host + "': if so, name the address that they use with --device-url"
	case server.Scheme == "http":
		return "Obsidian on phones and tablets needs an address with https://; name it with --device-url"
	}
	return ""
}

// newPassphrase reads the passphrase for a new link.
func (s *setup) newPassphrase() (config.Secret, error) {
	switch {
	case s.passphraseFile != "":
		return config.ReadSecret(s.passphraseFile, "--passphrase-file")
	case !s.program.IsTerminal():
		_, passphrase, err := s.read([]string{"none"})
		return passphrase, err
	}
	passphrase, err := s.ask("New passphrase for the link: ")
	if err != nil {
		return "", err
	}
	again, err := s.ask("Once more: ")
	switch {
	case err != nil:
		return "", err
	case passphrase == "":
		return "", fault.InvalidArgument.Errorf("the link needs a passphrase").WithHint("enter it, or name a file with --passphrase-file")
	case passphrase != again:
		return "", fault.InvalidArgument.Errorf("the two passphrases differ").WithHint("run the command again")
	}
	return passphrase, nil
}
