package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Grant says what a caller may do, as set in the config file.
type Grant struct {
	ReadOnly bool
	Allow    []string // folders or globs; empty for all
	Deny     []string // wins over Allow
	Toolsets []string // empty for all that the server offers
}

// Token is a bearer token of the config file.
type Token struct {
	Name    string
	SHA256  string
	Expires time.Time // zero for never
	Grant   Grant
}

// User is a user of the OAuth issuer.
type User struct {
	Subject string // or a verified e-mail address
	Grant   Grant
}

// parseTokens reads the list of tokens.
func parseTokens(node *yaml.Node) ([]Token, error) {
	return parseList(node, "tokens", func(item *yaml.Node) (Token, error) {
		var token Token
		var expires string
		fields := grantFields(&token.Grant)
		fields["name"], fields["sha256"], fields["expires"] = &token.Name, &token.SHA256, &expires
		if err := decodeFields(item, fields); err != nil {
			return token, err
		}
		if token.Name == "" || token.SHA256 == "" {
			return token, errors.New("a token needs name and sha256 (`obsidian-mcp token new` prints both)")
		}
		var err error
		token.Expires, err = parseTime(expires)
		return token, err
	})
}

// parseUsers reads the list of OAuth users. A user given only by name has all rights.
func parseUsers(node *yaml.Node) ([]User, error) {
	if node.Kind == yaml.ScalarNode {
		var c Config
		err := users(&c, node.Value)
		return c.HTTP.OAuth.Users, err
	}
	return parseList(node, "oauth_users", func(item *yaml.Node) (User, error) {
		var user User
		if item.Kind == yaml.ScalarNode {
			user.Subject = item.Value
			return user, nil
		}
		fields := grantFields(&user.Grant)
		fields["user"] = &user.Subject
		if err := decodeFields(item, fields); err != nil {
			return user, err
		}
		if user.Subject == "" {
			return user, errors.New("a user needs 'user': the issuer's subject, or an e-mail address")
		}
		return user, nil
	})
}

func parseList[T any](node *yaml.Node, name string, parse func(*yaml.Node) (T, error)) ([]T, error) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s must be a list", name)
	}
	if len(node.Content) == 0 {
		return nil, fmt.Errorf("%s is empty; remove the key if there are none", name)
	}
	var all []T
	for i, item := range node.Content {
		parsed, err := parse(item)
		if err != nil {
			return nil, fmt.Errorf("%s, entry %d on line %d: %w", name, i+1, item.Line, err)
		}
		all = append(all, parsed)
	}
	return all, nil
}

// grantFields maps the keys of a grant to its fields.
func grantFields(grant *Grant) map[string]any {
	return map[string]any{
		"read_only": &grant.ReadOnly, "allow": &grant.Allow, "deny": &grant.Deny, "toolsets": &grant.Toolsets,
	}
}

// decodeFields reads a mapping into fields by key.
func decodeFields(node *yaml.Node, fields map[string]any) error {
	return eachKey(node, slices.Sorted(maps.Keys(fields)), func(key string, value *yaml.Node) error {
		if err := decodeField(key, value, fields[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
}

// eachKey calls parse for each key of a mapping, and refuses keys that are not valid or given twice.
func eachKey(node *yaml.Node, valid []string, parse func(key string, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return errors.New("it must contain keys and values")
	}
	set := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if !slices.Contains(valid, key) {
			return unknownKey(key, valid)
		}
		if set[key] {
			return fmt.Errorf("'%s' is set twice", key)
		}
		set[key] = true
		if err := parse(key, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// decodeField reads a value. An empty value is an error, since it was meant to limit
// something.
func decodeField(key string, node *yaml.Node, into any) error {
	if items, isList := into.(*[]string); isList {
		return decodeList(key, node, items)
	}
	if node.Kind == yaml.ScalarNode && textOf(node) == "" {
		return errors.New("it has no value; remove the key if there is no limit")
	}
	if text, isText := into.(*string); isText && node.Kind == yaml.ScalarNode {
		*text = node.Value // as written, without YAML turning a date into a time or digits into a number
		return nil
	}
	return node.Decode(into)
}

// decodeList reads a list; a single item may stand for a list.
func decodeList(key string, node *yaml.Node, items *[]string) error {
	*items = nil
	switch {
	case node.Kind == yaml.ScalarNode && key == "toolsets":
		*items = split(textOf(node))
	case node.Kind == yaml.ScalarNode && textOf(node) != "":
		*items = []string{node.Value} // the name of a folder may contain a comma
	case node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return errors.New("its entries must be strings")
			}
			*items = append(*items, textOf(item))
		}
	}
	for _, item := range *items {
		if strings.TrimSpace(item) == "" {
			return errors.New("it contains an empty entry")
		}
	}
	if len(*items) == 0 {
		return errors.New("it is empty; remove the key if there is no limit")
	}
	return nil
}

// textOf returns a value as written; "" for null.
func textOf(node *yaml.Node) string {
	if node.Tag == "!!null" {
		return ""
	}
	return node.Value
}

// parseTime reads a time, or a day, which means its start.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if when, err := time.Parse(layout, text); err == nil {
			return when, nil
		}
	}
	return time.Time{}, fmt.Errorf("expires: '%s' must be a day such as 2027-01-01, or an RFC 3339 time", text)
}
