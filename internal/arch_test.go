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
	"internal/text/amount":                 {},
	"internal/text/udiff":                  {},
	"internal/text/visible":                {},
	"internal/wire":                        {},
	"internal/note/vpath":                  {"internal/fault"},
	"internal/note/md":                     {},
	"internal/text/fold":                   {},
	"internal/query/search":                {"internal/text/fold", "internal/text/regex", "internal/note/md", "internal/note/md/front", "internal/fault"},
	"internal/note/md/front":               {"internal/note/md", "internal/fault"},
	"internal/note/summary":                {"internal/note/md"},
	"internal/note/edit":                   {"internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault"},
	"internal/store":                       {"internal/note/vpath"},
	"internal/store/mem":                   {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/store/folder":                {"internal/store", "internal/system", "internal/system/disk", "internal/note/vpath", "internal/fault"},
	"internal/store/patient":               {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/store/storetest":             {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/store/livesync":              {"internal/store", "internal/store/livesync/format", "internal/store/livesync/couch", "internal/store/livesync/cache", "internal/note/vpath", "internal/fault"},
	"internal/store/livesync/livesynctest": {"internal/store", "internal/store/livesync", "internal/store/livesync/format", "internal/store/livesync/couch", "internal/store/livesync/couchtest", "internal/note/vpath"},
	"internal/store/livesync/format":       {"internal/fault"},
	"internal/store/livesync/couch":        {"internal/fault"},
	"internal/store/livesync/couchtest":    {},
	"internal/store/livesync/cache":        {"internal/system/seal", "internal/fault"},
	"internal/text/regex":                  {},
	"internal/text/regex/regextest":        {},
	"internal/text/glob":                   {"internal/text/regex"},
	"internal/index/text":                  {"internal/text/fold", "internal/text/regex"},
	"internal/index/cachefile":             {},
	"internal/index":                       {"internal/index/text", "internal/query/search", "internal/text/regex", "internal/text/fold", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault"},
	"internal/access/scope":                {"internal/text/glob", "internal/note/vpath", "internal/fault"},
	"internal/access/auth":                 {"internal/access/scope", "internal/fault"},
	"internal/access/door":                 {"internal/fault"},
	"internal/observe/histogram":           {},
	"internal/observe/metrics":             {"internal/observe/histogram"},
	"internal/vault":                       {"internal/vault/call", "internal/vault/history", "internal/store", "internal/index", "internal/index/cachefile", "internal/note/edit", "internal/note/md", "internal/note/vpath", "internal/fault"},
	"internal/ops/resource":                {"internal/ops/resource/guide", "internal/vault", "internal/index", "internal/note/md/front", "internal/note/vpath", "internal/fault"},
	"internal/ops/resource/guide":          {},
	"internal/vault/call":                  {},
	"internal/system":                      {},
	"internal/system/seal":                 {},
	"internal/system/disk":                 {},
	"internal/vault/history":               {"internal/system/seal", "internal/system/disk", "internal/system", "internal/fault"},
	"internal/observe/audit":               {"internal/system", "internal/system/disk", "internal/fault"},
	"internal/tool":                        {"internal/wire", "internal/fault"},
	"internal/ops":                         {"internal/ops/resource", "internal/vault/call", "internal/text/fold", "internal/vault/history", "internal/note/summary", "internal/query/search", "internal/text/regex", "internal/text/glob", "internal/tool", "internal/wire", "internal/vault", "internal/index", "internal/store", "internal/note/edit", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault"},
	"internal/config":                      {"internal/system", "internal/fault"},
	"internal/install/entry":               {},
	"internal/install":                     {"internal/system", "internal/access/auth", "internal/install/clients", "internal/config", "internal/text/visible", "internal/fault"},
	"internal/install/clients":             {"internal/install/entry", "internal/system", "internal/fault"},
	"internal/surface/mcp":                 {"internal/surface/mcp/transport", "internal/vault/call", "internal/access/auth", "internal/ops/resource", "internal/tool", "internal/wire", "internal/fault"},
	"internal/store/transfer":              {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/surface/cli":                 {"internal/system", "internal/text/visible", "internal/text/udiff", "internal/vault/call", "internal/text/amount", "internal/access/auth", "internal/install/clients", "internal/docgen", "internal/tool", "internal/store/transfer", "internal/config", "internal/wire", "internal/fault", "internal/install"},
	"internal/observe/pulse":               {"internal/observe/histogram"},
	"internal/surface/web":                 {"internal/wire", "internal/text/amount", "internal/text/udiff", "internal/vault/call", "internal/access/auth", "internal/observe/pulse", "internal/tool", "internal/query/search", "internal/text/regex", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault"},
	"internal/docgen":                      {"internal/install/clients", "internal/tool", "internal/config"},
	"internal/app":                         {"internal/system", "internal/text/amount", "internal/vault/call", "internal/observe/audit", "internal/vault/history", "internal/access/auth", "internal/access/door", "internal/observe/metrics", "internal/observe/pulse", "internal/access/scope", "internal/surface/cli", "internal/install/clients", "internal/surface/web", "internal/surface/mcp", "internal/surface/mcp/transport", "internal/ops", "internal/ops/resource", "internal/tool", "internal/vault", "internal/index", "internal/store/transfer", "internal/store", "internal/store/folder", "internal/store/patient", "internal/store/livesync", "internal/store/livesync/couch", "internal/store/livesync/format", "internal/config", "internal/note/vpath", "internal/fault", "internal/text/visible", "internal/install"},
	"internal/testkit/cases":               {},
	"internal/testkit/crash":               {},
	"internal/testkit/golden":              {},
	"internal/testkit/mode":                {},
	"internal/testkit/program":             {},
	"internal/testkit/vaultgen":            {},
	"internal/surface/mcp/transport":       {"internal/access/auth", "internal/wire", "internal/fault"}, // bytes and sessions: no tools, no vault
	"cmd/obsidian-mcp":                     {"internal/app"},

	"internal/surface/mcp/transport/transporttest": {"internal/surface/mcp/transport", "internal/access/auth"},
}

// libraries says which packages a library is for. Test files may use others.
var libraries = map[string][]string{
	"golang.org/x/text":                      {"internal/note/vpath", "internal/text/fold", "internal/store/livesync/format"},
	"github.com/cespare/xxhash":              {"internal/store/livesync/format"},
	"go.yaml.in/yaml":                        {"internal/note/md/front", "internal/config"},
	"golang.org/x/sys":                       {"internal/note/md", "internal/store/folder", "internal/index", "internal/index/cachefile", "internal/observe/audit", "internal/system"},
	"golang.org/x/sync":                      {"internal/store/folder", "internal/store/livesync", "internal/vault"},
	"github.com/fsnotify/fsnotify":           {"internal/store/folder"},
	"github.com/google/jsonschema-go":        {"internal/tool", "internal/surface/mcp", "internal/surface/cli"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/surface/mcp", "internal/surface/mcp/transport"},
	"github.com/go-jose/go-jose":             {"internal/access/auth"},
	"golang.org/x/time":                      {"internal/access/auth", "internal/surface/mcp/transport"},
	"golang.org/x/term":                      {"internal/surface/cli"},
	"github.com/spf13/pflag":                 {"internal/surface/cli"},
	"github.com/spf13/cobra":                 {"internal/surface/cli"},
	"github.com/rogpeppe/go-internal":        {"internal/ops", "internal/install/clients"},
	"pgregory.net/rapid":                     {"internal/testkit/mode"},
	"github.com/google/go-cmp":               {"internal/store/storetest", "internal/testkit/golden"},
	"github.com/yuin/goldmark":               {"internal/surface/web"},
	"github.com/pelletier/go-toml":           {"internal/install/entry"},
}

// impure is what the ground must not import: it does no I/O and knows no
// clock.
var impure = []string{"os", "io/fs", "net", "net/http", "os/exec", "path/filepath", "time", "log", "log/slog", "syscall"}

var ground = []string{"internal/fault", "internal/wire", "internal/note/vpath", "internal/note/md", "internal/note/md/front", "internal/note/edit", "internal/note/summary", "internal/ops/resource/guide", "internal/access/scope"}

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
		case ours == "internal/testkit/cases":
			t.Errorf("%s imports internal/testkit/cases, which is for tests", name)
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
