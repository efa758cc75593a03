package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// platform is a system and a processor, in Go's words.
type platform struct{ system, processor string }

var known = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func allPlatforms() (names []string) {
	for _, p := range known {
		names = append(names, p.system+"/"+p.processor)
	}
	return names
}

func (p platform) program() string {
	if p.system == "windows" {
		return "obsidian-mcp.exe"
	}
	return "obsidian-mcp"
}

func (r *release) of(system string) (found []platform) {
	for _, p := range r.platforms {
		if p.system == system {
			found = append(found, p)
		}
	}
	return found
}

// stamp is the environment of tools/compile.
func (r *release) stamp(p platform) []string {
	return []string{
		"GOOS=" + p.system, "GOARCH=" + p.processor,
		"VERSION=" + r.version, "COMMIT=" + r.commit, "DATE=" + r.date.Format(time.RFC3339),
	}
}

// compile builds the program for each platform, and for this machine, which prints the texts.
func (r *release) compile() error {
	r.programs = map[platform]string{}
	own := platform{runtime.GOOS, runtime.GOARCH}
	for _, p := range append(slices.Clone(r.platforms), own) {
		if r.programs[p] != "" {
			continue
		}
		folder := filepath.Join(r.work, p.system+"_"+p.processor)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		r.programs[p] = filepath.Join(folder, p.program())
		path, err := filepath.Abs(r.programs[p])
		if err != nil {
			return err
		}
		if err := run(r.stamp(p), "tools/compile", path); err != nil {
			return err
		}
	}
	return nil
}

// own returns the program for this machine.
func (r *release) own() string { return r.programs[platform{runtime.GOOS, runtime.GOARCH}] }

func (r *release) programFile(p platform, name string) (file, error) {
	content, err := os.ReadFile(r.programs[p])
	return file{name, 0o755, content}, err
}

// texts are the files beside the program.
type texts struct {
	manual, licence, notices, licences []byte
	unit, environment                  []byte // for systemd
	completions                        map[string][]byte
}

func (r *release) readTexts() error {
	for name, into := range map[string]*[]byte{
		"docs/obsidian-mcp.1": &r.texts.manual, "LICENSE": &r.texts.licence, "NOTICES.md": &r.texts.notices,
		"deploy/systemd/obsidian-mcp.service": &r.texts.unit, "deploy/systemd/env.example": &r.texts.environment,
	} {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		*into = content
	}
	r.texts.completions = map[string][]byte{}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script, err := exec.Command(r.own(), "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion %s: %w", shell, err)
		}
		r.texts.completions[shell] = script
	}
	modules, err := r.linkedModules()
	if err != nil {
		return err
	}
	r.modules = modules
	r.texts.licences = licences(modules)
	return nil
}

// legal are the texts that must accompany the program.
func (r *release) legal() []file {
	return []file{
		{"LICENSE", 0o644, r.texts.licence}, {"NOTICES.md", 0o644, r.texts.notices}, {"LICENSES.txt", 0o644, r.texts.licences},
	}
}
