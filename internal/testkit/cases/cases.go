// Package cases loads test data from the repository's testdata, or from another folder of the same layout that
// TESTDATA_ROOT names. Only tests import it.
//
// Its own tests run Obsidian's cases against the packages that implement them.
package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// Path returns the path of a file or folder of test data, such as "hostile/paths.txt". It must exist.
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

// List reads a file of cases, such as "periodic/cases/parse.json". It must have some.
func List[T any](t testing.TB, name string) []T {
	t.Helper()
	text, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []T }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("%s: %d cases, %v", name, len(file.Cases), err)
	}
	return file.Cases
}

// DiffJSON compares values as JSON, and says how they differ.
func DiffJSON(got, want any, options ...cmp.Option) string {
	decode := func(v any) (decoded any) {
		text, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(text, &decoded)
		}
		if err != nil {
			return err.Error()
		}
		return decoded
	}
	return cmp.Diff(decode(want), decode(got), options...)
}

// EachAnswer passes on what another program answered, one JSON object a line: all of the file that a variable names, or else
// the sample in testdata/oracle.jsonl. It stops after the first wrong ones.
func EachAnswer[T any](t *testing.T, variable string, isRight func(T) bool) {
	t.Helper()
	name := os.Getenv(variable)
	if name == "" {
		name = filepath.Join("testdata", "oracle.jsonl")
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const least, most = 400, 20
	count, wrong := 0, 0
	for decoder := json.NewDecoder(file); decoder.More() && wrong < most; count++ {
		var answer T
		if err := decoder.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		if !isRight(answer) {
			wrong++
		}
	}
	if count < least && wrong < most {
		t.Fatalf("only %d inputs", count)
	}
	t.Logf("%d inputs compared", count)
}

// Shared returns the path of a file or folder of other people's vaults, which are beside the repository. If it does not
// exist, the test is skipped.
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

// Load reads all cases of a category. There must be at least one.
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

// Run runs every case of a category as a subtest named after its ID, and logs how many there were. A case whose ID is in
// expectedFailures, with the reason, must fail: check reports failures through its Reporter, so Run notices.
func Run(t *testing.T, category string, expectedFailures map[string]string, check func(Reporter, Case)) {
	t.Helper()
	all := Load(t, category)
	for _, c := range all {
		t.Run(c.ID, func(t *testing.T) {
			reason, expected := expectedFailures[c.ID]
			if !expected {
				check(t, c)
				return
			}
			probe := &failureProbe{}
			check(probe, c)
			if !probe.failed {
				t.Errorf("passes, but is listed as an expected failure (%s): remove it from the list", reason)
			}
		})
	}
	t.Logf("%s: %d cases ran", category, len(all))
}

// Reporter is how a check reports that a case fails.
type Reporter interface {
	Errorf(format string, args ...any)
	Helper()
}

// failureProbe notices a failure without reporting it.
type failureProbe struct{ failed bool }

func (p *failureProbe) Errorf(string, ...any) { p.failed = true }
func (p *failureProbe) Helper()               {}

// Decode decodes a part of a case into a type of the test.
func Decode[T any](raw json.RawMessage) T {
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		panic("a case does not fit the type that its test expects: " + err.Error())
	}
	return value
}
