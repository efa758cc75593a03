package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/tool"
)

// filterOf decides, from the index alone, which files a search may find.
func (o *Ops) filterOf(ctx context.Context, s *index.Snapshot, in FindNotes) func(vpath.Path) bool {
	var tests []func(vpath.Path) bool
	if filters := o.vault.Settings(ctx).Excluded; len(filters) > 0 {
		excluded := search.Excluded(filters)
		tests = append(tests, func(path vpath.Path) bool { return !excluded(string(path)) })
	}
	if prefix := strings.TrimPrefix(in.PathPrefix, "/"); prefix != "" {
		key := vpath.FoldKey(prefix)
		tests = append(tests, func(path vpath.Path) bool { return strings.HasPrefix(string(path.Key()), string(key)) })
	}
	now := time.Now()
	if in.SinceDays != nil {
		from := now.AddDate(0, 0, -*in.SinceDays)
		tests = append(tests, func(path vpath.Path) bool { return !s.Modified(path).Before(from) })
	}
	if in.UntilDays != nil {
		until := now.AddDate(0, 0, -*in.UntilDays)
		tests = append(tests, func(path vpath.Path) bool { return !s.Modified(path).After(until) })
	}
	for _, tag := range in.Tags {
		tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "#"), "/")
		tagged := map[vpath.Path]bool{}
		for _, path := range s.Tagged(tag, true) {
			tagged[path] = true
		}
		tests = append(tests, func(path vpath.Path) bool { return tagged[path] })
	}
	if len(tests) == 0 {
		return nil
	}
	return func(path vpath.Path) bool {
		for _, passes := range tests {
			if !passes(path) {
				return false
			}
		}
		return true
	}
}

// propertyFilter turns wanted properties into a query.
func propertyFilter(properties tool.Object) (*search.Query, error) {
	var wanted map[string]json.RawMessage
	if err := json.Unmarshal(properties, &wanted); err != nil || len(wanted) == 0 {
		return nil, nil
	}
	var parts []string
	for name, value := range wanted {
		text, err := wantedValue(value)
		if strings.TrimSpace(name) == "" {
			err = errors.New("the name of a property is empty")
		}
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("properties: '%s': %s", name, err)
		}
		parts = append(parts, "["+inQuotes(name)+":"+text+"]")
	}
	slices.Sort(parts)
	return search.Parse(strings.Join(parts, " "), search.Options{})
}

// wantedValue returns a wanted value in the search language.
func wantedValue(raw json.RawMessage) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	switch value := value.(type) {
	case nil:
		return "null", nil
	case bool:
		return inQuotes(fmt.Sprint(value)), nil
	case json.Number:
		if !search.IsComparable(value.String()) {
			return "", errors.New("the number is too large")
		}
		return "=" + value.String(), nil
	case string:
		return wantedText(value)
	case []any:
		var items []string
		var raws []json.RawMessage
		_ = json.Unmarshal(raw, &raws)
		for _, raw := range raws {
			item, err := wantedValue(raw)
			if err != nil {
				return "", err
			}
			items = append(items, item)
		}
		if len(items) == 0 {
			return "", errors.New("the list is empty")
		}
		return "(" + strings.Join(items, " OR ") + ")", nil
	}
	return "", errors.New("must be text, a number, true, false, null or a list of these")
}

// wantedText returns a text to equal, or a comparison, in the search language.
func wantedText(text string) (string, error) {
	limit := strings.TrimLeft(text, "<>=!")
	switch sign := text[:len(text)-len(limit)]; sign {
	case "<", ">", "<=", ">=":
		if limit = strings.TrimSpace(limit); !search.IsComparable(limit) {
			return "", fmt.Errorf("%s compares with a number or a date, such as %s5 or %s2024-05-31", sign, sign, sign)
		}
		return sign + limit, nil
	case "!", "!=", "<>":
		return "", fmt.Errorf("%s is not supported; use -[name:value] in the query", sign)
	}
	return inQuotes(text), nil
}

func inQuotes(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
