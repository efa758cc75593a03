package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// makeServer writes what the MCP registry gets: server.json of the sources, which is generated from the settings, with this
// release's version, repository and checksums. It names only bundles that were made.
func (r *release) makeServer() error {
	source, err := os.ReadFile("server.json")
	if err != nil {
		return err
	}
	content, err := r.describeServer(source)
	if err != nil {
		return fmt.Errorf("server.json: %w", err)
	}
	return r.write("server.json", platform{}, content)
}

func (r *release) describeServer(source []byte) ([]byte, error) {
	const version = "0.0.0"
	text := strings.NewReplacer(
		`"`+version+`"`, `"`+r.number+`"`,
		"/v"+version+"/obsidian-mcp-"+version+"-", "/"+r.version+"/obsidian-mcp-"+r.number+"-",
		`"io.github.obsidian-mcp/obsidian-mcp"`, `"`+r.repository.serverName()+`"`,
		defaultRepository.url(), r.repository.url(),
	).Replace(string(source))
	server := map[string]any{}
	if err := json.Unmarshal([]byte(text), &server); err != nil {
		return nil, err
	}
	packages, _ := server["packages"].([]any)
	var kept []any
	for _, p := range packages {
		p, ok := p.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("a package is %v", p)
		}
		if p["registryType"] == "mcpb" {
			url, _ := p["identifier"].(string)
			name := url[strings.LastIndex(url, "/")+1:]
			if !r.hasArtefact(name) {
				continue
			}
			sum, err := r.sum(name)
			if err != nil {
				return nil, err
			}
			p["fileSha256"] = sum
		}
		kept = append(kept, p)
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("there are no packages")
	}
	server["packages"] = kept
	return indented(server, "  ")
}

func (r *release) hasArtefact(name string) bool {
	for _, a := range r.artefacts {
		if a.name == name {
			return true
		}
	}
	return false
}
