package ops_test

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
)

// invoke calls a tool.
func invoke(ctx context.Context, t testing.TB, tools *tool.Registry, name string, arguments map[string]any) (tool.Answer, error) {
	t.Helper()
	called, err := tools.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return called.Call(ctx, encoded)
}

func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("too slow for -short")
	}
}

// memoryDir returns an empty folder, in memory if the system has a folder there: these
// tests are not about the disk.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ops")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// unindexed is a store whose first scan, the one for the index, waits until end is
// closed.
type unindexed struct {
	*mem.Store
	once  sync.Once
	begun chan struct{} // closed when the first scan begins
	end   chan struct{}
}

func newUnindexed(files map[string]string) *unindexed {
	return &unindexed{Store: mem.New(files), begun: make(chan struct{}), end: make(chan struct{})}
}

func (s *unindexed) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	first := false
	s.once.Do(func() { first = true })
	if first {
		close(s.begun)
		select {
		case <-s.end:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.Store.Scan(ctx, want, visit)
}
