package ops_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/outside/obsidian"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// fakeApp is an Obsidian app that shows one note.
type fakeApp struct{ isRunning bool }

func (a fakeApp) reach() error {
	if !a.isRunning {
		return fault.ObsidianNotRunning.Errorf("Obsidian is not running").WithHint("start Obsidian")
	}
	return nil
}

func (a fakeApp) Status(context.Context) (obsidian.State, error) {
	if err := a.reach(); err != nil {
		return obsidian.State{Problem: err}, nil
	}
	return obsidian.State{Running: true, Version: "1.13.7", Vault: "My vault", Active: "Plan.md", Tabs: []string{"[markdown] Plan"}}, nil
}

func (a fakeApp) Open(context.Context, obsidian.File) error { return a.reach() }
func (a fakeApp) Search(context.Context, string) error      { return a.reach() }
func (a fakeApp) Selector() string                          { return "My vault" }

func (a fakeApp) Command(_ context.Context, id string) (string, error) {
	if id == "long" {
		return strings.Repeat("ä", 10_000), nil
	}
	return "Executed: " + id, a.reach()
}

func TestLongOutputOfACommandIsCut(t *testing.T) {
	t.Parallel()
	v := vault.Open(mem.New(nil), slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{App: fakeApp{}, AppCommands: []string{"long"}})
	answer, err := invoke(t.Context(), t, tools, "obsidian_command", map[string]any{"id": "long"})
	if err != nil || len(answer.Text) > 4100 || !strings.HasSuffix(answer.Text, `ää…"}`) {
		t.Errorf("%d bytes, %v", len(answer.Text), err)
	}
}
