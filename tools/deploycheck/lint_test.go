package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func TestShippedFilesFollowTheRules(t *testing.T) {
	if err := runOnFiles("lint", root); err != nil {
		t.Error(err)
	}
}

// TestDockerfileRules breaks each rule by one change of the shipped Dockerfile.
func TestDockerfileRules(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"a base without a version", "golang:1.26.8", "golang", "name a version"},
		{"the latest base", "golang:1.26.8", "golang:latest", "name a version"},
		{"a base by its major version", "golang:1.26.8", "golang:1", "major and minor"},
		{"a base by a word", "FROM scratch", "FROM debian:stable", "major and minor"},
		{"flags of its own", "tools/compile", "go build -o", "must be built by tools/compile"},
		{"root", "USER 65532:65532\n", "", "USER is"},
		{"root by number", "USER 65532:65532", "USER 0:0", "USER is"},
		{"a user by name", "USER 65532:65532", "USER nonroot", "USER is"},
		{"a token in ENV", "ENV HOST=0.0.0.0", "ENV OBSIDIAN_MCP_TOKEN=x HOST=0.0.0.0", "does not belong in ENV"},
		{"a password in ARG", "ARG ROOT=/image", "ARG ROOT=/image PASSWORD", "does not belong in ENV"},
		{"no authentication", "ENV HOST=0.0.0.0", "ENV OBSIDIAN_MCP_INSECURE_NO_AUTH=true HOST=0.0.0.0", "disable authentication"},
		{"a health check by a shell", `CMD ["/obsidian-mcp", "health"]`, "CMD /obsidian-mcp health", "HEALTHCHECK in exec form"},
		{"a start by a shell", `ENTRYPOINT ["/obsidian-mcp"]`, "ENTRYPOINT /obsidian-mcp", "ENTRYPOINT in exec form"},
		{"a command by a shell", `CMD ["http"]`, "CMD http", "CMD must be in exec form"},
		{"another port", "EXPOSE 1065", "EXPOSE 8080", "EXPOSE must say 1065"},
		{"a command in the image", "USER 65532", "RUN true\nUSER 65532", "must not use RUN"},
		{"what BuildKit's linter finds", "AS build", "as build", "FromAsCasing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := parseDockerfile([]byte(changed(t, "Dockerfile", test.old, test.new)))
			if err != nil {
				t.Fatal(err)
			}
			mustSay(t, file.problems(), test.want)
		})
	}
}

func TestDockerfileWithAnOldCompiler(t *testing.T) {
	file, err := parseDockerfile([]byte(changed(t, "Dockerfile", "golang:1.26.8", "golang:1.26.4")))
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, file.compilerProblems("module m\n\ngo 1.26.5\n"), "requires Go 1.26.5")
}

func TestDockerfileThatDoesNotParse(t *testing.T) {
	if _, err := parseDockerfile([]byte(changed(t, "Dockerfile", "EXPOSE", "EXPOES"))); err == nil {
		t.Error("an unknown instruction was accepted")
	}
}

// TestComposeRules breaks each rule by one change of the shipped compose.yaml.
func TestComposeRules(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"the latest image", "caddy:2.11.4", "caddy:latest", "name a version"},
		{"a writable root", "read_only: true\n    cap_drop", "cap_drop", "obsidian-mcp: read_only"},
		{"root", `user: "${VAULT_UID:-1000}:${VAULT_GID:-1000}"`, `user: "0:0"`, "obsidian-mcp: user is"},
		{"capabilities", "cap_drop: [ALL]\n    security_opt", "security_opt", "cap_drop must be [ALL]"},
		{"one capability too many", "cap_add: [NET_BIND_SERVICE]", "cap_add: [SYS_ADMIN]", "cap_add is [SYS_ADMIN]"},
		{"more privileges", `security_opt: ["no-new-privileges:true"]`, "security_opt: []", "no-new-privileges"},
		{"a published port", "secrets: [token]", `secrets: [token]` + "\n    " + `ports: ["1065:1065"]`, "obsidian-mcp: only the proxy may publish ports"},
		{"no restart", "restart: unless-stopped", "labels: {}", "restart policy"},
		{"a token in the environment", "OBSIDIAN_MCP_TOKEN_FILE: /run/secrets/token", "OBSIDIAN_MCP_TOKEN: abc", "pass the secret as a file"},
		{"no authentication", "LOG_FORMAT: json", `OBSIDIAN_MCP_INSECURE_NO_AUTH: "true"`, "authentication must stay on"},
		{"a proxy that is not trusted", "OBSIDIAN_MCP_TRUSTED_PROXIES: 172.31.65.2", "OBSIDIAN_MCP_TRUSTED_PROXIES: 172.31.65.9", "caddy's address is"},
		{"another host name", `OBSIDIAN_MCP_ALLOWED_HOSTS: "${DOMAIN:-localhost}"`, "OBSIDIAN_MCP_ALLOWED_HOSTS: other", "caddy's name is"},
		{"another public URL", `"https://${DOMAIN:-localhost}"`, `"http://${DOMAIN:-localhost}"`, "OBSIDIAN_MCP_PUBLIC_URL is"},
		{"couchdb always", "profiles: [livesync]", "labels: {}", "services without a profile"},
		{"couchdb on the way out", "networks: [store]", "networks: [store, edge]", "network store only"},
		{"a store that is not internal", "store: {internal: true}", "store: {}", "must be internal"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "compose.yaml"), []byte(changed(t, "compose.yaml", test.old, test.new)), 0o600); err != nil {
				t.Fatal(err)
			}
			without, err := loadCompose(t.Context(), folder, nil)
			if err != nil {
				t.Fatal(err)
			}
			with, err := loadCompose(t.Context(), folder, []string{"livesync"})
			if err != nil {
				t.Fatal(err)
			}
			mustSay(t, composeProblems(without, with), test.want)
		})
	}
}

func TestComposeThatDoesNotParse(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "compose.yaml"), []byte(changed(t, "compose.yaml", "restart:", "restrat:")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadCompose(t.Context(), folder, nil); err == nil {
		t.Error("an unknown key was accepted")
	}
}

func TestStatic(t *testing.T) {
	if err := checkStatic("/bin/sh"); err == nil {
		t.Error("/bin/sh passed although it is linked dynamically")
	}
	if err := checkStatic("lint_test.go"); err == nil {
		t.Error("a text file passed")
	}
}

// changed returns a shipped file in which one text, which must occur, is replaced.
func changed(t *testing.T, name, old, new string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), old) {
		t.Fatalf("%s does not contain %q", name, old)
	}
	return strings.Replace(string(source), old, new, 1)
}

func mustSay(t *testing.T, problems []string, want string) {
	t.Helper()
	if !strings.Contains(strings.Join(problems, "\n"), want) {
		t.Errorf("got the problems %q, want one that contains %q", problems, want)
	}
}
