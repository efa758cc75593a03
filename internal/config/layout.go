package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/system/zones"
)

// Layout is what the config file says about the vault that Obsidian's own settings would say. What it does not say is nil.
type Layout struct {
	Periods     map[string]PeriodNotes // daily, weekly, monthly, quarterly, yearly
	Templates   *string                // the folder of templates; "" for the root
	Attachments *string                // the folder of attachments; "./" for that of the note
}

// PeriodNotes is where the notes of a period are.
type PeriodNotes struct{ Folder, Format, Template *string }

// daySettings lists the settings that say what day it is.
func daySettings() []Setting {
	return []Setting{
		{
			Name: "timezone", Variables: []string{"OBSIDIAN_MCP_TIMEZONE"},
			Default: "the system's", deferred: true,
			About: "whose day it is: a time zone such as `Europe/Berlin`",
			set: func(c *Config, value string) (err error) {
				if c.Timezone, err = zones.Load(value); err != nil || value == "Local" {
					return errors.New("must be a time zone such as Europe/Berlin or UTC")
				}
				return nil
			},
		},
		{
			Name: "locale", Variables: []string{"OBSIDIAN_MCP_LOCALE"},
			Default: "en", Valid: []string{"en", "en-gb"},
			About: "weeks and dates of periodic notes: `en` (weeks from Sunday), `en-gb` (ISO weeks)",
			set:   text(func(c *Config) *string { return &c.Locale }),
		},
	}
}

// layoutKeys returns the keys of the config file that describe the vault.
func layoutKeys() map[string]func(*fileSettings, *yaml.Node) error {
	return map[string]func(*fileSettings, *yaml.Node) error{
		"daily": func(f *fileSettings, node *yaml.Node) error { return f.layout.parsePeriod("daily", node) },
		"periods": func(f *fileSettings, node *yaml.Node) error {
			return within("periods", eachKey(node, []string{"weekly", "monthly", "quarterly", "yearly"}, f.layout.parsePeriod))
		},
		"templates_folder": func(f *fileSettings, node *yaml.Node) (err error) {
			f.layout.Templates, err = parseFolder("templates_folder", node)
			return err
		},
		"attachment_folder": func(f *fileSettings, node *yaml.Node) (err error) {
			below, isRelative := strings.CutPrefix(node.Value, "./")
			if isRelative && node.Kind == yaml.ScalarNode {
				node = &yaml.Node{Kind: yaml.ScalarNode, Value: below}
			}
			f.layout.Attachments, err = parseFolder("attachment_folder", node)
			if isRelative && err == nil {
				*f.layout.Attachments = "./" + *f.layout.Attachments
			}
			return err
		},
	}
}

func (l *Layout) parsePeriod(period string, node *yaml.Node) error {
	var notes PeriodNotes
	err := eachKey(node, []string{"folder", "format", "template"}, func(key string, value *yaml.Node) (err error) {
		switch key {
		case "folder":
			notes.Folder, err = parseFolder(key, value)
		case "template":
			notes.Template, err = parseFolder(key, value)
		case "format":
			if notes.Format, err = parseText(key, value); err == nil && *notes.Format == "" {
				err = errors.New("'format' must not be empty")
			}
		}
		return err
	})
	if l.Periods == nil {
		l.Periods = map[string]PeriodNotes{}
	}
	l.Periods[period] = notes
	return within(period, err)
}

// within says in which key an error is.
func within(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", key, err)
}

func parseText(name string, node *yaml.Node) (*string, error) {
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return nil, fmt.Errorf("'%s' must be a text", name)
	}
	return &node.Value, nil
}

// parseFolder reads the path of a folder or note in the vault. "" and "/" mean the root.
func parseFolder(name string, node *yaml.Node) (*string, error) {
	text, err := parseText(name, node)
	if err != nil {
		return nil, err
	}
	folder := strings.Trim(*text, "/")
	if folder == "" {
		return &folder, nil
	}
	if _, err := vpath.Parse(folder); err != nil {
		return nil, fmt.Errorf("'%s': %w", name, err)
	}
	return &folder, nil
}
