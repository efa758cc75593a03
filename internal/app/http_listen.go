package app

import (
	"context"
	"errors"
	"fmt"
	"net"

	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
)

// listen opens the port that the settings name. An error names the setting at fault, or the program that has the port.
func listen(ctx context.Context, settings config.Config) (net.Listener, error) {
	if err := tryDoor(settings); err != nil {
		return nil, err
	}
	listener, err := door.Listen(settings.HTTP.Host, settings.HTTP.Port)
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, fault.Conflict):
		return nil, portTaken(ctx, settings, err)
	case errors.Is(err, fault.PermissionDenied):
		return nil, settings.Blame("port", err)
	}
	return nil, settings.Blame("host", err)
}

// tryDoor checks the settings about hosts, origins and proxies before anything is opened.
func tryDoor(settings config.Config) error {
	if _, err := prefixes(settings.HTTP.TrustedProxies); err != nil {
		return settings.Blame("trusted_proxies", err)
	}
	if _, err := door.New(door.Options{Host: settings.HTTP.Host}); err != nil {
		return settings.Blame("host", err)
	}
	if _, err := door.New(door.Options{Host: settings.HTTP.Host, Hosts: settings.HTTP.Hosts()}); err != nil {
		return settings.Blame("allowed_hosts", err)
	}
	_, err := door.New(door.Options{Host: settings.HTTP.Host, Origins: settings.HTTP.AllowedOrigins})
	return settings.Blame("allowed_origins", err)
}

// portTaken says which program listens on the port already.
func portTaken(ctx context.Context, settings config.Config, cause error) error {
	const choose = "choose another port with PORT or --port"
	taken := fault.Error{Kind: fault.Conflict, Err: cause}
	if state, ours := doctor.RunningServer(ctx, settings.HTTP); ours {
		taken.Message = fmt.Sprintf("%s: another obsidian-mcp (%s) already serves on port %d",
			settings.From("port"), state, settings.HTTP.Port)
		taken.Hint = fmt.Sprintf("use that server at http://%s/mcp, or stop it, or %s", doctor.OwnAddress(settings.HTTP), choose)
	} else {
		taken.Message = fmt.Sprintf("%s: another program already listens on port %d", settings.From("port"), settings.HTTP.Port)
		taken.Hint = choose + ", or stop the other program"
	}
	return &taken
}
