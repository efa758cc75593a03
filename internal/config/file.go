package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/fault"
)

// fileSettings is the content of a config file.
type fileSettings struct {
	name   string
	values map[string]string
	files  map[string]string // names of files that hold secrets, by the setting's name
	rules  []TagRule
	tokens []Token
	users  []User
	layout Layout

	outside Outside
	app     App // taken if hasApp
	hasApp  bool
}

// FileName is the name of the config file in the user's config folder.
const FileName = "obsidian-mcp.yaml"

// OwnFile returns the name of the user's own config file, which need not exist.
func OwnFile() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fault.InvalidArgument.Errorf("the user's config folder is unknown: %w", err).
			WithHint("name a config file with --config")
	}
	return filepath.Join(folder, FileName), nil
}

// readFile reads a config file. The user's own may be absent.
func readFile(name string, pipes bool) (fileSettings, error) {
	own := name == ""
	if own {
		var err error
		if name, err = OwnFile(); err != nil {
			return fileSettings{}, nil
		}
	}
	content, err := readText(name, pipes)
	if own && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
		return fileSettings{}, nil
	}
	if err != nil {
		return fileSettings{}, unreadable(own, err)
	}
	return parseFile(name, content)
}

func unreadable(own bool, err error) error {
	if own {
		return fault.InvalidArgument.Errorf("the config file cannot be read: %w", err).
			WithHint("make it readable, or name another file with --config")
	}
	return fault.InvalidArgument.Errorf("--config: %w", err).
		WithHint("name a readable file; without --config, %s in the user's config folder is read", FileName)
}

func parseFile(name string, content []byte) (fileSettings, error) {
	settings := fileSettings{name: name, values: map[string]string{}, files: map[string]string{}}
	document, err := onlyDocument(content)
	if further, ok := errors.AsType[*furtherDocument](err); ok {
		return settings, fault.InvalidArgument.
			Errorf("%s, line %d: a second document begins here, which would be ignored", name, further.line).
			WithHint("remove the line with `---` or `...` before it")
	}
	if err != nil {
		return settings, fault.InvalidArgument.Errorf("%s%s", name, yamlProblem(content, err)).
			WithHint("the config file has lines such as `read_only: true`; --help lists the settings")
	}
	if len(document.Content) == 0 {
		return settings, nil
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return settings, fault.InvalidArgument.Errorf("%s: the file must contain keys and values", name).
			WithHint("write lines such as `read_only: true`; --help lists the settings")
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if err := cmp.Or(settings.add(key, value), settings.checkSecret(key.Value)); err != nil {
			return settings, fault.InvalidArgument.Errorf("%s, line %d: %s", name, key.Line, decodingProblem(err)).
				WithHint("correct that line; --help lists the settings")
		}
	}
	if settings.hasApp {
		settings.outside.App = &settings.app
	}
	return settings, nil
}

// furtherDocument is a second document in a file that may have only one.
type furtherDocument struct{ line int }

func (f *furtherDocument) Error() string {
	return fmt.Sprintf("a second document begins on line %d", f.line)
}

// onlyDocument reads a file with one document. A second one may contain limits, so it
// must not be ignored.
func onlyDocument(content []byte) (yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var first yaml.Node
	if err := decoder.Decode(&first); err != nil && !errors.Is(err, io.EOF) {
		return first, err
	}
	for {
		var next yaml.Node
		err := decoder.Decode(&next)
		switch {
		case errors.Is(err, io.EOF):
			return first, nil
		case err != nil:
			return first, err
		case len(next.Content) > 0 && next.Content[0].Tag != "!!null":
			return first, &furtherDocument{next.Content[0].Line}
		}
	}
}

func (f *fileSettings) add(key, value *yaml.Node) error {
	if _, twice := f.values[key.Value]; twice {
		return fmt.Errorf("'%s' is set twice", key.Value)
	}
	parsers := fileOnly()
	for _, setting := range Settings() {
		parsers[setting.Name] = setting.fromFile
		if setting.Secret {
			parsers[setting.fileKey()] = setting.parseFileKey
		}
	}
	parse, ok := parsers[key.Value]
	switch {
	case !ok:
		return unknownKey(key.Value, slices.Sorted(maps.Keys(parsers)))
	case parse != nil:
		f.values[key.Value] = "" // so that a second one is noticed
		return parse(f, value)
	}
	switch value.Kind {
	case yaml.ScalarNode:
		f.values[key.Value] = value.Value
	case yaml.SequenceNode:
		var items []string
		if err := value.Decode(&items); err != nil {
			return err
		}
		f.values[key.Value] = strings.Join(items, ",")
	default:
		return fmt.Errorf("'%s' must be a value", key.Value)
	}
	return nil
}

// fileOnly returns the keys that only the config file has, with their parsers.
func fileOnly() map[string]func(*fileSettings, *yaml.Node) error {
	keys := map[string]func(*fileSettings, *yaml.Node) error{
		"tag_rules": func(f *fileSettings, node *yaml.Node) (err error) { f.rules, err = parseRules(node); return err },
		"version":   func(_ *fileSettings, node *yaml.Node) error { return checkFileVersion(node) },
		"tokens":    func(f *fileSettings, node *yaml.Node) (err error) { f.tokens, err = parseTokens(node); return err },
	}
	maps.Copy(keys, layoutKeys())
	maps.Copy(keys, outsideKeys())
	return keys
}

// FileVersion is the version of the config file's format. A file need not state it.
const FileVersion = 1

func checkFileVersion(node *yaml.Node) error {
	var version int
	switch err := node.Decode(&version); {
	case err != nil || version < 1:
		return fmt.Errorf("version is the file's format, a number; this program reads %d", FileVersion)
	case version > FileVersion:
		return fmt.Errorf("the file is for a newer version of obsidian-mcp: it has format %d, and this program reads %d", version, FileVersion)
	}
	return nil
}

func unknownKey(key string, valid []string) error {
	if near := fault.Nearest(key, valid); near != "" {
		return fmt.Errorf("unknown setting '%s' (did you mean '%s'?)", key, near)
	}
	for _, setting := range Settings() {
		if slices.Contains(setting.Variables, strings.ToUpper(key)) {
			return fmt.Errorf("unknown setting '%s' (did you mean '%s'?)", key, setting.Name)
		}
	}
	return fmt.Errorf("unknown setting '%s'", key)
}

func parseRules(node *yaml.Node) ([]TagRule, error) {
	if node.Tag == "!!null" {
		return []TagRule{}, nil
	}
	if node.Kind != yaml.MappingNode {
		return nil, errors.New("tag_rules must map tags to rules")
	}
	rules := []TagRule{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		var fields map[string]yaml.Node
		if err := node.Content[i+1].Decode(&fields); err != nil {
			return nil, err
		}
		rule := TagRule{Tag: node.Content[i].Value}
		for key, value := range fields {
			into := map[string]any{"name_prefix": &rule.NamePrefix, "requires": &rule.Requires, "error": &rule.Error}[key]
			if into == nil {
				err := unknownKey(key, []string{"name_prefix", "requires", "error"})
				return nil, fmt.Errorf("rule '%s': %w", rule.Tag, err)
			}
			if err := value.Decode(into); err != nil {
				return nil, fmt.Errorf("rule '%s': %s: %w", rule.Tag, key, err)
			}
		}
		if rule.Error == "" {
			rule.Error = fmt.Sprintf("Tag '%s' is not allowed on this note.", rule.Tag)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}
