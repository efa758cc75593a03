package app

import (
	"context"
	"fmt"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/outside/github"
)

// decisions is where the config file has decision records published; nil if it does not say.
func decisions(outside config.Outside) *ops.Decisions {
	adr := outside.ADR
	if adr == nil {
		return nil
	}
	host := github.New(github.Options{
		API: adr.API, Repo: adr.Repo, Mode: github.Mode(adr.Mode), Branch: adr.Branch, TokenFile: adr.TokenFile, Version: moduleVersion(),
	})
	return &ops.Decisions{Folder: vpath.Path(adr.Folder), Path: adr.Path, Host: host}
}

// checkDecisions looks whether the repository for decision records can be seen with the token.
func (a *app) checkDecisions(ctx context.Context) (found, worry string, err error) {
	checked, err := a.options.Decisions.Host.Check(ctx)
	if err != nil {
		return "", "", err
	}
	if checked.TokenShared {
		worry = "other users of this machine may read the file of adr.token_file; chmod 600 keeps them out"
	}
	return fmt.Sprintf("the token can see %s, default branch %s", checked.Repo, checked.DefaultBranch), worry, nil
}
