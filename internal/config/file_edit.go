package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/fault"
)

// NameDatabase returns the text of a config file, changed so that it names the database of to and nothing else as the
// vault. passwordFile and passphraseFile are the files of the secrets, "" for none. All other lines stay as they are.
func NameDatabase(text []byte, to LiveSync, passwordFile, passphraseFile string) ([]byte, error) {
	wanted := to.keys(passwordFile, passphraseFile)
	before, err := parseFile("the config file", text)
	if err != nil {
		return nil, err
	}
	edited, err := splice(text, wanted)
	if err != nil {
		return nil, err
	}
	after, err := parseFile("the config file", edited)
	if err != nil || !after.equalBut(before, wanted) {
		return nil, fault.InvalidArgument.Errorf("the config file cannot be changed automatically").
			WithHint("nothing was changed; write the keys of the vault on lines of their own, without quotes around the keys")
	}
	return edited, nil
}

// edit is a key of the config file and its new value; "" removes it.
type edit struct{ key, value string }

// keys returns the keys that name a vault, with their values for this database.
func (l LiveSync) keys(passwordFile, passphraseFile string) []edit {
	values := l.values()
	files := map[string]string{"couchdb_password": passwordFile, "vault_passphrase": passphraseFile}
	var all []edit
	for _, setting := range Settings() {
		_, known := values[setting.Name]
		if setting.Vault == VaultFolder || setting.Vault == VaultDatabase || known {
			if setting.Secret {
				all = append(all, edit{setting.Name, ""}, edit{setting.fileKey(), files[setting.Name]})
			} else {
				all = append(all, edit{setting.Name, values[setting.Name]})
			}
		}
	}
	return all
}

// equalBut reports whether f says what is wanted, and otherwise the same as another config file.
func (f fileSettings) equalBut(other fileSettings, wanted []edit) bool {
	for _, edit := range wanted {
		got, exists := f.values[edit.key]
		secret, isFile := strings.CutSuffix(edit.key, strings.ToLower(fileSuffix))
		if isFile {
			got = f.files[secret]
			delete(f.files, secret)
			delete(other.files, secret)
		}
		if exists != (edit.value != "") || got != edit.value {
			return false
		}
		delete(f.values, edit.key)
		delete(other.values, edit.key)
	}
	return reflect.DeepEqual(f, other)
}

// entryLines are the lines of a key at the top level of a config file, counted from 0; end is the line after the last.
type entryLines struct {
	begin, end int
	indent     string
	comment    string // at the end of the line
}

// splice changes the lines of keys. Keys that are new go to the end.
func splice(text []byte, wanted []edit) ([]byte, error) {
	found, indent, err := topLevel(text)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	lineEnd := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		lineEnd = "\r\n"
	}
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		lines[last] += lineEnd
	}
	var added []string
	for _, edit := range wanted {
		at, exists := found[edit.key]
		line := ""
		if edit.value != "" {
			value, err := yamlText(edit.value)
			if err != nil {
				return nil, err
			}
			line = indent + edit.key + ": " + value
		}
		switch {
		case exists && line != "":
			lines[at.begin] = strings.TrimRight(line+" "+at.comment, " ") + lineEnd
		case exists:
			lines[at.begin] = ""
		case line != "":
			added = append(added, line+lineEnd)
		}
		for i := at.begin + 1; exists && i < at.end; i++ {
			lines[i] = ""
		}
	}
	return []byte(strings.Join(append(lines, added...), "")), nil
}

// topLevel returns where the keys of a config file are, and their indent.
func topLevel(text []byte) (found map[string]entryLines, indent string, err error) {
	document, err := onlyDocument(text)
	if err != nil || len(document.Content) == 0 {
		return nil, "", err
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, "", nil // parseFile has accepted it, so it is empty
	}
	if top.Style&yaml.FlowStyle != 0 && len(top.Content) > 0 {
		return nil, "", fault.InvalidArgument.Errorf("the config file is written as {key: value, …}").
			WithHint("nothing was changed; write each key on a line of its own, such as `read_only: true`")
	}
	found = map[string]entryLines{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		indent = strings.Repeat(" ", key.Column-1)
		found[key.Value] = entryLines{begin: key.Line - 1, end: lastLine(value), indent: indent, comment: value.LineComment}
	}
	return found, indent, nil
}

// lastLine returns the number of the last line of a value. That of a text on several lines is not known: parsing the
// result finds what is left of it.
func lastLine(value *yaml.Node) int {
	last := value.Line
	for _, part := range value.Content {
		last = max(last, lastLine(part))
	}
	return last
}

// plainYAML matches texts that need no quotes in YAML.
var plainYAML = regexp.MustCompile(`^[a-zA-Z/][\w./@-]*(:[\w./@-]+)*$`)

// keywords are texts that YAML takes for something else than a text.
var keywords = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// yamlText writes a text as a YAML value on one line. The library could do that too, but its encoder is large.
func yamlText(text string) (string, error) {
	if plainYAML.MatchString(text) && !slices.Contains(keywords, strings.ToLower(text)) {
		return text, nil
	}
	quoted, err := json.Marshal(text) // which is YAML too
	return string(quoted), err
}

// HideSecrets returns the text of a config file without the values of secrets. The number of lines stays the same.
func HideSecrets(text string) string {
	lines := strings.SplitAfter(text, "\n")
	var secret []string
	for _, setting := range Settings() {
		if setting.Secret {
			secret = append(secret, setting.Name)
		}
	}
	inSecret := false
	for i, line := range lines {
		bare := strings.TrimRight(line, "\r\n")
		key, _, isKey := strings.Cut(strings.TrimLeft(bare, " #"), ":")
		key = strings.Trim(strings.TrimSpace(key), `"'`)
		switch {
		case isKey && slices.Contains(secret, key):
			inSecret = true
			lines[i] = bare[:strings.Index(bare, ":")+1] + " [redacted]" + line[len(bare):]
		case inSecret && strings.TrimLeft(bare, " \t") != bare:
			lines[i] = " [redacted]" + line[len(bare):] // the value goes on
		default:
			inSecret = false
		}
	}
	return strings.Join(lines, "")
}
