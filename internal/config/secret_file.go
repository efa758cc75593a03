package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/fault"
)

// fileKey is the key of the config file that names a file with the value of a secret setting.
func (s Setting) fileKey() string { return s.Name + strings.ToLower(fileSuffix) }

// parseFileKey reads the name of a file that holds a secret. A relative one is below the config file's folder.
func (s Setting) parseFileKey(f *fileSettings, node *yaml.Node) error {
	name, err := parseText(s.fileKey(), node)
	if err != nil {
		return err
	}
	if *name == "" {
		return fmt.Errorf("'%s' must name a file", s.fileKey())
	}
	file := expandHome(*name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(f.name), file)
	}
	f.files[s.Name] = file
	return nil
}

// checkSecret refuses a secret that the config file gives twice, directly and as a file.
func (f *fileSettings) checkSecret(key string) error {
	name := strings.TrimSuffix(key, strings.ToLower(fileSuffix))
	_, direct := f.values[name]
	if _, inFile := f.files[name]; inFile && direct {
		return errors.New("'" + name + "' is set twice, directly and as a file")
	}
	return nil
}

// ReadSecret reads a file that holds nothing but a secret, which may be a pipe that a shell has handed to this process.
// from says where its name was given.
func ReadSecret(file, from string) (Secret, error) {
	content, err := readText(file, true)
	if err != nil {
		return "", fault.InvalidArgument.Errorf("%s: %w", from, err).WithHint("name a file that holds nothing but the secret")
	}
	value := valueIn(content)
	if value == "" {
		return "", fault.InvalidArgument.Errorf("%s: the file is empty", from).WithHint("write the secret into it")
	}
	return Secret(value), nil
}
