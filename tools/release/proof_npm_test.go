package main

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// registry serves the packages of a release as npm's registry does, and nothing else.
func registry(t *testing.T) *httptest.Server {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(releaseFolder(t), "*.tgz"))
	if err != nil || len(names) == 0 {
		skip(t, "the release has no packages for npm")
	}
	packages := map[string]json.RawMessage{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, ".tgz") {
			http.ServeFile(w, q, filepath.Join(releaseFolder(t), filepath.Base(q.URL.Path)))
		} else if answer, ok := packages[strings.TrimPrefix(q.URL.Path, "/")]; ok {
			_, _ = w.Write(answer)
		} else {
			http.NotFound(w, q)
		}
	}))
	t.Cleanup(server.Close)
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files, err := untar(content)
		if err != nil {
			t.Fatal(err)
		}
		description := map[string]any{}
		for _, f := range files {
			if f.name == "package/package.json" {
				if err := json.Unmarshal(f.content, &description); err != nil {
					t.Fatal(err)
				}
			}
		}
		if description["scripts"] != nil {
			t.Errorf("%s runs a script", name)
		}
		sum := sha512.Sum512(content)
		description["dist"] = map[string]string{
			"tarball": server.URL + "/" + filepath.Base(name), "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		}
		version := description["version"].(string)
		answer, err := json.Marshal(map[string]any{
			"name": description["name"], "dist-tags": map[string]any{"latest": version}, "versions": map[string]any{version: description},
		})
		if err != nil {
			t.Fatal(err)
		}
		packages[description["name"].(string)] = answer
	}
	return server
}

// TestProofNPX starts the server with the words of the documents, in an empty folder with an empty HOME, and then lets the
// MCP inspector do so.
func TestProofNPX(t *testing.T) {
	npm := registry(t)
	if _, err := exec.LookPath("npx"); err != nil {
		skip(t, "npx is not installed")
	}
	u := newUser(t)
	npx := []string{"-y", npmName, "--vault-path", u.vault}
	settings := []string{"npm_config_registry=" + npm.URL, "npm_config_update_notifier=false", "NO_PROXY=127.0.0.1"}
	server := u.command(limit(t), "npx", npx...)
	server.Env = append(server.Env, settings...)
	mustServe(t, server)

	mustInstall(t, u, settings)

	inspector := filepath.Join("..", "clients", "inspector", "node_modules", ".bin", "mcp-inspector")
	path, err := filepath.Abs(inspector)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		skip(t, "the MCP inspector is not installed: tools/clients/install")
	}
	arguments := []string{"--cli"}
	for _, setting := range settings {
		arguments = append(arguments, "-e", setting)
	}
	arguments = append(append(arguments, "npx"), npx...)
	inspect := u.command(limit(t), path, append(arguments, "--method", "tools/list")...)
	output, err := inspect.CombinedOutput()
	if err != nil || !strings.Contains(string(output), `"read_note"`) {
		t.Errorf("the inspector says %v: %s", err, output)
	}
}

// mustInstall lets npx set up a client, which must then start the server with npx, too, since npm may empty npx's cache.
func mustInstall(t *testing.T, u user, settings []string) {
	t.Helper()
	file := filepath.Join(u.home, ".cursor", "mcp.json")
	for _, step := range []struct {
		arguments []string
		isThere   bool
	}{
		{[]string{"install", "cursor", "--yes", "--vault-path", u.vault}, true},
		{[]string{"uninstall", "cursor", "--yes"}, false},
	} {
		command := u.command(limit(t), "npx", append([]string{"-y", npmName}, step.arguments...)...)
		command.Env = append(command.Env, settings...)
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", step.arguments, err, output)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), `"npx"`) != step.isThere || strings.Contains(string(content), "_npx") {
			t.Errorf("after %q the client has\n%s", step.arguments, content)
		}
	}
}

// TestProofNPXWithoutProgram says what is wrong if npm has left out the program.
func TestProofNPXWithoutProgram(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(releaseFolder(t), "obsidian-mcp-server-[0-9]*.tgz"))
	if err != nil || len(files) != 1 {
		skip(t, "the release has no packages for npm")
	}
	folder := t.TempDir()
	do(t, "tar", "-xzf", files[0], "-C", folder)
	output, err := newUser(t).command(t.Context(), "node", filepath.Join(folder, "package", "obsidian-mcp.js")).CombinedOutput()
	if err == nil || !strings.Contains(string(output), "--omit=optional") {
		t.Errorf("it says %v: %s", err, output)
	}
}
