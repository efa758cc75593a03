package vpath

import (
	"bytes"
	"strings"
)

// From prepares to resolve the links of one file.
func (s *Set) From(source Path) Resolver {
	return Resolver{set: s, source: source, dirKey: source.Dir().Key()}
}

// Resolver finds the files that links written in one file mean. It is not
// safe for use by several goroutines at once.
type Resolver struct {
	set    *Set
	source Path
	dirKey Key
	key    []byte // scratch
	beside []byte // scratch
}

// Resolve finds the file that a link's path means, by Obsidian's rules, or
// reports that there is none. The path is decoded and has no subpath: the
// "A B" of [[A B#C|d]] or of [d](A%20B#C).
//
// A path from ./ or ../ is looked for at that place alone, a path from / at
// the root alone. Any other is the file at just that path from the root;
// else the one of that name (and folders) in the source's own folder; else
// the one with the shortest path. Each is tried as written first and then
// with ".md", so that only notes may leave their extension out.
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

// exactly looks at one place.
func (r *Resolver) exactly(path string) (Path, bool) {
	r.key = appendKey(r.key[:0], path)
	if found, ok := r.set.find(r.key, path, ""); ok {
		return found, true
	}
	r.key = append(r.key, NoteExt...)
	return r.set.find(r.key, path, NoteExt)
}

// anywhere looks for the file that r.key means. Most names are of one file or
// of none: then one look-up tells.
func (r *Resolver) anywhere(spelling, ext string) (Path, bool) {
	name := r.key[bytes.LastIndexByte(r.key, '/')+1:]
	bare := len(name) == len(r.key)
	switch only, count := r.set.count(name); {
	case count == 0:
		return "", false
	case count == 1:
		if bare || endsInPath(only.on.Key(only.i), r.key) {
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

// endsInPath reports whether key ends in tail, from a folder's start on.
func endsInPath(key Key, tail []byte) bool {
	at := len(key) - len(tail)
	return at >= 0 && string(key[at:]) == string(tail) && (at == 0 || key[at-1] == '/')
}

func isRelative(link string) bool {
	return strings.HasPrefix(link, "./") || strings.HasPrefix(link, "../") || link == "." || link == ".."
}

// isFolder reports a relative link that ends in a folder.
func isFolder(link string) bool {
	last := link[strings.LastIndexByte(link, '/')+1:]
	return last == "" || last == "." || last == ".."
}

// climb walks a relative link from a folder; it reports false on leaving the
// vault.
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

// collapse drops doubled and trailing slashes.
func collapse(link string) string {
	for strings.Contains(link, "//") {
		link = strings.ReplaceAll(link, "//", "/")
	}
	return strings.TrimSuffix(link, "/")
}
