package main

import (
	_ "embed"
	"fmt"
)

const npmName = "@obsidian-mcp/server"

var (
	//go:embed npm/obsidian-mcp.js
	npmLauncher []byte
	//go:embed npm/README.md
	npmReadme []byte

	npmSystems    = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	npmProcessors = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// npmPackage is a package.json.
type npmPackage struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	ServerName  string            `json:"mcpName,omitempty"` // shows the MCP registry who owns the package
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	Keywords    []string          `json:"keywords,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Systems     []string          `json:"os,omitempty"`
	Processors  []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Publish     map[string]string `json:"publishConfig"`
}

// makeNPM makes a package for each platform, which contains the program, and the one that people name, which starts it.
// npm installs only that for its own platform.
func (r *release) makeNPM() error {
	programs := map[string]string{}
	for _, p := range r.platforms {
		machine := npmSystems[p.system] + "-" + npmProcessors[p.processor]
		description := r.npmPackage(npmName+"-"+machine, "The program of "+npmName+" for "+machine)
		description.Systems, description.Processors = []string{npmSystems[p.system]}, []string{npmProcessors[p.processor]}
		program, err := r.programFile(p, p.program())
		if err != nil {
			return err
		}
		if err := r.packNPM("obsidian-mcp-server-"+machine, p, description, append(r.legal(), program)); err != nil {
			return err
		}
		programs[description.Name] = r.number
	}
	main := r.npmPackage(npmName, summary)
	main.ServerName = r.repository.serverName()
	main.Keywords = []string{"mcp", "mcp-server", "obsidian", "markdown", "notes", "livesync", "couchdb"}
	main.Bin = map[string]string{"obsidian-mcp": "obsidian-mcp.js"}
	main.Engines = map[string]string{"node": ">=18"}
	main.Optional = programs
	return r.packNPM("obsidian-mcp-server", platform{}, main, []file{
		{"obsidian-mcp.js", 0o755, npmLauncher}, {"README.md", 0o644, npmReadme}, {"LICENSE", 0o644, r.texts.licence},
	})
}

func (r *release) npmPackage(name, about string) npmPackage {
	return npmPackage{
		Name: name, Version: r.number, Description: about, License: "MIT", Homepage: r.repository.url(),
		Repository: map[string]string{"type": "git", "url": "git+" + r.repository.url() + ".git"},
		Publish:    map[string]string{"access": "public"},
	}
}

// packNPM writes a package as npm pack would.
func (r *release) packNPM(base string, p platform, description npmPackage, files []file) error {
	content, err := indented(description, "  ")
	if err != nil {
		return err
	}
	files = append(files, file{"package.json", 0o644, content})
	archive, err := tarGz(inside("package", files), r.date)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s-%s.tgz", base, r.number), p, archive)
}
