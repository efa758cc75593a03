package vpath

import (
	"bytes"
	"strings"
)

// From returns a Resolver for the links of one file.
func (s *Set) From(source Path) Resolver {
	return Resolver{set: s, source: source, dirKey: source.Dir().Key()}
}

// Resolver resolves the links of one file. It is not safe for concurrent use.
type Resolver struct {
	set    *Set
	source Path
	dirKey Key
	key    []byte // buffer: the key of the link
	beside []byte // buffer: the key of the path in the source's folder
}

// Resolve returns the file that a link points to by Obsidian's rules, or false if there is no such file. The link is
// decoded and has no subpath: "A B" for [[A B#C|d]] or [d](A%20B#C).
//
// A link that starts with ./ or ../ is resolved from the source's folder only, a link that starts with / from the root
// only. Any other link means the file at exactly that path from the root; failing that, the file with that name (and
// folders) in the source's own folder; failing that, the matching file with the shortest path. Each step tries the link
// as written and then with ".md", so that only notes may omit their extension.
func (r *Resolver) Resolve(link string) (Path, bool) {
	link = strings.Trim(link, " \t")
	if strings.Contains(link, `\`) {
		link = strings.ReplaceAll(link, `\`, "/")
	}
	switch {
	case link == "":
		return r.source, true
	case link[0] == '.' && isRelative(link):
		from, inside := climb(r.source.Dir(), link)
		if !inside || isFolder(link) {
			return "", false
		}
		return r.exactly(from)
	case link[0] == '/':
		return r.exactly(strings.Trim(link, "/"))
	}
	link = collapse(link)
	r.key = appendKey(r.key[:0], link)
	if found, ok := r.anywhere(link, ""); ok {
		return found, true
	}
	r.key = append(r.key, NoteExt...)
	return r.anywhere(link, NoteExt)
}

// exactly finds the file at path from the root, with or without ".md".
func (r *Resolver) exactly(path string) (Path, bool) {
	r.key = appendKey(r.key[:0], path)
	if found, ok := r.set.find(r.key, path, ""); ok {
		return found, true
	}
	r.key = append(r.key, NoteExt...)
	return r.set.find(r.key, path, NoteExt)
}

// anywhere finds the best file whose path ends in r.key. Most names belong to one file or to none, which a single lookup
// settles.
func (r *Resolver) anywhere(spelling, ext string) (Path, bool) {
	name := r.key[bytes.LastIndexByte(r.key, '/')+1:]
	bare := len(name) == len(r.key)
	switch only, count := r.set.count(name); {
	case count == 0:
		return "", false
	case count == 1:
		if bare || endsInPath(only.table.Key(only.i), r.key) {
			return only.path(), true
		}
		return "", false
	}
	if found, ok := r.set.find(r.key, spelling, ext); ok {
		return found, true
	}
	if len(r.dirKey) > 0 && (bare || endsInPath(r.dirKey, r.key[:len(r.key)-len(name)-1])) {
		r.beside = append(append(append(r.beside[:0], r.dirKey...), '/'), name...)
		if found, ok := r.set.find(r.beside, "", ""); ok {
			return found, true
		}
	}
	return r.set.ending(r.key, name)
}

// endsInPath reports whether the last components of key are those of tail.
func endsInPath(key Key, tail []byte) bool {
	at := len(key) - len(tail)
	return at >= 0 && string(key[at:]) == string(tail) && (at == 0 || key[at-1] == '/')
}

func isRelative(link string) bool {
	return strings.HasPrefix(link, "./") || strings.HasPrefix(link, "../") || link == "." || link == ".."
}

// isFolder reports whether a relative link ends in a folder.
func isFolder(link string) bool {
	last := link[strings.LastIndexByte(link, '/')+1:]
	return last == "" || last == "." || last == ".."
}

// climb follows a relative link from a folder. It returns false if the link leaves the vault.
func climb(dir Path, link string) (string, bool) {
	at := string(dir)
	for step := range strings.SplitSeq(link, "/") {
		switch {
		case step == "" || step == ".":
		case step != "..":
			at = string(Path(at).Join(Path(step)))
		case at == "":
			return "", false
		default:
			at = string(Path(at).Dir())
		}
	}
	return at, true
}

// collapse removes doubled and trailing slashes.
func collapse(link string) string {
	for strings.Contains(link, "//") {
		link = strings.ReplaceAll(link, "//", "/")
	}
	return strings.TrimSuffix(link, "/")
}
