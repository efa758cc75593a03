package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// loadCompose reads compose.yaml and files that override it, as `docker compose --profile …` does, with the defaults of
// all variables.
func loadCompose(ctx context.Context, root string, profiles []string, over ...string) (*types.Project, error) {
	files := []string{filepath.Join(root, "compose.yaml")}
	for _, name := range over {
		files = append(files, filepath.Join(root, name))
	}
	options, err := cli.NewProjectOptions(files, cli.WithProfiles(profiles))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(ctx)
}

// composeProblems lists the rules that compose.yaml breaks, without a profile or with the profile livesync.
func composeProblems(without, with *types.Project) (problems []string) {
	wrong := func(format string, args ...any) {
		problems = append(problems, "compose.yaml: "+fmt.Sprintf(format, args...))
	}
	if names := without.ServiceNames(); !slices.Equal(names, []string{"caddy", "obsidian-mcp"}) {
		wrong("the services without a profile are %v", names)
	}
	for _, name := range with.ServiceNames() {
		checkService(with.Services[name], func(format string, args ...any) { wrong(name+": "+format, args...) })
	}
	if couchdb, ok := with.Services["couchdb"]; !ok {
		wrong("the profile livesync must add couchdb")
	} else if networks := slices.Sorted(maps.Keys(couchdb.Networks)); !slices.Equal(networks, []string{"store"}) || !bool(with.Networks["store"].Internal) {
		wrong("couchdb must be on the network store only, and that network must be internal")
	}
	checkProxy(with, wrong)
	return problems
}

// overlayProblems lists the rules that compose.livesync.yaml breaks: the program must serve only the database, and be
// able to reach it.
func overlayProblems(project *types.Project) (problems []string) {
	wrong := func(format string, args ...any) {
		problems = append(problems, "compose.livesync.yaml: "+fmt.Sprintf(format, args...))
	}
	program := project.Services["obsidian-mcp"]
	checkService(program, wrong)
	if folder := program.Environment["OBSIDIAN_VAULT_PATH"]; folder == nil || *folder != "" {
		wrong("OBSIDIAN_VAULT_PATH must be empty, because the image sets a folder")
	}
	if _, reaches := program.Networks["store"]; !reaches {
		wrong("obsidian-mcp must be on the network store, where couchdb is")
	}
	if server := program.Environment["COUCHDB_BASE_URL"]; server == nil || *server != "http://couchdb:5984" {
		wrong("COUCHDB_BASE_URL must name the service couchdb")
	}
	return problems
}

// Exceptions from rules: services by name, each with the reason.
var (
	writableRoot = map[string]string{"couchdb": "its image is not made for a read-only root"}
	rootUser     = map[string]string{"caddy": "its volumes belong to root; it has only one capability"}
	published    = map[string]string{"caddy": "the proxy"}
)

func checkService(service types.ServiceConfig, wrong func(string, ...any)) {
	if service.Build == nil {
		if why := unpinned(service.Image); why != "" {
			wrong("image %s: %s", service.Image, why)
		}
		if service.HealthCheck == nil {
			wrong("a healthcheck is missing")
		}
	}
	if !service.ReadOnly && writableRoot[service.Name] == "" {
		wrong("read_only must be true")
	}
	if !numericUser.MatchString(service.User) && rootUser[service.Name] == "" {
		wrong("user is %q, but must be a number other than 0", service.User)
	}
	if !slices.Equal(service.CapDrop, []string{"ALL"}) {
		wrong("cap_drop must be [ALL]")
	}
	if slices.ContainsFunc(service.CapAdd, func(name string) bool { return name != "NET_BIND_SERVICE" }) {
		wrong("cap_add is %v", service.CapAdd)
	}
	if !slices.Contains(service.SecurityOpt, "no-new-privileges:true") {
		wrong("security_opt must have no-new-privileges:true")
	}
	if service.Privileged || service.NetworkMode == "host" {
		wrong("the service must not be privileged or use the host's network")
	}
	if len(service.Ports) > 0 && published[service.Name] == "" {
		wrong("only the proxy may publish ports")
	}
	if service.Restart == "" || service.Restart == "no" {
		wrong("a restart policy is missing")
	}
	checkEnvironment(service, wrong)
}

// checkEnvironment looks for secrets that are not files, because `docker inspect` shows the environment.
func checkEnvironment(service types.ServiceConfig, wrong func(string, ...any)) {
	for name, value := range service.Environment {
		if name == "OBSIDIAN_MCP_INSECURE_NO_AUTH" {
			wrong("%s: authentication must stay on", name)
		}
		if !secretName.MatchString(name) {
			continue
		}
		if !strings.HasSuffix(name, "_FILE") || value == nil || !strings.HasPrefix(*value, "/run/secrets/") {
			wrong("%s: pass the secret as a file, /run/secrets/…", name)
		}
	}
	for _, secret := range service.Secrets {
		if secret.Source == "" {
			wrong("a secret has no source")
		}
	}
}

// checkProxy compares the settings that the program and its proxy must agree on: the proxy's address and the host name.
func checkProxy(project *types.Project, wrong func(string, ...any)) {
	program, proxy := project.Services["obsidian-mcp"], project.Services["caddy"]
	if variable(program, "OBSIDIAN_MCP_TOKEN_FILE") == "" {
		wrong("obsidian-mcp has no token")
	}
	address := ""
	if front := proxy.Networks["front"]; front != nil {
		address = front.Ipv4Address
	}
	if trusted := variable(program, "OBSIDIAN_MCP_TRUSTED_PROXIES"); address == "" || trusted != address {
		wrong("OBSIDIAN_MCP_TRUSTED_PROXIES is %q, but caddy's address is %q", trusted, address)
	}
	domain := variable(proxy, "DOMAIN")
	if hosts := variable(program, "OBSIDIAN_MCP_ALLOWED_HOSTS"); domain == "" || hosts != domain {
		wrong("OBSIDIAN_MCP_ALLOWED_HOSTS is %q, but caddy's name is %q", hosts, domain)
	}
	if url := variable(program, "OBSIDIAN_MCP_PUBLIC_URL"); url != "https://"+domain {
		wrong("OBSIDIAN_MCP_PUBLIC_URL is %q, but caddy's name is %q", url, domain)
	}
}

func variable(service types.ServiceConfig, name string) string {
	if value := service.Environment[name]; value != nil {
		return *value
	}
	return ""
}
