package clients

import (
	"regexp"
	"strings"
)

// scheme matches the part of an Authorization header that may be shown.
var scheme = regexp.MustCompile(`(?i)^["'](bearer|basic) +`)

// maskQuoted masks the whole content of a quoted string, but keeps its line breaks.
func maskQuoted(quoted string) string {
	quote := quoted[:1]
	if strings.Trim(quoted, quote) == "" {
		return quoted
	}
	if prefix := scheme.FindString(quoted); prefix != "" {
		return prefix + mask + quote
	}
	return quote + mask + quote + strings.Repeat("\n", strings.Count(quoted, "\n"))
}

// Secrets inside a text: the login in an address, whose slashes JSON may escape; the word after Bearer or Basic; and a
// named value such as --token=…, X-Api-Key: …, ?key=… or the "token": … of JSON in JSON.
var (
	slashes        = regexp.MustCompile(`^:(?:\\?/){2}`)
	loginInside    = regexp.MustCompile(`(:(?:\\?/){2})[^/\\\s"'?#]+@`)
	passwordInside = regexp.MustCompile(`:(?:\\?/){2}[^\s/@:?"']*:\S*@`)
	portInside     = regexp.MustCompile(`^:(?:\\?/){2}[^:]*:\d{1,5}\\?/`)
	bearerInside   = regexp.MustCompile(`(?i)\b((?:bearer|basic) +)[^\s"']+`)
	nameInside     = regexp.MustCompile(`([\w-]+)(?:\\?["'])? ?[:=] ?`)
)

// withoutSecrets masks the secrets inside a text, which may be in quotes.
func withoutSecrets(text string) string {
	if !isQuoted(text) {
		return maskSecrets(text)
	}
	return maskSecrets(text[:len(text)-1]) + text[len(text)-1:]
}

// maskSecrets masks the secrets inside a text.
func maskSecrets(text string) string {
	if !strings.ContainsAny(text, ":= ") { // every pattern needs one of these
		return text
	}
	text = passwordInside.ReplaceAllStringFunc(text, withoutLogin)
	text = loginInside.ReplaceAllString(text, "${1}"+mask+"@")
	text = bearerInside.ReplaceAllString(text, "${1}"+mask)
	var out strings.Builder
	done := 0
	for _, at := range nameInside.FindAllStringSubmatchIndex(text, -1) {
		name, start := text[at[2]:at[3]], at[1]
		isUser := isUserName(name)
		if at[0] < done || !isUser && !isSecretName(name) || start == len(text) || isPathList(text, at[0], start) {
			continue
		}
		end := len(text)
		if length := strings.IndexAny(text[start:], "&\n"); length >= 0 {
			end = start + length
		}
		value := mask
		if isUser {
			value = withoutPassword(text[start:end])
		}
		out.WriteString(text[done:start] + value)
		done = end
	}
	return out.String() + text[done:]
}

// withoutLogin masks the start of an address up to the last @: passwords contain characters that should end them.
// A port followed by a path is not a password.
func withoutLogin(address string) string {
	if portInside.MatchString(address) {
		return address
	}
	return slashes.FindString(address) + mask + "@"
}

// isPathList reports whether a colon separates two paths.
func isPathList(text string, name, value int) bool {
	return name > 0 && text[name-1] == '/' && text[value] == '/'
}

// loginPair matches a user with a password; numberPair matches the ids of a user and a group.
var (
	loginPair  = regexp.MustCompile(`^(["']?[^:/\s"']+:)[^/\s"'][^\s"']*`)
	numberPair = regexp.MustCompile(`^["']?\d+:\d+["']?$`)
)

// withoutPassword masks the password after a user's name.
func withoutPassword(text string) string {
	if numberPair.MatchString(text) {
		return text
	}
	return loginPair.ReplaceAllString(text, "${1}"+mask)
}
