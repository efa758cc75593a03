package folder_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Subject { return subject(t, 0) })
}

func subject(t *testing.T, poll time.Duration) storetest.Subject {
	t.Helper()
	dir := t.TempDir()
	f, err := folder.Open(dir, folder.Options{State: t.TempDir(), Poll: poll})
	if err != nil {
		t.Fatal(err)
	}
	return storetest.Subject{Store: f, Outside: func(path vpath.Path, data []byte) {
		name := filepath.Join(dir, filepath.FromSlash(string(path)))
		if data == nil {
			if err := os.Remove(name); err != nil {
				t.Error(err)
			}
			return
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Error(err)
		}
	}}
}
