package clients

import (
	"regexp"
	"strings"
)

// scheme is what may stay of a header that logs in.
var scheme = regexp.MustCompile(`(?i)^["'](bearer|basic) +`)

// blotted is a text in quotes of which nothing is to be seen.
func blotted(quoted string) string {
	mark := quoted[:1]
	if strings.Trim(quoted, mark) == "" {
		return quoted
	}
	if kept := scheme.FindString(quoted); kept != "" {
		return kept + blot + mark
	}
	return mark + blot + mark + strings.Repeat("\n", strings.Count(quoted, "\n"))
}

// What may be secret inside of a text: a login in an address, whose slashes JSON
// may escape, a word behind Bearer or Basic, and what has a name there, such as
// --token=…, X-Api-Key: …, ?key=… or the "token": … of JSON in JSON.
var (
	slashes        = regexp.MustCompile(`^:(?:\\?/){2}`)
	loginInside    = regexp.MustCompile(`(:(?:\\?/){2})[^/\\\s"'?#]+@`)
	passwordInside = regexp.MustCompile(`:(?:\\?/){2}[^\s/@:?"']*:\S*@`)
	portInside     = regexp.MustCompile(`^:(?:\\?/){2}[^:]*:\d{1,5}\\?/`)
	bearerInside   = regexp.MustCompile(`(?i)\b((?:bearer|basic) +)[^\s"']+`)
	nameInside     = regexp.MustCompile(`([\w-]+)(?:\\?["'])? ?[:=] ?`)
)

// withoutSecrets is a text in quotes of which all that is no secret stays.
func withoutSecrets(text string) string {
	if !isQuoted(text) {
		return hidden(text)
	}
	return hidden(text[:len(text)-1]) + text[len(text)-1:]
}

// hidden is a text with blots in it.
func hidden(text string) string {
	if !strings.ContainsAny(text, ":= ") { // one of which all of these have
		return text
	}
	text = passwordInside.ReplaceAllStringFunc(text, withoutLogin)
	text = loginInside.ReplaceAllString(text, "${1}"+blot+"@")
	text = bearerInside.ReplaceAllString(text, "${1}"+blot)
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
		value := blot
		if isUser {
			value = withoutPassword(text[start:end])
		}
		out.WriteString(text[done:start] + value)
		done = end
	}
	return out.String() + text[done:]
}

// withoutLogin is the beginning of an address, up to the last @. A password may
// hold every mark that ends it in a careful reader's eyes; but behind a port
// comes a path.
func withoutLogin(address string) string {
	if portInside.MatchString(address) {
		return address
	}
	return slashes.FindString(address) + blot + "@"
}

// isPathList reports whether a colon is between two paths.
func isPathList(text string, name, value int) bool {
	return name > 0 && text[name-1] == '/' && text[value] == '/'
}

// loginPair is a user with a password; numbers are those of a user and a group.
var (
	loginPair  = regexp.MustCompile(`^(["']?[^:/\s"']+:)[^/\s"'][^\s"']*`)
	numberPair = regexp.MustCompile(`^["']?\d+:\d+["']?$`)
)

// withoutPassword is a user's name, without the password behind it.
func withoutPassword(text string) string {
	if numberPair.MatchString(text) {
		return text
	}
	return loginPair.ReplaceAllString(text, "${1}"+blot)
}
