package clients

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The words of names. What a secret is called often stands inside of a longer
// name; words that are also ordinary ones count by themselves, or as the end of
// another.
var (
	secretNames = regexp.MustCompile(`(?i)token|passw|passphrase|secret|credential|authorization|cookie`)
	secretWords = []string{"key", "keys", "pass", "pwd", "pat", "auth", "jwt"}
	secretEnds  = regexp.MustCompile(`(keys?|pass|pwd)$`)

	placeWords  = []string{"file", "path", "dir", "folder", "var"} // of what says where a secret is
	plainWords  = []string{"url", "uri", "host", "endpoint", "issuer", "provider", "method", "type", "mode", "scheme"}
	amountWords = []string{"max", "min", "limit", "count", "total", "budget", "size", "window", "timeout", "ttl", "interval"}
	userWords   = []string{"user", "u", "login", "username"}
)

// wordBreak is where a word begins inside of a name without marks.
var wordBreak = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// wordsOf are the words of a name such as API_KEY_2, X-Api-Key or apiKey, in
// small letters.
func wordsOf(name string) []string {
	apart := wordBreak.ReplaceAllString(name, "${1}_${2}")
	return strings.FieldsFunc(strings.ToLower(apart), func(r rune) bool { return !unicode.IsLetter(r) })
}

// isSecretName reports whether people give such a name to a secret.
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

// isPlainName reports whether a name is that of something about a secret.
func isPlainName(name string) bool {
	words := wordsOf(name)
	return endsIn(words, placeWords) || endsIn(words, plainWords)
}

func endsIn(words, last []string) bool {
	return len(words) > 0 && slices.Contains(last, words[len(words)-1])
}

// isAmount reports whether a number of such a name is how much of something
// there is, as that of the tokens of a model.
func isAmount(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(amountWords, word) })
}

// isUserName reports whether a password may follow behind a colon.
func isUserName(name string) bool { return endsIn(wordsOf(name), userWords) }
