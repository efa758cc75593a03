package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// example is a release of small programs that nothing has compiled.
func example(t *testing.T) *release {
	t.Helper()
	r := &release{
		version: "v1.2.3-rc.1", number: "1.2.3-rc.1", commit: "0123abcd", date: time.Unix(1_800_000_000, 0).UTC(),
		repository: defaultRepository, platforms: known, out: filepath.Join(t.TempDir(), "dist"), programs: map[platform]string{},
	}
	if err := r.begin(); err != nil {
		t.Fatal(err)
	}
	for _, p := range known {
		r.programs[p] = filepath.Join(r.work, p.system+p.processor)
		if err := os.WriteFile(r.programs[p], bytes.Repeat([]byte(p.system+p.processor), 10_000), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text := func(name string) []byte { return []byte("the file " + name + "\n") }
	r.texts = texts{
		text("manual"), text("licence"), text("notices"), text("licences"),
		[]byte("# How to install it.\n\n[Service]\n" + ownProgram + "http\n"), text("environment"), map[string][]byte{},
	}
	r.modules = []module{{"std", "1.26.8", "BSD-3-Clause", nil}, {"example.org/Some/module", "v1.0.0", "", nil}}
	return r
}

func (r *release) makeMost(t *testing.T) {
	t.Helper()
	for _, step := range []func() error{
		r.makeArchives, r.makeDebs, r.makeRPMs, r.makeNPM, r.makeFormula, r.makeScoop, r.makeSBOM, r.makeChecksums,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheSameSourcesGiveTheSameBytes(t *testing.T) {
	first, second := example(t), example(t)
	first.makeMost(t)
	second.makeMost(t)
	for _, a := range append(first.sortedArtefacts(), artefact{name: checksums}) {
		one, err := os.ReadFile(filepath.Join(first.out, a.name))
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(second.out, a.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, other) {
			t.Errorf("%s differs", a.name)
		}
	}
}

// TestListing compares what an example contains with the expected list, which the real release is compared with, too.
func TestListing(t *testing.T) {
	r := example(t)
	r.makeMost(t)
	if err := r.compareWithExpected(); err == nil || !strings.Contains(err.Error(), "obsidian-mcp-VERSION-macos.mcpb is missing") {
		t.Fatalf("without the bundles, the comparison says %v", err)
	} else if strings.Contains(err.Error(), "contains\n") || strings.Contains(err.Error(), "is new") {
		t.Error(err)
	}
	r.platforms = known[:2]
	if err := r.compareWithExpected(); err != nil {
		t.Error(err)
	}
	r.texts.completions["bash"] = nil
	content, err := tarGz([]file{{"one", 0o644, nil}}, r.date)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.out, r.archiveName(known[0])), content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.compareWithExpected(); err == nil || !strings.Contains(err.Error(), "contains\n\t-rw-r--r-- one\nwant\n") {
		t.Errorf("with another archive, the comparison says %v", err)
	}
}

func TestWhatIsPackedComesOutAgain(t *testing.T) {
	files := []file{{"a/b", 0o755, []byte("program")}, {"a/empty", fs.ModeDir | fs.ModeSticky | 0o777, []byte{}}, {"z", 0o644, []byte{}}}
	date := time.Unix(1_800_000_000, 0)
	tarred, err := tarGz(slices.Clone(files), date)
	if err != nil {
		t.Fatal(err)
	}
	debian := arArchive(date, []file{{"odd", 0o644, []byte("x")}, {"data.tar.gz", 0o644, tarred}})
	for name, content := range map[string][]byte{"x.tar.gz": tarred, "x.deb": debian} {
		got, err := unpack(name, content)
		if err != nil {
			t.Fatal(err)
		}
		equal := func(a, b file) bool { return a.name == b.name && a.mode == b.mode && bytes.Equal(a.content, b.content) }
		if !slices.EqualFunc(sorted(got), files, equal) {
			t.Errorf("%s: got %v, want %v", name, got, files)
		}
	}
	for name, content := range map[string]string{"x.deb": "!<arch>\nshort", "y.deb": "text", "x.rpm": "text", "x.zip": "text", "x.tgz": "text"} {
		if _, err := unpack(name, []byte(content)); err == nil {
			t.Errorf("%s with %q is not refused", name, content)
		}
	}
}

func TestVersionsAndPlatforms(t *testing.T) {
	for _, version := range []string{"", "1.2.3", "v1.2", "v1.2.3+x", "v01.2.3", "v1.2.3-", "v1.2.3 -X a=b"} {
		if _, err := newRelease(version, "linux/amd64", "dist"); err == nil {
			t.Errorf("the version %q is not refused", version)
		}
	}
	for _, platforms := range []string{"", "linux", "linux/386,linux/amd64", "plan9/amd64"} {
		if _, err := newRelease("v1.2.3", platforms, "dist"); err == nil {
			t.Errorf("the platforms %q are not refused", platforms)
		}
	}
	t.Setenv("GITHUB_REPOSITORY", "no owner")
	if _, err := newRelease("v1.2.3", "linux/amd64", "dist"); err == nil {
		t.Error("a repository without an owner is not refused")
	}
}

func TestOnlyReleasesAreReplaced(t *testing.T) {
	r := example(t)
	if err := r.begin(); err != nil {
		t.Errorf("a release cannot be replaced: %v", err)
	}
	r.out = t.TempDir()
	kept := filepath.Join(r.out, "notes.md")
	if err := os.WriteFile(kept, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.begin(); err == nil {
		t.Error("another folder is replaced")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestLicences(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted, free of charge, to any person\nobtaining a copy": "MIT",
		"Apache License\n Version 2.0, January 2004":                                    "Apache-2.0",
		"Redistribution and use in source and binary forms … Neither the name of":       "BSD-3-Clause",
		"Redistribution and use in source and binary forms":                             "BSD-2-Clause",
		"All rights reserved.": "",
	} {
		if got := identify(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestModulesAreNamed reads the list of modules back.
func TestModulesAreNamed(t *testing.T) {
	r := example(t)
	r.makeMost(t)
	content, err := os.ReadFile(filepath.Join(r.out, "obsidian-mcp_1.2.3-rc.1.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list bom
	if err := json.Unmarshal(content, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Components) != 2 || list.Components[1].Package != "pkg:golang/example.org/some/module@v1.0.0" || len(list.Components[1].Licences) != 0 {
		t.Errorf("the components are %+v", list.Components)
	}
}

func TestManifestsHaveTheRightHashes(t *testing.T) {
	r := example(t)
	r.makeMost(t)
	for manifest, platforms := range map[string][]platform{"obsidian-mcp.rb": known[:4], "obsidian-mcp.scoop.json": known[4:]} {
		content, err := os.ReadFile(filepath.Join(r.out, manifest))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range platforms {
			sum, err := r.sum(r.archiveName(p))
			if err != nil {
				t.Fatal(err)
			}
			_, after, found := strings.Cut(string(content), "/v1.2.3-rc.1/"+r.archiveName(p))
			if !found || !strings.Contains(after[:min(len(after), 100)], sum) {
				t.Errorf("%s does not have the checksum of %s behind its URL", manifest, r.archiveName(p))
			}
		}
	}
}
