package internal_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says which of our packages each package may import: arrows point
// down only. A package that is not here may not exist.
var layers = map[string][]string{
	"internal/fault":                       {},
	"internal/amount":                      {},
	"internal/udiff":                       {},
	"internal/wire":                        {},
	"internal/vpath":                       {"internal/fault"},
	"internal/md":                          {},
	"internal/fold":                        {},
	"internal/query":                       {"internal/fold", "internal/regex", "internal/md", "internal/md/front", "internal/fault"},
	"internal/md/front":                    {"internal/md", "internal/fault"},
	"internal/summary":                     {"internal/md"},
	"internal/edit":                        {"internal/md", "internal/md/front", "internal/vpath", "internal/fault"},
	"internal/store":                       {"internal/vpath"},
	"internal/store/mem":                   {"internal/store", "internal/vpath", "internal/fault"},
	"internal/store/folder":                {"internal/store", "internal/system", "internal/vpath", "internal/fault"},
	"internal/store/patient":               {"internal/store", "internal/vpath", "internal/fault"},
	"internal/store/storetest":             {"internal/store", "internal/vpath", "internal/fault"},
	"internal/store/livesync":              {"internal/store", "internal/store/livesync/format", "internal/store/livesync/couch", "internal/store/livesync/cache", "internal/vpath", "internal/fault"},
	"internal/store/livesync/livesynctest": {"internal/store", "internal/store/livesync", "internal/store/livesync/format", "internal/store/livesync/couch", "internal/store/livesync/couchtest", "internal/vpath"},
	"internal/store/livesync/format":       {"internal/fault"},
	"internal/store/livesync/couch":        {"internal/fault"},
	"internal/store/livesync/couchtest":    {},
	"internal/store/livesync/cache":        {"internal/fault"},
	"internal/regex":                       {},
	"internal/regex/regextest":             {},
	"internal/glob":                        {"internal/regex"},
	"internal/index/text":                  {"internal/fold", "internal/regex"},
	"internal/index/cachefile":             {},
	"internal/index":                       {"internal/index/text", "internal/query", "internal/regex", "internal/fold", "internal/md", "internal/md/front", "internal/vpath", "internal/fault"},
	"internal/scope":                       {"internal/glob", "internal/vpath", "internal/fault"},
	"internal/auth":                        {"internal/scope", "internal/fault"},
	"internal/door":                        {"internal/fault"},
	"internal/metrics":                     {},
	"internal/vault":                       {"internal/act", "internal/history", "internal/scope", "internal/store", "internal/index", "internal/index/cachefile", "internal/edit", "internal/md", "internal/vpath", "internal/fault"},
	"internal/guide":                       {},
	"internal/act":                         {},
	"internal/system":                      {},
	"internal/history":                     {"internal/system", "internal/fault"},
	"internal/audit":                       {"internal/act", "internal/system", "internal/fault"},
	"internal/tool":                        {"internal/wire", "internal/fault"},
	"internal/ops":                         {"internal/act", "internal/fold", "internal/history", "internal/summary", "internal/query", "internal/regex", "internal/glob", "internal/tool", "internal/wire", "internal/vault", "internal/index", "internal/store", "internal/edit", "internal/md", "internal/md/front", "internal/vpath", "internal/fault"},
	"internal/config":                      {"internal/system", "internal/fault"},
	"internal/entry":                       {},
	"internal/clients":                     {"internal/entry", "internal/system", "internal/fault"},
	"internal/mcp":                         {"internal/act", "internal/auth", "internal/ops", "internal/guide", "internal/tool", "internal/wire", "internal/fault"},
	"internal/transfer":                    {"internal/store", "internal/vpath", "internal/fault"},
	"internal/cli":                         {"internal/udiff", "internal/act", "internal/amount", "internal/auth", "internal/clients", "internal/docgen", "internal/tool", "internal/transfer", "internal/config", "internal/wire", "internal/fault"},
	"internal/pulse":                       {},
	"internal/web":                         {"internal/amount", "internal/udiff", "internal/act", "internal/auth", "internal/pulse", "internal/tool", "internal/query", "internal/regex", "internal/md", "internal/md/front", "internal/vpath", "internal/fault"},
	"internal/docgen":                      {"internal/clients", "internal/tool", "internal/config"},
	"internal/app":                         {"internal/amount", "internal/act", "internal/audit", "internal/history", "internal/auth", "internal/door", "internal/metrics", "internal/pulse", "internal/scope", "internal/cli", "internal/clients", "internal/web", "internal/mcp", "internal/ops", "internal/tool", "internal/vault", "internal/index", "internal/transfer", "internal/store", "internal/store/folder", "internal/store/patient", "internal/store/livesync", "internal/store/livesync/couch", "internal/store/livesync/format", "internal/config", "internal/vpath", "internal/fault"},
	"internal/cases":                       {},
	"internal/crash":                       {},
	"internal/vaultgen":                    {},
	"cmd/obsidian-mcp":                     {"internal/app"},
}

// libraries says which packages a library is for. Test files may use others.
var libraries = map[string][]string{
	"golang.org/x/text":                      {"internal/vpath", "internal/fold", "internal/store/livesync/format"},
	"github.com/cespare/xxhash":              {"internal/store/livesync/format"},
	"go.yaml.in/yaml":                        {"internal/md/front", "internal/config"},
	"golang.org/x/sys":                       {"internal/md", "internal/store/folder", "internal/index", "internal/index/cachefile", "internal/audit", "internal/system"},
	"golang.org/x/sync":                      {"internal/store/folder", "internal/store/livesync", "internal/vault"},
	"github.com/fsnotify/fsnotify":           {"internal/store/folder"},
	"github.com/google/jsonschema-go":        {"internal/tool", "internal/mcp", "internal/cli"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/mcp"},
	"github.com/go-jose/go-jose":             {"internal/auth"},
	"golang.org/x/time":                      {"internal/auth", "internal/mcp"},
	"golang.org/x/term":                      {"internal/cli"},
	"github.com/spf13/pflag":                 {"internal/cli"},
	"github.com/spf13/cobra":                 {"internal/cli"},
	"github.com/rogpeppe/go-internal":        {"internal/ops", "internal/clients"},
	"github.com/google/go-cmp":               {"internal/store/storetest"},
	"github.com/yuin/goldmark":               {"internal/web"},
	"github.com/pelletier/go-toml":           {"internal/entry"},
}

// impure is what the ground must not import: it does no I/O and knows no
// clock.
var impure = []string{"os", "io/fs", "net", "net/http", "os/exec", "path/filepath", "time", "log", "log/slog", "syscall"}

var ground = []string{"internal/fault", "internal/wire", "internal/vpath", "internal/md", "internal/md/front", "internal/edit", "internal/summary", "internal/guide", "internal/scope"}

type goPackage struct {
	ImportPath string
	Module     struct{ Path string }
	Imports    []string
}

func TestImportsPointDown(t *testing.T) {
	for _, found := range listPackages(t) {
		path, _, _ := strings.Cut(found.ImportPath, " ")
		name := strings.TrimPrefix(path, found.Module.Path+"/")
		if name == "internal" {
			continue
		}
		allowed, known := layers[name]
		if !known {
			t.Errorf("%s is not in the table of layers: say what it may import, or put its code where it belongs", name)
			continue
		}
		for _, imported := range found.Imports {
			imported, _, _ = strings.Cut(imported, " ") // a profile makes variants
			checkImport(t, name, allowed, found.Module.Path, imported)
		}
	}
}

func checkImport(t *testing.T, name string, allowed []string, module, imported string) {
	t.Helper()
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		switch {
		case ours == "internal/cases":
			t.Errorf("%s imports internal/cases, which is for tests", name)
		case !slices.Contains(allowed, ours):
			t.Errorf("%s imports %s, but may only import %q: arrows point down", name, ours, allowed)
		}
		return
	}
	if slices.Contains(ground, name) && slices.Contains(impure, imported) {
		t.Errorf("%s imports %s, but the ground is pure: no I/O, no clock", name, imported)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return // the standard library
	}
	for library, owners := range libraries {
		if strings.HasPrefix(imported, library) {
			if !slices.Contains(owners, name) {
				t.Errorf("%s imports %s, which only %q use", name, imported, owners)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which is not in the table of libraries: say what it is for", name, imported)
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Module,Imports", "./...")
	command.Dir = ".."
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for decoder.More() {
		var next goPackage
		if err := decoder.Decode(&next); err != nil {
			t.Fatal(err)
		}
		packages = append(packages, next)
	}
	if len(packages) < len(layers) {
		t.Fatalf("%d packages, %d in the table", len(packages), len(layers))
	}
	return packages
}
