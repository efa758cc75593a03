package scope

import (
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/glob"
)

// rules is a parsed list of rules.
type rules struct {
	folders map[string]bool // by vpath.Key; they cover everything below them
	files   map[string]bool // by vpath.Key; they cover only the file itself
	globs   []globRule
	all     []string     // every rule in a normal form
	plain   []vpath.Path // folders that were given by path, as written
}

// globRule is a rule with wildcards.
type globRule struct {
	glob        *glob.Glob
	foldersOnly bool // it ends in /
}

// wildcards are the characters that make a rule a glob.
const wildcards = `*?[]{}\`

// parseRules parses the rules of a list; the name of the list is for errors.
func parseRules(list string, entries []string) (rules, error) {
	r := rules{folders: map[string]bool{}, files: map[string]bool{}}
	for _, entry := range entries {
		if err := r.add(entry); err != nil {
			return rules{}, fault.InvalidArgument.Errorf("%s: %q is not a folder, file or glob: %s", list, entry, err.Error()).
				WithHint("%s", hint(err))
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

// add parses a rule. A leading slash stands for the vault's root.
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
	case hasHiddenCharacters(path):
		return fault.InvalidArgument.Errorf("a name in it starts or ends with a space, or has invisible characters").
			WithHint("remove them; ? matches any single character of a name")
	case path[0] == '!':
		return fault.InvalidArgument.Errorf("it begins with !").
			WithHint(`put exceptions into the deny list; write \! for a name that begins with !`)
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

// addPath covers a folder or, unless isFolder is set, also the file and the note
// of that name: people mostly write notes without their extension.
func (r *rules) addPath(path vpath.Path, isFolder bool) (key string) {
	key = string(path.Key())
	r.folders[key] = true
	if !isFolder {
		note := key + vpath.NoteExt
		r.files[key], r.files[note], r.folders[note] = true, true, true
	}
	return key
}

// hasHiddenCharacters reports whether a name looks like another: a rule that matches
// nothing because of an invisible space is a trap.
func hasHiddenCharacters(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if strings.TrimSpace(part) != part {
			return true
		}
	}
	return strings.ContainsFunc(path, isInvisible)
}

// isInvisible reports whether a character is invisible and thus makes a name look
// like another. Joiners between letters or parts of an emoji are ordinary.
func isInvisible(r rune) bool { return unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' }

// addGlob parses a glob. It folds the pattern the way vpath.Key folds paths. A file
// whose name is literally the pattern, brackets and all, is covered too.
func (r *rules) addGlob(pattern string, rooted, foldersOnly bool) error {
	if err := checkParts(pattern); err != nil {
		return err
	}
	if literal, err := vpath.Parse(pattern); err == nil {
		r.addPath(literal, foldersOnly)
	}
	pattern = string(vpath.FoldKey(pattern))
	switch {
	case rooted:
		pattern = "/" + pattern
	case pattern[0] == '#':
		pattern = `\` + pattern // or glob.Compile would take it for a comment
	}
	compiled, err := glob.Compile(pattern)
	if err != nil {
		return err
	}
	r.globs = append(r.globs, globRule{compiled, foldersOnly})
	if foldersOnly {
		pattern += "/"
	}
	r.all = append(r.all, "glob "+pattern)
	return nil
}

// checkParts refuses globs for paths that are hidden or outside of the vault: they
// would match nothing, and somebody may rely on them.
func checkParts(pattern string) error {
	for i := range len(pattern) {
		if pattern[i] < ' ' || pattern[i] == 0x7f {
			return fault.InvalidArgument.Errorf("it contains a control character")
		}
	}
	if strings.Contains(pattern, "/,") || strings.Contains(pattern, "/}") {
		return fault.InvalidArgument.Errorf("an alternative ends in /").
			WithHint("put the slash after the braces: {a,b}/")
	}
	for part := range strings.SplitSeq(pattern, "/") {
		switch {
		case escapesName(part):
			return fault.InvalidArgument.Errorf("it contains a backslash").WithHint("separate folders with /")
		case part == "":
			return fault.InvalidArgument.Errorf("it has an empty part")
		case part == "." || part == "..":
			return fault.InvalidArgument.Errorf("it contains %q", part)
		case part[0] == '.':
			return fault.InvalidArgument.Errorf("it names a hidden file, and those are closed to everybody")
		}
	}
	return nil
}

// escapesName reports whether a backslash precedes a character that needs no
// escape: it was meant as a folder separator.
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

// cover reports whether a rule matches a file or a folder above it.
func (r rules) cover(key string) bool {
	for i := range len(key) {
		if key[i] == '/' && r.match(key[:i], true) {
			return true
		}
	}
	return r.match(key, false)
}

// match reports whether a rule matches a file or folder itself.
func (r rules) match(key string, isFolder bool) bool {
	if isFolder && r.folders[key] || !isFolder && r.files[key] {
		return true
	}
	note, isNote := strings.CutSuffix(key, vpath.NoteExt)
	for _, rule := range r.globs {
		if !isFolder && rule.foldersOnly {
			continue
		}
		if rule.glob.Match(key) || isNote && !isFolder && rule.glob.Match(note) {
			return true
		}
	}
	return false
}
