package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sum returns the checksum of a file of the release.
func (r *release) sum(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(r.out, name))
	return fmt.Sprintf("%x", sha256.Sum256(content)), err
}

// makeFormula writes the formula for Homebrew, on macOS and Linux.
func (r *release) makeFormula() error {
	var out strings.Builder
	fmt.Fprintf(&out, "class ObsidianMcp < Formula\n  desc \"%s\"\n  homepage \"%s\"\n  version \"%s\"\n  license \"MIT\"\n",
		summary, r.repository.url(), r.number)
	some := false
	for _, system := range []struct{ name, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		platforms := r.of(system.name)
		if len(platforms) == 0 {
			continue
		}
		some = true
		fmt.Fprintf(&out, "\n  %s do\n", system.block)
		for _, p := range platforms {
			sum, err := r.sum(r.archiveName(p))
			if err != nil {
				return err
			}
			processor := map[string]string{"amd64": "on_intel", "arm64": "on_arm"}[p.processor]
			fmt.Fprintf(&out, "    %s do\n      url \"%s\"\n      sha256 \"%s\"\n    end\n", processor, r.downloadURL(r.archiveName(p)), sum)
		}
		out.WriteString("  end\n")
	}
	if !some {
		return nil
	}
	out.WriteString(`
  def install
    bin.install "obsidian-mcp"
    man1.install "man/obsidian-mcp.1"
    bash_completion.install "completions/obsidian-mcp.bash" => "obsidian-mcp"
    zsh_completion.install "completions/_obsidian-mcp"
    fish_completion.install "completions/obsidian-mcp.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/obsidian-mcp version")
  end
end
`)
	return r.write("obsidian-mcp.rb", platform{}, []byte(out.String()))
}

// A manifest for Scoop, on Windows.
type (
	scoop struct {
		Version      string                 `json:"version"`
		Description  string                 `json:"description"`
		Homepage     string                 `json:"homepage"`
		License      string                 `json:"license"`
		Architecture map[string]scoopSource `json:"architecture"`
		Bin          string                 `json:"bin"`
		Checkver     map[string]string      `json:"checkver"`
		Autoupdate   scoopUpdate            `json:"autoupdate"`
	}
	scoopSource struct {
		URL        string `json:"url"`
		Hash       string `json:"hash,omitempty"`
		ExtractDir string `json:"extract_dir"`
	}
	scoopUpdate struct {
		Architecture map[string]scoopSource `json:"architecture"`
		Hash         map[string]string      `json:"hash"`
	}
)

func (r *release) makeScoop() error {
	manifest := scoop{
		Version: r.number, Description: summary, Homepage: r.repository.url(), License: "MIT", Bin: "obsidian-mcp.exe",
		Architecture: map[string]scoopSource{}, Checkver: map[string]string{"github": r.repository.url()},
		Autoupdate: scoopUpdate{map[string]scoopSource{}, map[string]string{"url": "$baseurl/" + checksums}},
	}
	for _, p := range r.of("windows") {
		sum, err := r.sum(r.archiveName(p))
		if err != nil {
			return err
		}
		processor := map[string]string{"amd64": "64bit", "arm64": "arm64"}[p.processor]
		source := scoopSource{URL: r.downloadURL(r.archiveName(p)), ExtractDir: r.base(p)}
		next := func(text string) string { return strings.ReplaceAll(text, r.number, "$version") }
		manifest.Autoupdate.Architecture[processor] = scoopSource{URL: next(source.URL), ExtractDir: next(source.ExtractDir)}
		source.Hash = sum
		manifest.Architecture[processor] = source
	}
	if len(manifest.Architecture) == 0 {
		return nil
	}
	content, err := indented(manifest, "    ")
	if err != nil {
		return err
	}
	return r.write("obsidian-mcp.scoop.json", platform{}, content)
}

const checksums = "SHA256SUMS"

// makeChecksums lists the checksums of all files, in the form that sha256sum checks, and removes the intermediate files.
func (r *release) makeChecksums() error {
	if err := os.RemoveAll(r.work); err != nil {
		return err
	}
	var out strings.Builder
	for _, a := range r.sortedArtefacts() {
		sum, err := r.sum(a.name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", sum, a.name)
	}
	return os.WriteFile(filepath.Join(r.out, checksums), []byte(out.String()), 0o644)
}
