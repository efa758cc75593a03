package floor

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func vault(t *testing.T) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	for i := range 50 {
		name := filepath.Join(dir, fmt.Sprintf("folder %d", i%7), fmt.Sprintf("note %d.md", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("see [[Hub]]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, name)
	}
	return dir, paths
}

func TestPasses(t *testing.T) {
	dir, paths := vault(t)
	for name, pass := range map[string]func(string) (int, error){"walk": Walk, "stat": Stat} {
		if files, err := pass(dir); err != nil || files != len(paths) {
			t.Errorf("%s: %d files of %d, %v", name, files, len(paths), err)
		}
		if _, err := pass(filepath.Join(dir, "absent")); err == nil {
			t.Errorf("%s: a missing folder is no error", name)
		}
	}
	if read, err := Read(paths); err != nil || read != int64(len(paths)*len("see [[Hub]]\n")) {
		t.Errorf("read %d bytes, %v", read, err)
	}
	if _, err := Read([]string{filepath.Join(dir, "absent")}); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestRewrite(t *testing.T) {
	_, paths := vault(t)
	from, to := "[[Hub]]", "[[Centre]]"
	for _, how := range []Durability{Renamed, SyncEach, SyncOnce} {
		if err := Rewrite(paths, from, to, how); err != nil {
			t.Fatalf("durability %d: %v", how, err)
		}
		for _, name := range paths {
			if text, err := os.ReadFile(name); err != nil || string(text) != "see "+to+"\n" {
				t.Fatalf("durability %d: %s: %q, %v", how, name, text, err)
			}
			if _, err := os.Stat(temporary(name)); err == nil {
				t.Fatalf("durability %d: a temporary file is left beside %s", how, name)
			}
		}
		from, to = to, from
	}
}
