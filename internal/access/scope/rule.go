package scope

import (
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/glob"
)

// rules are one list, as it is asked.
type rules struct {
	folders map[string]bool // keys; they cover what is below them
	files   map[string]bool // keys; they cover a file alone
	globs   []globRule
	all     []string     // the entries, each in one spelling
	plain   []vpath.Path // folders, as they were written
}

// globRule is a rule with wildcards.
type globRule struct {
	*glob.Glob
	folders bool // it ended in /, and is about folders alone
}

// wildcards are the characters that make a rule a glob.
const wildcards = `*?[]{}\`

func readAll(list string, entries []string) (rules, error) {
	r := rules{folders: map[string]bool{}, files: map[string]bool{}}
	for _, entry := range entries {
		if err := r.add(entry); err != nil {
			return rules{}, fault.InvalidArgument.Errorf("%s: %q is no folder, file or glob: %s", list, entry, err.Error()).WithHint("%s", hint(err))
		}
	}
	return r, nil
}

func hint(err error) string {
	if advice := fault.HintOf(err); advice != "" {
		return advice
	}
	return "write a path from the vault's root, such as private/ or notes/Diary.md, or a glob such as **/*.secret.md"
}

// add reads one entry. A slash at its start stands for the vault's root.
func (r *rules) add(entry string) error {
	path, isFolder := strings.CutSuffix(entry, "/")
	rooted := strings.HasPrefix(path, "/")
	path = strings.TrimPrefix(path, "/")
	switch {
	case strings.TrimSpace(path) == "":
		return fault.InvalidArgument.Errorf("it is empty")
	case strings.HasPrefix(path, "~/"):
		return fault.InvalidArgument.Errorf("it begins with ~").WithHint("write the path from the vault's root, such as private/")
	case strings.HasPrefix(path, "[["):
		return fault.InvalidArgument.Errorf("it is a link").WithHint("write the note's path without [[ and ]]")
	case isBlurred(path):
		return fault.InvalidArgument.Errorf("it holds spaces at the edge of a name, or what cannot be seen").
			WithHint("write it as it is meant; ? stands for any one character of a name")
	case path[0] == '!':
		return fault.InvalidArgument.Errorf("it begins with !").
			WithHint(`put what is excepted into the list of what is denied; a name that begins with ! is written \!`)
	case strings.ContainsAny(path, wildcards):
		return r.addGlob(path, rooted, isFolder)
	}
	parsed, err := vpath.Parse(path)
	if err != nil {
		return err
	}
	key := r.addPath(parsed, isFolder)
	if isFolder {
		key += "/"
		r.plain = append(r.plain, parsed)
	}
	r.all = append(r.all, key)
	return nil
}

// addPath covers a folder, or what has just that name: a note is mostly named
// without its extension.
func (r *rules) addPath(path vpath.Path, isFolder bool) (key string) {
	key = string(path.Key())
	r.folders[key] = true
	if !isFolder {
		note := key + vpath.NoteExt
		r.files[key], r.files[note], r.folders[note] = true, true, true
	}
	return key
}

// isBlurred reports names that look like others: a rule that covers nothing
// because of a space nobody sees is a trap.
func isBlurred(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if strings.TrimSpace(part) != part {
			return true
		}
	}
	return strings.ContainsFunc(path, IsInvisible)
}

// IsInvisible reports a character that makes a name look like another. Those
// that join letters or parts of a picture are ordinary.
func IsInvisible(r rune) bool { return unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' }

// addGlob reads a glob. It is folded as the paths are that it is compared
// with. What is really called so, brackets and all, is covered too.
func (r *rules) addGlob(pattern string, rooted, folders bool) error {
	if err := checkParts(pattern); err != nil {
		return err
	}
	if literal, err := vpath.Parse(pattern); err == nil {
		r.addPath(literal, folders)
	}
	pattern = string(vpath.FoldKey(pattern))
	switch {
	case rooted:
		pattern = "/" + pattern
	case pattern[0] == '#':
		pattern = `\` + pattern // it is no comment
	}
	compiled, err := glob.Compile(pattern)
	if err != nil {
		return err
	}
	r.globs = append(r.globs, globRule{compiled, folders})
	if folders {
		pattern += "/"
	}
	r.all = append(r.all, "glob "+pattern)
	return nil
}

// checkParts refuses globs that are about what is outside of the vault or
// hidden: they would say nothing, and somebody relies on them.
func checkParts(pattern string) error {
	for i := range len(pattern) {
		if pattern[i] < ' ' || pattern[i] == 0x7f {
			return fault.InvalidArgument.Errorf("it holds a control character")
		}
	}
	if strings.Contains(pattern, "/,") || strings.Contains(pattern, "/}") {
		return fault.InvalidArgument.Errorf("a choice holds a part that ends in /").WithHint("put the slash behind the choice: {a,b}/")
	}
	for part := range strings.SplitSeq(pattern, "/") {
		switch {
		case escapesName(part):
			return fault.InvalidArgument.Errorf("it holds a backslash").WithHint("separate folders with /")
		case part == "":
			return fault.InvalidArgument.Errorf("it has an empty part")
		case part == "." || part == "..":
			return fault.InvalidArgument.Errorf("it holds %q", part)
		case part[0] == '.':
			return fault.InvalidArgument.Errorf("it is about what is hidden, which is closed to everybody")
		}
	}
	return nil
}

// escapesName reports a backslash before a character that needs none: it is
// meant to separate folders.
func escapesName(part string) bool {
	for i := 0; i < len(part); i++ {
		if part[i] != '\\' {
			continue
		}
		if i++; i == len(part) || !strings.Contains(wildcards+"!#, ", part[i:i+1]) {
			return true
		}
	}
	return false
}

func (r rules) empty() bool { return len(r.all) == 0 }

// cover reports whether a rule is about a file or a folder above it.
func (r rules) cover(key string) bool {
	for i := range len(key) {
		if key[i] == '/' && r.name(key[:i], true) {
			return true
		}
	}
	return r.name(key, false)
}

// name reports whether a rule is about just a file or a folder.
func (r rules) name(key string, isFolder bool) bool {
	if isFolder && r.folders[key] || !isFolder && r.files[key] {
		return true
	}
	note, isNote := strings.CutSuffix(key, vpath.NoteExt)
	for _, one := range r.globs {
		if (isFolder || !one.folders) && (one.Match(key) || isNote && !isFolder && one.Match(note)) {
			return true
		}
	}
	return false
}
