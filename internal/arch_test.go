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
	"internal/fault":    {},
	"internal/vpath":    {"internal/fault"},
	"internal/md":       {},
	"internal/md/front": {"internal/md", "internal/fault"},
	"internal/edit":     {"internal/md", "internal/md/front", "internal/vpath", "internal/fault"},
	"internal/cases":    {},
	"cmd/obsidian-mcp":  {},
	"examples/tour":     {"internal/edit", "internal/md", "internal/md/front", "internal/vpath"},
}

// libraries says which package a library is for. Test files may use others.
var libraries = map[string]string{
	"golang.org/x/text": "internal/vpath",
	"go.yaml.in/yaml":   "internal/md/front",
	"golang.org/x/sys":  "internal/md",
}

// impure is what the ground must not import: it does no I/O and knows no
// clock.
var impure = []string{"os", "io/fs", "net", "net/http", "os/exec", "path/filepath", "time", "log", "log/slog", "syscall"}

var ground = []string{"internal/fault", "internal/vpath", "internal/md", "internal/md/front", "internal/edit"}

type goPackage struct {
	ImportPath string
	Module     struct{ Path string }
	Imports    []string
}

func TestImportsPointDown(t *testing.T) {
	for _, found := range listPackages(t) {
		name := strings.TrimPrefix(found.ImportPath, found.Module.Path+"/")
		if name == "internal" {
			continue
		}
		allowed, known := layers[name]
		if !known {
			t.Errorf("%s is not in the table of layers: say what it may import, or put its code where it belongs", name)
			continue
		}
		for _, imported := range found.Imports {
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
	for library, owner := range libraries {
		if strings.HasPrefix(imported, library) {
			if owner != name {
				t.Errorf("%s imports %s, which only %s uses", name, imported, owner)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which is not in the table of libraries: each is used by one package", name, imported)
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
