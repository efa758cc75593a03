package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// bundles are what Claude Desktop opens. A bundle names systems but not processors, see tools/mcpb/build.
var bundles = []struct {
	name  string
	needs []platform
}{
	{"macos", []platform{{"darwin", "amd64"}, {"darwin", "arm64"}}},
	{"windows", []platform{{"windows", "amd64"}}},
	{"linux-amd64", []platform{{"linux", "amd64"}}},
	{"linux-arm64", []platform{{"linux", "arm64"}}},
}

// makeBundles packs the bundles that tools/mcpb/build lays out and checks. The official packer would write the time of
// day into them.
func (r *release) makeBundles() error {
	var names []string
	for _, bundle := range bundles {
		complete := true
		for _, p := range bundle.needs {
			complete = complete && r.has(p)
		}
		if complete {
			names = append(names, bundle.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if err := os.WriteFile(filepath.Join(r.work, "LICENSES.txt"), r.texts.licences, 0o644); err != nil {
		return err
	}
	if err := run([]string{"VERSION=" + r.version, "LAYOUT=" + r.work, "PROGRAM=" + r.own()}, "tools/mcpb/build", names...); err != nil {
		return err
	}
	for _, name := range names {
		files, err := readFolder(filepath.Join(r.work, "bundles", name))
		if err != nil {
			return err
		}
		content, err := zipped(withoutParents(files), r.date)
		if err != nil {
			return err
		}
		if err := r.write(r.bundleName(name), platform{}, content); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) bundleName(name string) string {
	return fmt.Sprintf("obsidian-mcp-%s-%s.mcpb", r.number, name)
}

func (r *release) has(p platform) bool {
	for _, own := range r.platforms {
		if own == p {
			return true
		}
	}
	return false
}

// readFolder reads a folder and what is in it. The modes of its files are those that all users get: what somebody may
// execute is a program.
func readFolder(folder string) (files []file, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(folder)+"/")
		if entry.IsDir() {
			files = append(files, file{name, info.Mode(), nil})
			return nil
		}
		content, err := os.ReadFile(path)
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		files = append(files, file{name, mode, content})
		return err
	})
	return files, err
}
