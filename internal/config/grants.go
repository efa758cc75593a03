package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Grant is what somebody may do, as the config file says it.
type Grant struct {
	ReadOnly bool
	Allow    []string // folders or globs; none: all
	Deny     []string // wins over Allow
	Toolsets []string // none: those that are offered
}

// Token is a bearer token of the config file.
type Token struct {
	Name    string
	SHA256  string
	Expires time.Time // zero: never
	Grant   Grant
}

// User is somebody whom the OAuth issuer may name.
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

// parseUsers reads the list of OAuth users. One that is a mere name has all
// rights.
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

func parseList[T any](node *yaml.Node, name string, one func(*yaml.Node) (T, error)) ([]T, error) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s must be a list", name)
	}
	if len(node.Content) == 0 {
		return nil, fmt.Errorf("%s is empty, and everybody might come in; leave it out if that is meant", name)
	}
	var all []T
	for i, item := range node.Content {
		next, err := one(item)
		if err != nil {
			return nil, fmt.Errorf("%s, entry %d on line %d: %w", name, i+1, item.Line, err)
		}
		all = append(all, next)
	}
	return all, nil
}

// grantFields are the keys of a grant.
func grantFields(grant *Grant) map[string]any {
	return map[string]any{"read_only": &grant.ReadOnly, "allow": &grant.Allow, "deny": &grant.Deny, "toolsets": &grant.Toolsets}
}

// decodeFields reads a map whose keys are known.
func decodeFields(node *yaml.Node, fields map[string]any) error {
	if node.Kind != yaml.MappingNode {
		return errors.New("it must hold keys and values")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		into, known := fields[key]
		if !known {
			var names []string
			for name := range fields {
				names = append(names, name)
			}
			slices.Sort(names)
			return unknownKey(key, names)
		}
		if seen[key] {
			return fmt.Errorf("'%s' is set twice", key)
		}
		seen[key] = true
		if err := decodeField(key, node.Content[i+1], into); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// decodeField reads a value. A list may be a mere item. One that is there but
// holds nothing is not the same as none: it was meant to limit something.
func decodeField(key string, node *yaml.Node, into any) error {
	if items, isList := into.(*[]string); isList {
		*items = nil
		if node.Kind == yaml.ScalarNode && key == "toolsets" {
			*items = split(textOf(node))
		} else if node.Kind == yaml.ScalarNode && textOf(node) != "" {
			*items = []string{node.Value} // a folder may have a comma in its name
		} else if node.Kind == yaml.SequenceNode {
			for _, item := range node.Content {
				if item.Kind != yaml.ScalarNode {
					return errors.New("its entries must be texts")
				}
				*items = append(*items, textOf(item))
			}
		}
		for _, item := range *items {
			if strings.TrimSpace(item) == "" {
				return errors.New("it holds an empty entry")
			}
		}
		if len(*items) == 0 {
			return errors.New("it is empty; leave it out if there is no limit")
		}
		return nil
	}
	if node.Kind == yaml.ScalarNode && textOf(node) == "" {
		return errors.New("it has no value; leave it out if there is no limit")
	}
	if text, isText := into.(*string); isText && node.Kind == yaml.ScalarNode {
		*text = node.Value // as written: a date is no time yet, and digits no number
		return nil
	}
	return node.Decode(into)
}

// textOf is a value as it is written; null is none.
func textOf(node *yaml.Node) string {
	if node.Tag == "!!null" {
		return ""
	}
	return node.Value
}

// parseTime reads a day, which ends what expires as it begins, or a time.
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
