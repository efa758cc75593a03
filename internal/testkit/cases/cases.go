// Package cases loads the data that tests run on: the repository's testdata,
// or another folder of the same layout named by TESTDATA_ROOT. Only tests
// import it.
package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Case is one machine-readable rule about how Obsidian behaves.
type Case struct {
	ID         string                     `json:"id"`
	Category   string                     `json:"category"`
	Title      string                     `json:"title"`
	Confidence string                     `json:"confidence"`
	Config     map[string]json.RawMessage `json:"config"`
	Vault      map[string]string          `json:"vault"`
	Op         json.RawMessage            `json:"op"`
	Expect     json.RawMessage            `json:"expect"`
}

// Path is the place of a file or folder of test data, such as
// "hostile/paths.txt".
func Path(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("TESTDATA_ROOT")
	if root == "" {
		root = filepath.Join(moduleRoot(t), "testdata")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("test data is missing: %v", err)
	}
	return path
}

// Shared is the place of other people's vaults, beside the repository. A test
// that needs them is skipped where they are absent.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(moduleRoot(t), "..", "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("not on this machine: shared/%s", name)
	}
	return path
}

// moduleRoot is the folder that holds go.mod.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the working folder")
		}
		dir = parent
	}
}

// Load reads all cases of a category; none is a failure.
func Load(t testing.TB, category string) []Case {
	t.Helper()
	text, err := os.ReadFile(Path(t, "obsidian/cases/"+category+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []Case }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", category, err)
	}
	if len(file.Cases) == 0 {
		t.Fatalf("%s: no cases", category)
	}
	return file.Cases
}

// Run runs every case of a category as a subtest by its id and prints how
// many there were. A case in expectedFailures, which maps its id to the
// reason, must fail: check then reports through the Reporter it is given.
func Run(t *testing.T, category string, expectedFailures map[string]string, check func(Reporter, Case)) {
	t.Helper()
	all := Load(t, category)
	for _, one := range all {
		t.Run(one.ID, func(t *testing.T) {
			reason, expected := expectedFailures[one.ID]
			if !expected {
				check(t, one)
				return
			}
			probe := &failureProbe{}
			check(probe, one)
			if !probe.failed {
				t.Errorf("passes, though it is listed as an expected failure (%s): take it off the list", reason)
			}
		})
	}
	t.Logf("%s: %d cases ran", category, len(all))
}

// Reporter is how a check says that a case fails.
type Reporter interface {
	Errorf(format string, args ...any)
	Helper()
}

// failureProbe notices a failure without reporting it.
type failureProbe struct{ failed bool }

func (p *failureProbe) Errorf(string, ...any) { p.failed = true }
func (p *failureProbe) Helper()               {}

// Decode reads a part of a case into a value of the test's own shape.
func Decode[T any](raw json.RawMessage) T {
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		panic("a case does not have the shape that its test expects: " + err.Error())
	}
	return value
}
