package child

import (
	"regexp"
	"slices"
	"strings"
)

// secretName matches the names of variables that usually hold a secret.
var secretName = regexp.MustCompile(`(?i)token|secret|passw|passphrase|api_?key|private_?key|access_?key|credential|(^|_)(pass|pat|auth)$`)

// Environment returns the variables that another program gets: all but those that hold a secret by their name, or for
// which isSecret says so. Variables that are listed in pass are kept in any case; they may be there for that program.
func Environment(own []string, isSecret func(name string) bool, pass []string) []string {
	var kept []string
	for _, variable := range own {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(pass, name) || !isSecret(name) && !secretName.MatchString(name) {
			kept = append(kept, variable)
		}
	}
	return kept
}

// Secrets returns the values of the variables that Environment leaves out, and of those that are kept only because pass
// lists them: they must not be shown if a program prints them.
func Secrets(own []string, isSecret func(name string) bool) []string {
	var values []string
	for _, variable := range own {
		name, value, _ := strings.Cut(variable, "=")
		if len(value) >= minSecret && (isSecret(name) || secretName.MatchString(name)) {
			values = append(values, value)
		}
	}
	return values
}

// minSecret is the length of the shortest value that is hidden: a shorter one may be a part of any word.
const minSecret = 6

var (
	// login matches a user and password in an address.
	login = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/@'"]+@`)
	// knownToken matches tokens whose form tells what they are.
	knownToken = regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|omcp_[A-Za-z0-9_-]{16,})`)
)

// Hide replaces secrets in a text that a program has printed: the given values, logins in addresses, and known tokens.
func Hide(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	text = login.ReplaceAllString(text, "$1***@")
	return knownToken.ReplaceAllString(text, "***")
}
