package docgen

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
)

// TestRegistryServer checks what the registry's schema (2025-12-11) and its rules for publishing demand of the fields that
// we use.
func TestRegistryServer(t *testing.T) {
	text, err := RegistryServer()
	if err != nil {
		t.Fatal(err)
	}
	var server registryServer
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&server); err != nil {
		t.Fatal(err)
	}
	if name := server.Name; !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(name) || len(name) < 3 || len(name) > 200 {
		t.Errorf("the name %q breaks the schema", name)
	}
	for _, field := range []string{server.Title, server.Description} {
		if len(field) < 1 || len(field) > 100 {
			t.Errorf("%q has %d characters, want 1 to 100", field, len(field))
		}
	}
	// An owner that is not a person proves the name by the repository that publishes.
	if _, rest, _ := strings.Cut(server.Repository["url"], "github.com/"); !strings.HasPrefix(server.Name, "io.github."+strings.Split(rest, "/")[0]+"/") {
		t.Errorf("the name %q does not belong to the owner of %q", server.Name, server.Repository["url"])
	}
	if server.Repository["source"] != "github" {
		t.Errorf("the source is %q", server.Repository["source"])
	}
	for _, p := range server.Packages {
		checkPackage(t, p, server.Version)
	}
}

func checkPackage(t *testing.T, p registryPackage, version string) {
	t.Helper()
	if p.Transport["type"] != "stdio" || len(p.Transport) != 1 {
		t.Errorf("%s: the transport is %v", p.Identifier, p.Transport)
	}
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`) // no range, and not "latest"
	if p.Version != version || !exact.MatchString(version) {
		t.Errorf("%s has version %q", p.Identifier, p.Version)
	}
	switch p.Type {
	case "npm":
		if p.Identifier != "@obsidian-mcp/server" || p.FileSHA256 != "" {
			t.Errorf("the npm package is %+v", p)
		}
	case "mcpb": // from releases of GitHub or GitLab only, with "mcp" in the URL and a checksum
		if !strings.HasPrefix(p.Identifier, "https://github.com/") || !strings.Contains(p.Identifier, "/releases/download/v"+version+"/") ||
			!strings.Contains(p.Identifier, "mcp") || !regexp.MustCompile(`^[a-f0-9]{64}$`).MatchString(p.FileSHA256) {
			t.Errorf("the bundle is %+v", p)
		}
	default:
		t.Errorf("the registry type is %q", p.Type)
	}
	seen := map[string]bool{}
	for _, v := range p.Variables {
		switch {
		case seen[v.Name] || !regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`).MatchString(v.Name):
			t.Errorf("the variable %q is there twice or misspelt", v.Name)
		case v.Description == "" || strings.Contains(v.Description, "`"):
			t.Errorf("%s is described as %q", v.Name, v.Description)
		case !slices.Contains([]string{"", "string", "number", "boolean", "filepath"}, v.Format):
			t.Errorf("%s has the format %q", v.Name, v.Format)
		}
		seen[v.Name] = true
	}
}

// TestRegistryVariablesAreSettings makes sure that each variable gives a setting.
func TestRegistryVariablesAreSettings(t *testing.T) {
	for _, v := range registryVariables() {
		i := slices.IndexFunc(config.Settings(), func(s config.Setting) bool { return s.HasVariable(v.Name) })
		if i < 0 {
			t.Errorf("%s is not a setting", v.Name)
		}
	}
	if len(registryVariables()) < 20 {
		t.Errorf("only %d variables", len(registryVariables()))
	}
}
