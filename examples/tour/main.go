// Command tour shows on a copy of a vault what the note engine does: it reads
// every note, then sets a property, appends under a heading, renames a note
// with all links to it, and prints the differences, byte for byte.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"obsidian-mcp/internal/edit"
	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/md/front"
	"obsidian-mcp/internal/vpath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tour VAULT")
		os.Exit(2)
	}
	if err := tour(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

func tour(vault string) error {
	copied, err := os.MkdirTemp("", "obsidian-mcp-tour-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(copied)
	if err := os.CopyFS(copied, os.DirFS(vault)); err != nil {
		return err
	}
	root, err := os.OpenRoot(copied)
	if err != nil {
		return err
	}
	defer root.Close()
	set, err := list(root)
	if err != nil {
		return err
	}
	if err := show(root, set); err != nil {
		return err
	}
	if err := change(root, set); err != nil {
		return err
	}
	fmt.Println("\nWhat changed, and nothing else did:")
	return diff(vault, copied)
}

// list finds the vault's files; hidden ones are none of its.
func list(root *os.Root) (*vpath.Set, error) {
	var paths []vpath.Path
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if path, err := vpath.Parse(name); err == nil {
			paths = append(paths, path)
		}
		return nil
	})
	return vpath.NewSet(paths), err
}

// show prints the outline, tags and links of every note.
func show(root *os.Root, set *vpath.Set) error {
	for path := range set.All() {
		if !path.IsNote() {
			continue
		}
		src, err := root.ReadFile(string(path))
		if err != nil {
			return err
		}
		note := md.Scan(src)
		fmt.Printf("%s: %d headings, %d tags, %d tasks\n", path, len(note.Headings), len(note.Tags), countTasks(note))
		resolver := set.From(path)
		for _, link := range note.Links {
			target, ok := resolver.Resolve(link.Path(src))
			if !ok {
				target = "nothing"
			}
			fmt.Printf("  line %-2d %-38s means %s\n", note.LineOf(link.Start), link.Of(src), target)
		}
	}
	return nil
}

func countTasks(note *md.Note) (tasks int) {
	for _, item := range note.Items {
		if item.IsTask() {
			tasks++
		}
	}
	return tasks
}

// change edits one note and renames it.
func change(root *os.Root, set *vpath.Set) error {
	const from, to = vpath.Path("Projects/Launch.md"), vpath.Path("Archive/Launch 2026.md")
	if _, ok := set.Find(from); !ok {
		return fmt.Errorf("%s is not in this vault", from)
	}
	if err := rewrite(root, from, func(note *md.Note) ([]md.Splice, error) {
		return edit.SetProperty(note, "status", front.TextValue("active"))
	}); err != nil {
		return err
	}
	if err := rewrite(root, from, func(note *md.Note) ([]md.Splice, error) {
		section, err := edit.FindSection(note, "Launch/Log")
		if err != nil {
			return nil, err
		}
		return edit.AppendSection(note, section, "- second call: the date is fixed")
	}); err != nil {
		return err
	}
	relink := edit.NewRelinker(set, edit.Moves(set, from, to), edit.Shortest)
	for path := range set.All() {
		if err := rewrite(root, path, func(note *md.Note) ([]md.Splice, error) {
			if path.IsCanvas() {
				return relink.Canvas(path, note.Source)
			}
			return relink.Note(path, note), nil
		}); err != nil {
			return err
		}
	}
	if err := root.MkdirAll(string(to.Dir()), 0o755); err != nil {
		return err
	}
	return root.Rename(string(from), string(to))
}

// rewrite applies one edit to a file.
func rewrite(root *os.Root, path vpath.Path, change func(*md.Note) ([]md.Splice, error)) error {
	src, err := root.ReadFile(string(path))
	if err != nil {
		return err
	}
	splices, err := change(md.Scan(src))
	if err != nil || len(splices) == 0 {
		return err
	}
	return root.WriteFile(string(path), md.Apply(src, splices), 0o644)
}

// diff prints what differs between the vault and its copy.
func diff(vault, copied string) error {
	vault, err := filepath.Abs(vault)
	if err != nil {
		return err
	}
	command := exec.Command("git", "--no-pager", "diff", "--no-index", "--find-renames=30%", "--unified=1", vault, copied)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	err = command.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil // there are differences
	}
	return err
}
