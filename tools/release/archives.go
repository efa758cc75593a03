package main

import "fmt"

// base is the name of an archive without its ending, and of the folder in it.
func (r *release) base(p platform) string {
	return fmt.Sprintf("obsidian-mcp_%s_%s_%s", r.number, p.system, p.processor)
}

func (r *release) archiveName(p platform) string {
	if p.system == "windows" {
		return r.base(p) + ".zip"
	}
	return r.base(p) + ".tar.gz"
}

// downloadURL is where the owner's release offers a file.
func (r *release) downloadURL(name string) string {
	return fmt.Sprintf("%s/releases/download/%s/%s", r.repository.url(), r.version, name)
}

// makeArchives packs the program with what belongs to it.
func (r *release) makeArchives() error {
	for _, p := range r.platforms {
		files, err := r.archiveFiles(p)
		if err != nil {
			return err
		}
		pack := tarGz
		if p.system == "windows" {
			pack = zipped
		}
		content, err := pack(inside(r.base(p), files), r.date)
		if err != nil {
			return err
		}
		if err := r.write(r.archiveName(p), p, content); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) archiveFiles(p platform) ([]file, error) {
	program, err := r.programFile(p, p.program())
	if err != nil {
		return nil, err
	}
	files := append(r.legal(), program,
		file{"man/obsidian-mcp.1", 0o644, r.texts.manual},
		file{"completions/obsidian-mcp.bash", 0o644, r.texts.completions["bash"]},
		file{"completions/_obsidian-mcp", 0o644, r.texts.completions["zsh"]},
		file{"completions/obsidian-mcp.fish", 0o644, r.texts.completions["fish"]},
		file{"completions/obsidian-mcp.ps1", 0o644, r.texts.completions["powershell"]})
	if p.system == "linux" {
		files = append(files,
			file{"systemd/obsidian-mcp.service", 0o644, r.texts.unit}, file{"systemd/env.example", 0o644, r.texts.environment})
	}
	return files, nil
}
