package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error { *field(c) = value; return nil }
}

func truth(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, value string) error {
		switch strings.ToLower(value) {
		case "true", "on", "yes", "1":
			*field(c) = true
		case "false", "off", "no", "0":
			*field(c) = false
		default:
			return fmt.Errorf("must be true or false")
		}
		return nil
	}
}

// truthOrAuto leaves the field nil for auto.
func truthOrAuto(field func(*Config) **bool) func(*Config, string) error {
	return func(c *Config, value string) error {
		if strings.EqualFold(value, "auto") {
			*field(c) = nil
			return nil
		}
		var answer bool
		if err := truth(func(*Config) *bool { return &answer })(c, value); err != nil {
			return fmt.Errorf("must be auto, true or false")
		}
		*field(c) = &answer
		return nil
	}
}

func number(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return fmt.Errorf("must be a whole number from 0")
		}
		*field(c) = n
		return nil
	}
}

func positive(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		if err := number(field)(c, value); err != nil || *field(c) == 0 {
			return fmt.Errorf("must be a whole number from 1")
		}
		return nil
	}
}

func between(least, most int, field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		if err := number(field)(c, value); err != nil || *field(c) < least || *field(c) > most {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return nil
	}
}

func port(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 65535 {
			return fmt.Errorf("must be a port from 0 to 65535")
		}
		*field(c) = n
		return nil
	}
}

func duration(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return fmt.Errorf("must be a time such as 30s or 2m")
		}
		*field(c) = d
		return nil
	}
}

// vaultFolder stores the path of a folder of the vault. An empty value, - and off mean none.
func vaultFolder(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		if value == "" || value == "-" || strings.EqualFold(value, "off") {
			*field(c) = ""
			return nil
		}
		folder, err := vpath.Parse(strings.Trim(value, "/"))
		if err != nil {
			return fmt.Errorf("must be a folder of the vault that is not hidden, such as Prompts or Work/Prompts, or - for none")
		}
		*field(c) = string(folder)
		return nil
	}
}

func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*field(c) = split(value)
		return nil
	}
}

// split reads a comma-separated list.
func split(value string) []string {
	var items []string
	for _, item := range strings.Split(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
