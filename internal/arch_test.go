package internal_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The tests in this file keep the design: which layer may use which, which package imports which, which package needs
// which library, and which packages are pure. When one fails, either move the code or change the table, on purpose.

// layers lists the layers of the program from the top to the bottom, as the picture of the source tree shows them. A
// package may import packages of its own layer and of the layers below it.
var layers = [][]string{
	{"cmd"},
	{"internal/app"},
	{"internal/doctor", "internal/surface"},
	{"internal/access"},
	{"internal/install"},
	{"internal/config", "internal/docgen"},
	{"internal/ops"},
	{"internal/tool"},
	{"internal/outside"},
	{"internal/vault"},
	{"internal/index"},
	{"internal/query"},
	{"internal/store"},
	{"internal/media"},
	{"internal/note"},
	{"internal/text"},
	{"internal/observe"},
	{"internal/fault", "internal/wire", "internal/system"},
	{"internal/testkit"},
}

// upwardImports lists the imports that point up in spite of the layers. Every line needs a reason.
var upwardImports = map[[2]string]string{
	{"internal/docgen", "internal/install/clients"}: "the documents include the table of AI clients",
	{"internal/install", "internal/access/auth"}:    "installing a client may create its token",
}

// allowedImports lists, for every package, the packages of this module that it may import. Imports by test files are free.
var allowedImports = map[string][]string{
	"internal/fault":                       {},
	"internal/text/amount":                 {},
	"internal/text/order":                  {},
	"internal/text/pack":                   {"internal/text/order"},
	"internal/text/stem":                   {},
	"internal/text/tokens":                 {},
	"internal/text/udiff":                  {},
	"internal/text/visible":                {},
	"internal/wire":                        {},
	"internal/note/vpath":                  {"internal/fault", "internal/text/order"},
	"internal/note/md":                     {"internal/text/order"},
	"internal/text/fold":                   {},
	"internal/text/collate":                {"internal/text/fold"},
	"internal/media/pdf":                   {"internal/fault", "internal/text/order"},
	"internal/media/picture":               {"internal/fault"},
	"internal/media/kind":                  {"internal/note/vpath", "internal/fault"},
	"internal/query/search":                {"internal/text/fold", "internal/text/regex", "internal/note/md", "internal/note/md/front", "internal/fault", "internal/text/order"},
	"internal/note/md/front":               {"internal/note/md", "internal/fault", "internal/text/order"},
	"internal/note/passage":                {"internal/note/md"},
	"internal/note/summary":                {"internal/note/md", "internal/text/order"},
	"internal/note/moment":                 {},
	"internal/note/template":               {"internal/note/moment"},
	"internal/note/task":                   {"internal/note/moment", "internal/text/order"},
	"internal/note/kanban":                 {"internal/note/md", "internal/note/moment"},
	"internal/text/lexicon":                {},
	"internal/text/meaning":                {"internal/text/lexicon"},
	"internal/text/model2vec":              {"internal/text/lexicon", "internal/text/meaning"},
	"internal/text/shingle":                {"internal/text/words"},
	"internal/text/words":                  {"internal/text/fold"},
	"internal/query/value":                 {"internal/note/md/front"},
	"internal/query/bases":                 {"internal/text/order", "internal/fault", "internal/note/md/front", "internal/note/moment", "internal/query/value", "internal/text/collate"},
	"internal/query/dataview":              {"internal/text/order", "internal/fault", "internal/note/md", "internal/note/md/front", "internal/query/value", "internal/text/collate"},
	"internal/query/tasks":                 {"internal/note/md", "internal/note/moment", "internal/note/task", "internal/text/collate", "internal/text/fold", "internal/text/order"},
	"internal/note/canvas":                 {"internal/note/md", "internal/fault", "internal/text/order"},
	"internal/note/edit":                   {"internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault", "internal/text/order"},
	"internal/note/conflict":               {},
	"internal/note/merge":                  {"internal/note/md", "internal/note/md/front"},
	"internal/note/embed":                  {"internal/note/edit", "internal/note/md", "internal/note/vpath", "internal/fault"},
	"internal/note/publish":                {"internal/note/edit", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault", "internal/text/order"},
	"internal/outside/github":              {"internal/text/visible", "internal/fault"},
	"internal/outside/github/githubtest":   {},
	"internal/outside/embedding":           {"internal/fault", "internal/system", "internal/text/meaning", "internal/text/model2vec"},
	"internal/store":                       {"internal/note/vpath"},
	"internal/store/mem":                   {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/store/folder":                {"internal/store", "internal/system", "internal/system/disk", "internal/note/vpath", "internal/fault"},
	"internal/store/patient":               {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/store/storetest":             {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/store/livesync":              {"internal/store", "internal/store/livesync/format", "internal/store/livesync/couch", "internal/store/livesync/cache", "internal/note/merge", "internal/note/vpath", "internal/fault"},
	"internal/store/livesync/livesynctest": {"internal/store", "internal/store/livesync", "internal/store/livesync/format", "internal/store/livesync/couch", "internal/store/livesync/couchtest", "internal/store/livesync/formattest", "internal/note/vpath"},
	"internal/store/livesync/format":       {"internal/fault", "internal/text/order"},
	"internal/store/livesync/couch":        {"internal/fault", "internal/text/order"},
	"internal/store/livesync/couchtest":    {"internal/testkit/couchdb"},
	"internal/store/livesync/formattest":   {"internal/store/livesync/format"},
	"internal/store/livesync/cache":        {"internal/system", "internal/system/seal", "internal/fault", "internal/text/order"},
	"internal/text/regex":                  {"internal/text/order"},
	"internal/text/regex/regextest":        {},
	"internal/text/glob":                   {"internal/text/regex"},
	"internal/index/text":                  {"internal/text/pack", "internal/text/fold", "internal/text/order", "internal/text/regex", "internal/text/stem"},
	"internal/index/cachefile":             {"internal/system"},
	"internal/index/graph":                 {"internal/text/order"},
	"internal/index/vector":                {"internal/note/md", "internal/text/meaning", "internal/text/order"},
	"internal/index":                       {"internal/text/pack", "internal/system/zones", "internal/index/graph", "internal/index/vector", "internal/text/meaning", "internal/index/text", "internal/query/bases", "internal/query/dataview", "internal/query/search", "internal/query/tasks", "internal/query/value", "internal/note/task", "internal/text/regex", "internal/text/fold", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault", "internal/text/order"},
	"internal/access/scope":                {"internal/text/glob", "internal/note/conflict", "internal/note/vpath", "internal/fault"},
	"internal/access/auth":                 {"internal/access/scope", "internal/fault"},
	"internal/access/door":                 {"internal/fault"},
	"internal/observe/histogram":           {},
	"internal/observe/metrics":             {"internal/observe/histogram"},
	"internal/vault":                       {"internal/system", "internal/vault/call", "internal/vault/history", "internal/vault/periodic", "internal/store", "internal/index", "internal/index/cachefile", "internal/index/vector", "internal/text/meaning", "internal/note/conflict", "internal/note/edit", "internal/note/embed", "internal/note/md", "internal/note/md/front", "internal/note/moment", "internal/note/task", "internal/note/vpath", "internal/fault"},
	"internal/ops/resource":                {"internal/note/task", "internal/ops/resource/guide", "internal/media/kind", "internal/store", "internal/vault", "internal/vault/call", "internal/index", "internal/note/embed", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault", "internal/text/order"},
	"internal/ops/resource/guide":          {},
	"internal/vault/call":                  {},
	"internal/vault/periodic":              {"internal/note/moment", "internal/note/template", "internal/note/vpath"},
	"internal/system":                      {"internal/system/zones"},
	"internal/system/zones":                {},
	"internal/system/seal":                 {},
	"internal/system/disk":                 {},
	"internal/system/child":                {},
	"internal/vault/history":               {"internal/system/seal", "internal/system/disk", "internal/system", "internal/fault"},
	"internal/observe/audit":               {"internal/system", "internal/system/disk", "internal/fault"},
	"internal/outside/obsidian":            {"internal/system", "internal/system/child", "internal/fault"},
	"internal/outside/vaultsync":           {"internal/system", "internal/system/child", "internal/fault", "internal/text/amount"},
	"internal/tool":                        {"internal/wire", "internal/fault", "internal/text/order"},
	"internal/ops":                         {"internal/system/zones", "internal/text/shingle", "internal/text/words", "internal/note/passage", "internal/text/amount", "internal/text/tokens", "internal/ops/resource", "internal/outside/github", "internal/note/publish", "internal/outside/obsidian", "internal/outside/vaultsync", "internal/vault/call", "internal/text/fold", "internal/vault/history", "internal/vault/periodic", "internal/note/moment", "internal/note/kanban", "internal/note/summary", "internal/note/task", "internal/note/template", "internal/query/bases", "internal/query/dataview", "internal/query/search", "internal/query/tasks", "internal/query/value", "internal/text/regex", "internal/text/glob", "internal/tool", "internal/wire", "internal/vault", "internal/index", "internal/index/vector", "internal/store", "internal/media/kind", "internal/media/pdf", "internal/media/picture", "internal/note/canvas", "internal/note/conflict", "internal/note/edit", "internal/note/embed", "internal/note/merge", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault", "internal/text/order"},
	"internal/config":                      {"internal/system/zones", "internal/fault", "internal/note/vpath", "internal/system", "internal/text/order"},
	"internal/install/entry":               {},
	"internal/install":                     {"internal/access/auth", "internal/config", "internal/fault", "internal/install/clients", "internal/system", "internal/text/visible"},
	"internal/install/clients":             {"internal/install/entry", "internal/system", "internal/fault", "internal/text/order"},
	"internal/surface/mcp":                 {"internal/surface/mcp/transport", "internal/vault/call", "internal/access/auth", "internal/ops/resource", "internal/tool", "internal/wire", "internal/fault"},
	"internal/store/transfer":              {"internal/store", "internal/note/vpath", "internal/fault"},
	"internal/surface/cli":                 {"internal/access/auth", "internal/config", "internal/docgen", "internal/doctor", "internal/fault", "internal/install", "internal/install/clients", "internal/store/transfer", "internal/text/amount", "internal/text/udiff", "internal/text/visible", "internal/tool", "internal/vault/call", "internal/wire", "internal/text/order"},
	"internal/observe/pulse":               {"internal/observe/histogram"},
	"internal/surface/web":                 {"internal/surface/web/html", "internal/wire", "internal/text/amount", "internal/text/udiff", "internal/vault/call", "internal/access/auth", "internal/observe/pulse", "internal/tool", "internal/query/search", "internal/text/regex", "internal/note/canvas", "internal/note/md", "internal/note/md/front", "internal/note/vpath", "internal/fault", "internal/text/order"},
	"internal/surface/web/html":            {},
	"internal/doctor":                      {"internal/access/auth", "internal/access/door", "internal/config", "internal/fault", "internal/index", "internal/install", "internal/install/clients", "internal/note/vpath", "internal/observe/audit", "internal/store", "internal/store/livesync", "internal/store/livesync/couch", "internal/store/livesync/format", "internal/store/livesync/format/setuplink", "internal/store/patient", "internal/system", "internal/text/amount", "internal/text/visible", "internal/vault"},
	"internal/docgen":                      {"internal/install/clients", "internal/tool", "internal/config"},
	"internal/app":                         {"internal/access/auth", "internal/access/door", "internal/access/scope", "internal/config", "internal/doctor", "internal/fault", "internal/install", "internal/install/clients", "internal/note/conflict", "internal/note/moment", "internal/note/vpath", "internal/observe/audit", "internal/observe/metrics", "internal/observe/pulse", "internal/ops", "internal/ops/resource", "internal/outside/embedding", "internal/outside/github", "internal/outside/obsidian", "internal/outside/vaultsync", "internal/store", "internal/store/folder", "internal/store/livesync", "internal/store/livesync/couch", "internal/store/livesync/format", "internal/store/livesync/format/setuplink", "internal/store/patient", "internal/store/transfer", "internal/surface/cli", "internal/surface/mcp", "internal/surface/mcp/transport", "internal/surface/web", "internal/system", "internal/system/child", "internal/text/amount", "internal/text/meaning", "internal/tool", "internal/vault", "internal/vault/call", "internal/vault/history", "internal/vault/periodic"},
	"internal/testkit/cases":               {},
	"internal/testkit/couchdb":             {},
	"internal/testkit/couchdb/serve":       {"internal/testkit/couchdb"},
	"internal/testkit/crash":               {},
	"internal/testkit/formats":             {"internal/testkit/golden"},
	"internal/testkit/golden":              {},
	"internal/testkit/mode":                {},
	"internal/testkit/program":             {"internal/testkit/mode"},
	"internal/testkit/skip":                {},
	"internal/testkit/vaultgen":            {},
	"internal/surface/mcp/transport":       {"internal/access/auth", "internal/wire", "internal/fault"}, // bytes and sessions: no tools, no vault
	"cmd/obsidian-mcp":                     {"internal/app"},

	"internal/store/livesync/format/setuplink":     {"internal/fault", "internal/store/livesync/format"},
	"internal/surface/mcp/transport/transporttest": {"internal/surface/mcp/transport", "internal/access/auth"},
}

// libraries lists the packages that may import a library. Test files are free to use any.
var libraries = map[string][]string{
	"golang.org/x/text":                      {"internal/note/vpath", "internal/text/fold", "internal/text/meaning", "internal/text/model2vec", "internal/store/livesync/format"},
	"github.com/cespare/xxhash":              {"internal/index", "internal/store/livesync/format"},
	"go.yaml.in/yaml":                        {"internal/note/md/front", "internal/config"},
	"golang.org/x/sys":                       {"internal/note/md", "internal/text/meaning", "internal/index/vector", "internal/store/folder", "internal/index", "internal/index/cachefile", "internal/observe/audit", "internal/system"},
	"golang.org/x/image":                     {"internal/media/picture"},
	"golang.org/x/sync":                      {"internal/store/folder", "internal/store/livesync", "internal/store/livesync/couch", "internal/vault"},
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
	"github.com/google/go-cmp":               {"internal/store/storetest", "internal/testkit/cases", "internal/testkit/golden"},
	"github.com/yuin/goldmark":               {"internal/surface/web"},
	"github.com/pelletier/go-toml":           {"internal/install/entry"},
}

// unwanted lists the packages of the standard library that no package may import, with the reason.
var unwanted = map[string]string{
	"html/template": templatesKeepMethods,
	"text/template": templatesKeepMethods,
}

const templatesKeepMethods = "it calls methods by names that it reads at run time, so the linker keeps every exported method of " +
	"every type, which makes the program two megabytes larger; use internal/surface/web/html or fmt (see ADR 10)"

// ground lists the pure packages, each with all packages below it: they do no I/O, read no clock and keep no mutable
// globals. The test checks that they import no package that would make them impure.
var ground = []string{
	"internal/fault",
	"internal/wire",
	"internal/text",
	"internal/note",
	"internal/media",
	"internal/query",
	"internal/store/livesync/format",
	"internal/access/scope",
	"internal/ops/resource/guide",
}

// notGround lists the exceptions below the ground.
var notGround = []string{
	"internal/text/regex/regextest", // reads the cases that tests share
}

// calendars lists the packages of the ground that may use package time for dates in time zones. They neither read the
// clock nor wait, which TestCalendarsReadNoClock checks.
var calendars = []string{"internal/query/value", "internal/query/dataview", "internal/query/bases"}

// clockReaders are the functions of package time that make a package impure.
var clockReaders = []string{
	"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation",
}

// impure lists the packages that the ground must not import.
var impure = []string{
	"crypto/tls", "io/fs", "io/ioutil", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec",
	"os/signal", "os/user", "path/filepath", "syscall", "time",
}

func TestCalendarsReadNoClock(t *testing.T) {
	for _, name := range calendars {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(name), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", name, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, reader := range clockReaders {
				if regexp.MustCompile(`\btime\.` + reader + `\b`).Match(text) {
					t.Errorf("%s uses time.%s: let the caller pass in what it needs", file, reader)
				}
			}
		}
	}
}

func TestImports(t *testing.T) {
	packages := listPackages(t)
	upward := map[[2]string]bool{}
	for _, found := range packages {
		name := found.name()
		if name == "internal" {
			continue
		}
		if _, ok := allowedImports[name]; !ok {
			t.Errorf("%s is missing from allowedImports: list what it may import, or move its code to an existing package", name)
			continue
		}
		for _, imported := range found.Imports {
			imported, _, _ = strings.Cut(imported, " ") // a build with a profile adds a suffix
			if ours, ok := strings.CutPrefix(imported, found.Module.Path+"/"); ok {
				checkOwnImport(t, name, ours, upward)
			} else {
				checkOtherImport(t, name, imported)
			}
		}
	}
	for edge := range upwardImports {
		if !upward[edge] {
			t.Errorf("%s no longer imports %s: remove the pair from upwardImports", edge[0], edge[1])
		}
	}
}

// TestTableNamesExistingPackages keeps the tables free of packages that are gone.
func TestTableNamesExistingPackages(t *testing.T) {
	exists := map[string]bool{}
	for _, found := range listPackages(t) {
		exists[found.name()] = true
	}
	for name, imports := range allowedImports {
		for _, listed := range append([]string{name}, imports...) {
			if !exists[listed] {
				t.Errorf("allowedImports names %s (for %s), which does not exist: remove it", listed, name)
			}
		}
	}
	for _, name := range notGround {
		if !exists[name] {
			t.Errorf("notGround names %s, which does not exist: remove it", name)
		}
	}
}

// checkOwnImport checks an import of a package of this module, and records it if it points up.
func checkOwnImport(t *testing.T, name, imported string, upward map[[2]string]bool) {
	t.Helper()
	if !slices.Contains(allowedImports[name], imported) {
		t.Errorf("%s imports %s, which allowedImports does not list for it: avoid the import, or add it to the table",
			name, imported)
	}
	isForTests := within(name, "internal/testkit") || strings.HasSuffix(name, "test") // storetest and the like
	if within(imported, "internal/testkit") && !isForTests {
		t.Errorf("%s imports %s, which is for tests only", name, imported)
	}
	from, to := layerOf(name), layerOf(imported)
	switch {
	case from < 0:
		t.Errorf("%s belongs to no layer: add its folder to layers", name)
	case to >= 0 && to < from:
		edge := [2]string{name, imported}
		upward[edge] = true
		if _, ok := upwardImports[edge]; !ok {
			t.Errorf("%s imports %s, which is in a higher layer: imports must point down (see layers)", name, imported)
		}
	}
}

// checkOtherImport checks an import of the standard library or of another module.
func checkOtherImport(t *testing.T, name, imported string) {
	t.Helper()
	if imported == "time" && slices.Contains(calendars, name) {
		return
	}
	if isGround(name) && slices.Contains(impure, imported) {
		t.Errorf("%s imports %s, but it is in the ground and must stay pure: let the caller pass in what it needs",
			name, imported)
	}
	if reason, ok := unwanted[imported]; ok {
		t.Errorf("%s imports %s: %s", name, imported, reason)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return // the standard library
	}
	for library, owners := range libraries {
		if within(imported, library) {
			if !slices.Contains(owners, name) {
				t.Errorf("%s imports %s, which is only for %q: use those packages, or add %s to libraries",
					name, imported, owners, name)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which is not in libraries: add it with the packages that may use it", name, imported)
}

// layerOf returns the index of a package's layer, or -1.
func layerOf(name string) int {
	return slices.IndexFunc(layers, func(folders []string) bool {
		return slices.ContainsFunc(folders, func(folder string) bool { return within(name, folder) })
	})
}

func isGround(name string) bool {
	return !slices.Contains(notGround, name) &&
		slices.ContainsFunc(ground, func(folder string) bool { return within(name, folder) })
}

// within reports whether a path is a folder or lies below it.
func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/')
}

type goPackage struct {
	ImportPath string
	Module     struct{ Path string }
	Imports    []string
}

// name returns the path of the package within the module.
func (p goPackage) name() string {
	path, _, _ := strings.Cut(p.ImportPath, " ") // a build with a profile adds a suffix
	return strings.TrimPrefix(path, p.Module.Path+"/")
}

// listPackages lists the packages of this module once.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	packages, err := goList()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return packages
}

var goList = sync.OnceValues(func() ([]goPackage, error) {
	command := exec.Command("go", "list", "-json=ImportPath,Module,Imports", "./...")
	command.Dir = ".."
	output, err := command.Output()
	if err != nil {
		return nil, err
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var next goPackage
		if err := decoder.Decode(&next); err != nil {
			return nil, err
		}
		packages = append(packages, next)
	}
	return packages, nil
})
