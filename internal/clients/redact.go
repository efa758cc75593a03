package clients

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/entry"
)

// blot is shown in a secret's place.
const blot = "[redacted]"

// The texts in quotes of each language.
var (
	jsonTexts = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"`)
	tomlTexts = regexp.MustCompile(`"""(?s:.*?)"""|'''(?s:.*?)'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*'`)
)

// redacted is a configuration in which everything that looks like a secret is
// blotted out: by the name that it has, as a field, a variable, an option or a
// header, or since it is where addresses have a login. It has as many lines as
// before.
func redacted(text string, format entry.Format) string {
	texts := jsonTexts
	if format == entry.TOML {
		texts = tomlTexts
	}
	var out strings.Builder
	done, last := 0, "" // last is the text in quotes before this one
	for _, at := range texts.FindAllStringIndex(text, -1) {
		between, quoted := text[done:at[0]], text[at[0]:at[1]]
		out.WriteString(between)
		if isNamedSecret(last, between) {
			out.WriteString(blotted(quoted))
		} else {
			out.WriteString(withoutSecrets(quoted))
		}
		done, last = at[1], quoted
	}
	return out.String() + text[done:]
}

// What stands before a value: its name, or the option that it belongs to.
var (
	fieldBefore  = regexp.MustCompile(`([\w.-]+)["']?\s*[:=]\s*$`)
	optionBefore = regexp.MustCompile(`^["']--?([\w-]+)["']\s*,\s*$`)
)

func isNamedSecret(last, between string) bool {
	for _, before := range []*regexp.Regexp{fieldBefore, optionBefore} {
		if found := before.FindStringSubmatch(last + between); found != nil && isSecretName(found[1]) {
			return true
		}
	}
	return false
}

// secretNames are the names that people give to secrets, and plainNames those
// of what just says where one is.
var (
	secretNames = regexp.MustCompile(`(?i)token|passw|passphrase|secret|credential|authorization|cookie|keys?$|(^|[_.-])(pass|pwd|pat)$`)
	plainNames  = regexp.MustCompile(`(?i)_(file|env_var)$`)
)

func isSecretName(name string) bool {
	return secretNames.MatchString(name) && !plainNames.MatchString(name)
}

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

// What may be secret inside of a text: a login in an address, a word behind
// Bearer, and what has a name there, such as --token=…, X-Api-Key: … or ?key=….
var (
	loginInside  = regexp.MustCompile(`://[^/\s@"']+@`)
	bearerInside = regexp.MustCompile(`(?i)\b(bearer +)[^\s"']+`)
	nameInside   = regexp.MustCompile(`([\w-]+) ?[:=] ?`)
)

// withoutSecrets is a text in quotes of which all that is no secret stays.
func withoutSecrets(quoted string) string {
	quoted = loginInside.ReplaceAllString(quoted, "://"+blot+"@")
	quoted = bearerInside.ReplaceAllString(quoted, "${1}"+blot)
	body, mark := quoted[:len(quoted)-1], quoted[len(quoted)-1:]
	var out strings.Builder
	done := 0
	for _, at := range nameInside.FindAllStringSubmatchIndex(body, -1) {
		if at[0] < done || at[1] == len(body) || !isSecretName(body[at[2]:at[3]]) {
			continue
		}
		out.WriteString(body[done:at[1]] + blot)
		done = len(body)
		if end := strings.IndexAny(body[at[1]:], "&\n"); end >= 0 {
			done = at[1] + end
		}
	}
	return out.String() + body[done:] + mark
}
