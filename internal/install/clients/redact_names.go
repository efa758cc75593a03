package clients

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Words in the names of secrets. Distinctive ones count anywhere in a name; ordinary words count only as a separate word
// or at the end of one.
var (
	secretNames = regexp.MustCompile(`(?i)token|passw|passphrase|secret|credential|authorization|cookie`)
	secretWords = []string{"key", "keys", "pass", "pwd", "pat", "auth", "jwt"}
	secretEnds  = regexp.MustCompile(`(keys?|pass|pwd)$`)

	placeWords  = []string{"file", "path", "dir", "folder", "var"} // in names that say where a secret is
	plainWords  = []string{"url", "uri", "host", "endpoint", "issuer", "provider", "method", "type", "mode", "scheme"}
	amountWords = []string{"max", "min", "limit", "count", "total", "budget", "size", "window", "timeout", "ttl", "interval"}
	userWords   = []string{"user", "u", "login", "username"}
)

// wordBreak matches where a word begins in a camelCase name.
var wordBreak = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// wordsOf splits a name such as API_KEY_2, X-Api-Key or apiKey into words in lower case.
func wordsOf(name string) []string {
	apart := wordBreak.ReplaceAllString(name, "${1}_${2}")
	return strings.FieldsFunc(strings.ToLower(apart), func(r rune) bool { return !unicode.IsLetter(r) })
}

// isSecretName reports whether a name suggests a secret.
func isSecretName(name string) bool {
	words := wordsOf(name)
	isWord := func(word string) bool { return slices.Contains(secretWords, word) || secretEnds.MatchString(word) }
	switch {
	case secretNames.MatchString(name):
		return !endsIn(words, placeWords)
	case slices.ContainsFunc(words, isWord):
		return !isPlainName(name)
	}
	return false
}

// isPlainName reports whether a name suggests something about a secret rather than the secret itself.
func isPlainName(name string) bool {
	words := wordsOf(name)
	return endsIn(words, placeWords) || endsIn(words, plainWords)
}

func endsIn(words, last []string) bool {
	return len(words) > 0 && slices.Contains(last, words[len(words)-1])
}

// isAmount reports whether a name suggests a count, such as a number of model tokens.
func isAmount(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(amountWords, word) })
}

// isUserName reports whether a value of this name may end in a colon and a password.
func isUserName(name string) bool { return endsIn(wordsOf(name), userWords) }
