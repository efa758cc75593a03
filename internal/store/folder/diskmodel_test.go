package folder

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// model is a disk that can lose power. It distinguishes what is durable from what programs see, and computes what may be
// left after a power cut:
//
//   - The bytes of a file that was synced. Of a file that was not: none of them, the first half, as many zeros, or all.
//   - The names in a folder as of its last sync, plus the first few of the changes since, any number of them. Folders are
//     independent: a name that was moved may be gone from one folder before it appears in the other, although common
//     file systems mostly keep that order.
//   - A rename from one folder to another may leave both names, as on a file system that writes the new name first, but
//     never neither: journals of file systems exist to prevent that. Syncing a file does not make its name durable.
//   - The content of a folder, if the folder's own name survives.
//
// Modes, times and attributes are not modelled.
type model struct{ root *node }

// node is a file or a folder.
type node struct {
	folder  bool
	names   map[string]*node // of a folder, as programs see it
	durable map[string]*node // as it was when it was last synced
	pending []*nameChange    // since then
	data    []byte           // of a file
	unsafe  bool             // not synced
}

// nameChange is a change of the names in a folder; a name without a node is removed.
type nameChange struct {
	names map[string]*node
	in    *node
	after *nameChange // in another folder, without which this one is not made
}

func newFolder() *node {
	return &node{folder: true, names: map[string]*node{}, durable: map[string]*node{}}
}

// newModel returns the model of a disk on which everything below a folder is durable.
func newModel(t *testing.T, base string) *model {
	t.Helper()
	m := &model{root: newFolder()}
	err := filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == base {
			return err
		}
		made := newFolder()
		if !entry.IsDir() {
			made = &node{}
			made.data, err = os.ReadFile(path)
		}
		in, name := m.find(strings.TrimPrefix(path, base))
		in.names[name], in.durable[name] = made, made
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// find returns the folder of a path, which starts at the base, and the name in it.
func (m *model) find(path string) (*node, string) {
	in := m.root
	dir, name := filepath.Split(strings.Trim(path, "/"))
	for step := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if step != "" {
			in = in.names[step]
		}
	}
	return in, name
}

// event is a system call that was made, with paths that start at the base.
type event struct {
	kind, path, to string
	data           []byte
}

// apply applies a call to the model.
func (m *model) apply(e event) {
	in, name := m.find(e.path)
	switch e.kind {
	case "create":
		if in.names[name] == nil {
			in.change(map[string]*node{name: {}})
		}
	case "mkdir":
		in.change(map[string]*node{name: newFolder()})
	case "others": // another program wrote and synced a file
		in.names[name].data = e.data
	case "write":
		in.names[name].data, in.names[name].unsafe = e.data, true
	case "sync":
		in.names[name].unsafe = false
	case "syncdir":
		if name != "" {
			in = in.names[name]
		}
		in.sync()
	case "remove":
		in.change(map[string]*node{name: nil})
	case "link", "rename", "exchange":
		to, other := m.find(e.to)
		m.rename(e.kind, in, name, to, other)
	}
}

func (m *model) rename(kind string, in *node, name string, to *node, other string) {
	file := in.names[name]
	switch {
	case kind == "link":
		to.change(map[string]*node{other: file})
	case kind == "exchange":
		in.change(map[string]*node{name: in.names[other], other: file})
	case in == to:
		in.change(map[string]*node{name: nil, other: file})
	default:
		added := to.change(map[string]*node{other: file})
		in.change(map[string]*node{name: nil}).after = added
	}
}

func (n *node) change(names map[string]*node) *nameChange {
	change := &nameChange{names: names, in: n}
	n.pending = append(n.pending, change)
	change.to(n.names)
	return change
}

func (c *nameChange) to(names map[string]*node) {
	for name, file := range c.names {
		if names[name] = file; file == nil {
			delete(names, name)
		}
	}
}

// sync makes the names in a folder durable, and those in other folders that they depend on.
func (n *node) sync() {
	for _, change := range n.pending {
		if on := change.after; on != nil {
			on.in.settle(slices.Index(on.in.pending, on) + 1)
		}
	}
	n.settle(len(n.pending))
}

func (n *node) settle(count int) {
	for _, change := range n.pending[:count] {
		change.to(n.durable)
	}
	n.pending = n.pending[count:]
}

// survival decides which of the changes that are not durable survive a power cut.
type survival struct {
	steps func(n *node, of int) int // how many of a folder's changes
	bytes func(n *node) []byte      // what of a file
}

// after returns the disk after a power cut: each file with its bytes, and each folder, with a slash at the end.
func (m *model) after(s survival) map[string]string {
	kept := map[*nameChange]bool{}
	m.each(func(n *node) {
		for _, change := range n.pending[:s.steps(n, len(n.pending))] {
			kept[change] = true
		}
	})
	found := map[string]string{}
	m.root.collect("", kept, s, found)
	return found
}

func (n *node) collect(path string, kept map[*nameChange]bool, s survival, found map[string]string) {
	if !n.folder {
		if found[path] = string(n.data); n.unsafe {
			found[path] = string(s.bytes(n))
		}
		return
	}
	names := maps.Clone(n.durable)
	for _, change := range n.pending {
		if kept[change] && (change.after == nil || kept[change.after] || !slices.Contains(change.after.in.pending, change.after)) {
			change.to(names)
		}
	}
	found[path+"/"] = ""
	for name, child := range names {
		child.collect(path+"/"+name, kept, s, found)
	}
}

// each visits all folders that may exist after a power cut, in a fixed order.
func (m *model) each(visit func(*node)) {
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil || !n.folder || seen[n] {
			return
		}
		seen[n] = true
		visit(n)
		for _, name := range slices.Sorted(maps.Keys(n.durable)) {
			walk(n.durable[name])
		}
		for _, change := range n.pending {
			for _, name := range slices.Sorted(maps.Keys(change.names)) {
				walk(change.names[name])
			}
		}
	}
	walk(m.root)
}

// open lists the folders with changes that are not durable.
func (m *model) open() (folders []*node) {
	m.each(func(n *node) {
		if len(n.pending) > 0 {
			folders = append(folders, n)
		}
	})
	return folders
}
