package docgen

import (
	"bytes"
	"encoding/json"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install/clients"
)

// The description of the server for the MCP registry, in the format of
// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json.
type (
	registryServer struct {
		Schema      string            `json:"$schema"`
		Name        string            `json:"name"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Version     string            `json:"version"`
		Repository  map[string]string `json:"repository"`
		Packages    []registryPackage `json:"packages"`
	}
	registryPackage struct {
		Type        string             `json:"registryType"`
		Identifier  string             `json:"identifier"`
		Version     string             `json:"version"`
		FileSHA256  string             `json:"fileSha256,omitempty"`
		RuntimeHint string             `json:"runtimeHint,omitempty"`
		Transport   map[string]string  `json:"transport"`
		Variables   []registryVariable `json:"environmentVariables,omitempty"`
	}
	registryVariable struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Format      string   `json:"format,omitempty"`
		Placeholder string   `json:"placeholder,omitempty"`
		Choices     []string `json:"choices,omitempty"`
		Secret      bool     `json:"isSecret,omitempty"`
	}
)

// RegistryServer returns what the MCP registry shows of the server. A release replaces the version 0.0.0, the repository
// and the checksums.
func RegistryServer() (string, error) {
	const (
		repository = "obsidian-mcp/obsidian-mcp"
		download   = "https://github.com/" + repository + "/releases/download/v0.0.0/"
		version    = "0.0.0"
	)
	stdio := map[string]string{"type": "stdio"}
	server := registryServer{
		Schema:      "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:        "io.github.obsidian-mcp/obsidian-mcp",
		Title:       "Obsidian notes",
		Description: "Read, search, link and edit an Obsidian vault, folder or LiveSync; every change can be undone",
		Version:     version,
		Repository:  map[string]string{"url": "https://github.com/" + repository, "source": "github"},
		Packages: []registryPackage{{
			Type: "npm", Identifier: clients.Package, Version: version, RuntimeHint: "npx", Transport: stdio,
			Variables: registryVariables(),
		}},
	}
	// What a bundle needs to know, its own manifest asks.
	for _, platform := range []string{"macos", "windows", "linux-amd64", "linux-arm64"} {
		server.Packages = append(server.Packages, registryPackage{
			Type: "mcpb", Identifier: download + "obsidian-mcp-" + version + "-" + platform + ".mcpb", Version: version,
			FileSHA256: strings.Repeat("0", 64), Transport: stdio,
		})
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(server)
	return out.String(), err
}

// registryVariables describes the settings of a server over stdio. A default is part of the description only: clients pass
// the field "default" on, and then it would override the user's config file.
func registryVariables() (variables []registryVariable) {
	formats := map[config.Kind]string{config.KindBool: "boolean", config.KindFolder: "filepath", config.KindFile: "filepath"}
	for _, setting := range config.Settings() {
		if setting.HTTPOnly || len(setting.Variables) == 0 {
			continue
		}
		variable := registryVariable{
			Name: setting.Variables[0], Description: setting.About, Format: formats[setting.Kind],
			Choices: setting.Valid, Secret: setting.Secret,
		}
		if setting.Default != "" {
			variable.Description += " (default: " + setting.Default + ")"
		}
		variable.Description = strings.ReplaceAll(variable.Description, "`", "")
		if setting.Vault == config.VaultFolder && setting.Kind == config.KindFolder {
			variable.Placeholder = "/path/to/vault"
		}
		variables = append(variables, variable)
	}
	return variables
}
