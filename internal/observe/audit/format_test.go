package audit

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/formats"
)

// TestLogsOfAllVersions continues the log of each version, and one with lines that only a newer version understands:
// earlier lines stay as they are.
func TestLogsOfAllVersions(t *testing.T) {
	line := Line{
		Time: time.Date(2026, 11, 15, 21, 30, 0, 0, time.UTC), Client: "client 1.0", Token: "phone", Tool: "rename_note", Paths: []string{"A.md"},
		Kind: OK, DurationMS: 3, Changes: []Change{{Path: "A.md", To: "B.md", Before: "00", After: "00"}}, ChangeID: "mhz3k2p1-4f9c",
	}
	log := func(t *testing.T, dir string) {
		l := Open(filepath.Join(dir, "audit.jsonl"), nil)
		defer l.Close()
		if err := l.Write(context.Background(), line, true); err != nil {
			t.Fatal(err)
		}
	}
	formats.Check(t, formats.Format{Name: "audit-log", Oldest: 1, Newest: 1}, log, func(t *testing.T, dir string, _ int) {
		name := filepath.Join(dir, "audit.jsonl")
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var earlier Line
		if err := json.Unmarshal(before, &earlier); err != nil || earlier.Tool != line.Tool || earlier.Changes[0] != line.Changes[0] {
			t.Errorf("%+v, %v", earlier, err)
		}
		before = append(before, `{"version":99,"unheard":{"of":[]}}`+"\n"...)
		if err := os.WriteFile(name, before, 0o600); err != nil {
			t.Fatal(err)
		}
		log(t, dir)
		now, err := os.ReadFile(name)
		added, found := strings.CutPrefix(string(now), string(before))
		if err != nil || !found || strings.Count(added, "\n") != 1 {
			t.Errorf("%q, %v", now, err)
		}
	})
}
