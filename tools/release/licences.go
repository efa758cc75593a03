package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module that is part of a program.
type module struct {
	path, version string
	licence       string // its SPDX identifier; "" if unknown
	texts         []file // its licence and notices
}

// linkedModules reads from the programs which modules they contain, and from the module cache their licences. The
// standard library comes first.
func (r *release) linkedModules() ([]module, error) {
	versions := map[string]string{}
	for _, p := range r.platforms {
		info, err := buildinfo.ReadFile(r.programs[p])
		if err != nil {
			return nil, err
		}
		versions["std"] = strings.TrimPrefix(info.GoVersion, "go")
		for _, dependency := range info.Deps {
			if dependency.Replace != nil {
				dependency = dependency.Replace
			}
			versions[dependency.Path] = dependency.Version
		}
	}
	directories, err := moduleFolders()
	if err != nil {
		return nil, err
	}
	var modules []module
	for path, version := range versions {
		texts, err := legalTexts(directories[path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		m := module{path: path, version: version, texts: texts}
		m.licence = identify(string(texts[0].content))
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.path, b.path))
	})
	return modules, nil
}

func rank(m module) int {
	if m.path == "std" {
		return 0
	}
	return 1
}

// moduleFolders returns where the sources of the standard library and of all modules are.
func moduleFolders() (map[string]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	list, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	folders := map[string]string{"std": strings.TrimSpace(string(root))}
	for line := range strings.Lines(string(list)) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folders[path] = folder
	}
	return folders, nil
}

var (
	licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.(txt|md))?$`)
	noticeName  = regexp.MustCompile(`(?i)^(notice|patents)(\.(txt|md))?$`)
)

// legalTexts returns a module's licence, and then its notices.
func legalTexts(folder string) ([]file, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []file
	for _, form := range []*regexp.Regexp{licenceName, noticeName} {
		for _, entry := range entries {
			if !form.MatchString(entry.Name()) || entry.IsDir() {
				continue
			}
			content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				return nil, err
			}
			found = append(found, file{name: entry.Name(), content: content})
		}
	}
	if len(found) == 0 || !licenceName.MatchString(found[0].name) {
		return nil, fmt.Errorf("no licence in %s", folder)
	}
	return found, nil
}

// identify recognises the licences that modules usually have by sentences that only they contain.
func identify(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(sentence string) bool { return strings.Contains(text, sentence) }
	const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy"
	apache := has("Apache License") && (has("Version 2.0, January 2004") || has("Licensed under the Apache License, Version 2.0"))
	switch {
	case apache && has(mit):
		return "MIT AND Apache-2.0"
	case apache:
		return "Apache-2.0"
	case has("Mozilla Public License Version 2.0") || has("Mozilla Public License, version 2.0"):
		return "MPL-2.0"
	case has(mit):
		return "MIT"
	case has("Permission to use, copy, modify, and/or distribute this software") || has("Permission to use, copy, modify, and distribute this software for any purpose with or without fee"):
		return "ISC"
	case has("Redistribution and use in source and binary forms") && (has("Neither the name") || has("names of its contributors")):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	}
	return ""
}

// licences joins the texts of all modules; most licences require that programs come with them.
func licences(modules []module) []byte {
	var out bytes.Buffer
	out.WriteString("The program contains these modules, under these licences.\n")
	for _, m := range modules {
		name := m.path
		if name == "std" {
			name = "the standard library of Go"
		}
		fmt.Fprintf(&out, "\n%s\n%s %s: %s\n", strings.Repeat("=", 80), name, m.version, cmp.Or(m.licence, "see below"))
		for _, text := range m.texts {
			fmt.Fprintf(&out, "\n%s\n", bytes.TrimSpace(text.content))
		}
	}
	return out.Bytes()
}
