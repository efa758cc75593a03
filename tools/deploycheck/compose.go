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

// loadCompose reads compose.yaml, and what is put over it, as `docker compose
// --profile …` would, with no variables but its own defaults.
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

// composeProblems are all the ways in which compose.yaml breaks a promise: read
// without a profile, and with livesync.
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
		wrong("the profile livesync must bring couchdb")
	} else if networks := slices.Sorted(maps.Keys(couchdb.Networks)); !slices.Equal(networks, []string{"store"}) || !bool(with.Networks["store"].Internal) {
		wrong("couchdb must be on the network store alone, and that must be internal")
	}
	checkProxy(with, wrong)
	return problems
}

// overlayProblems are the ways in which compose.livesync.yaml breaks a promise:
// the program is to serve the database alone, and may reach it.
func overlayProblems(project *types.Project) (problems []string) {
	wrong := func(format string, args ...any) {
		problems = append(problems, "compose.livesync.yaml: "+fmt.Sprintf(format, args...))
	}
	program := project.Services["obsidian-mcp"]
	checkService(program, wrong)
	if folder := program.Environment["OBSIDIAN_VAULT_PATH"]; folder == nil || *folder != "" {
		wrong("the image names a folder, which OBSIDIAN_VAULT_PATH must take back")
	}
	if _, reaches := program.Networks["store"]; !reaches {
		wrong("obsidian-mcp must be on the network store, where couchdb is")
	}
	if server := program.Environment["COUCHDB_BASE_URL"]; server == nil || *server != "http://couchdb:5984" {
		wrong("COUCHDB_BASE_URL must name the service couchdb")
	}
	return problems
}

// A service may be excused from a rule, by name and with a reason.
var (
	writableRoot = map[string]string{"couchdb": "its image is not made for a read-only root"}
	rootUser     = map[string]string{"caddy": "its volumes belong to root; all capabilities but one are taken away"}
	published    = map[string]string{"caddy": "the one door"}
)

func checkService(service types.ServiceConfig, wrong func(string, ...any)) {
	if service.Build == nil {
		if why := unpinned(service.Image); why != "" {
			wrong("image %s: %s", service.Image, why)
		}
		if service.HealthCheck == nil {
			wrong("it needs a healthcheck")
		}
	}
	if !service.ReadOnly && writableRoot[service.Name] == "" {
		wrong("read_only must be true")
	}
	if !numericUser.MatchString(service.User) && rootUser[service.Name] == "" {
		wrong("user is %q, and must be a number other than 0", service.User)
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
		wrong("it must be neither privileged nor on the host's network")
	}
	if len(service.Ports) > 0 && published[service.Name] == "" {
		wrong("no ports may be published but the proxy's")
	}
	if service.Restart == "" || service.Restart == "no" {
		wrong("it needs a restart policy")
	}
	checkEnvironment(service, wrong)
}

// checkEnvironment looks for secrets that are not files: an environment shows in
// `docker inspect`.
func checkEnvironment(service types.ServiceConfig, wrong func(string, ...any)) {
	for name, value := range service.Environment {
		if name == "OBSIDIAN_MCP_INSECURE_NO_AUTH" {
			wrong("%s: authentication must stay on", name)
		}
		if !secretName.MatchString(name) {
			continue
		}
		if !strings.HasSuffix(name, "_FILE") || value == nil || !strings.HasPrefix(*value, "/run/secrets/") {
			wrong("%s: give the secret as a file, /run/secrets/…", name)
		}
	}
	for _, secret := range service.Secrets {
		if secret.Source == "" {
			wrong("a secret has no source")
		}
	}
}

// checkProxy holds together what the program and its proxy must agree on: whose
// word on a client's address counts, and under which name clients come.
func checkProxy(project *types.Project, wrong func(string, ...any)) {
	program, proxy := project.Services["obsidian-mcp"], project.Services["caddy"]
	if variable(program, "OBSIDIAN_MCP_TOKEN_FILE") == "" {
		wrong("obsidian-mcp must be given a token")
	}
	address := ""
	if front := proxy.Networks["front"]; front != nil {
		address = front.Ipv4Address
	}
	if trusted := variable(program, "OBSIDIAN_MCP_TRUSTED_PROXIES"); address == "" || trusted != address {
		wrong("OBSIDIAN_MCP_TRUSTED_PROXIES is %q, and caddy's address is %q", trusted, address)
	}
	domain := variable(proxy, "DOMAIN")
	if hosts := variable(program, "OBSIDIAN_MCP_ALLOWED_HOSTS"); domain == "" || hosts != domain {
		wrong("OBSIDIAN_MCP_ALLOWED_HOSTS is %q, and caddy's name is %q", hosts, domain)
	}
	if url := variable(program, "OBSIDIAN_MCP_PUBLIC_URL"); url != "https://"+domain {
		wrong("OBSIDIAN_MCP_PUBLIC_URL is %q, and caddy's name is %q", url, domain)
	}
}

func variable(service types.ServiceConfig, name string) string {
	if value := service.Environment[name]; value != nil {
		return *value
	}
	return ""
}
