package config

import "log/slog"

// Secret is a text that no print or log line shows.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// GoString hides the secret.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

func secret(field func(*Config) *Secret) func(*Config, string) error {
	return func(c *Config, value string) error { *field(c) = Secret(value); return nil }
}

// oneLine sets a secret without control characters. A line break at its end, left by the program that set the variable,
// would make the password wrong.
func oneLine(field func(*Config) *Secret) func(*Config, string) error {
	return func(c *Config, value string) error {
		if hasControl(value) {
			return errControl
		}
		*field(c) = Secret(value)
		return nil
	}
}
