package crash

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// found is the content of the disk.
type found struct {
	files     files
	trash     []string // contents
	leftovers []string // files that a crash should not have left
}

// read reads everything below a world's folder, without using any of the program's own code.
func (w *world) read() (found, error) {
	all := found{files: files{}}
	err := filepath.WalkDir(w.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inVault, err := filepath.Rel(w.vault(), name)
		if err != nil {
			return err
		}
		inVault = filepath.ToSlash(inVault)
		switch own := strings.HasPrefix(inVault, "../"); {
		case own && kept.MatchString(inVault):
			return nil
		case own, isTemporary(inVault):
			all.leftovers = append(all.leftovers, inVault)
			return nil
		}
		content, err := os.ReadFile(name)
		if strings.HasPrefix(inVault, ".trash/") {
			all.trash = append(all.trash, string(content))
		} else {
			all.files[inVault] = string(content)
		}
		return err
	})
	return all, err
}

// isTemporary reports whether a file was being written.
func isTemporary(name string) bool {
	return strings.Contains(name, ".obsidian-mcp-") || strings.HasSuffix(name, ".tmp")
}

// kept matches the files that the program keeps beside the vault, and the captured output of the program under test. It
// does not match journals of running changes, or versions that were set aside because another program seemed to have
// written a note. Drafts of the index in the cache are removed when they are an hour old.
var kept = regexp.MustCompile(`^\.\./(state/confirm\.key|state/[^/]+/lock|state/[^/]+/history/(lock|[^/.]+\.log)|\.cache/.*|(stdout|stderr)\d+)$`)

// settle checks that the vault is as it must be, with the interrupted change made completely or not at all, and reports
// which. From then on the vault must stay like that.
func (w *world) settle(interrupted *change) (made bool, err error) {
	there, err := w.read()
	if err != nil {
		return false, err
	}
	if len(there.leftovers) > 0 {
		return false, fmt.Errorf("left behind: %q", there.leftovers)
	}
	without := differences(there, w.now, w.trash)
	if len(without) == 0 {
		return false, nil
	}
	if interrupted == nil {
		return false, fmt.Errorf("the vault has changed:\n%s", list(without))
	}
	with := differences(there, interrupted.after, append(slices.Clone(w.trash), interrupted.discards...))
	if len(with) == 0 {
		w.made(*interrupted)
		return true, nil
	}
	return false, fmt.Errorf("neither before %s nor after it.\nNot as before:\n%s\nnot as after:\n%s", interrupted.tool, list(without), list(with))
}

// differences lists how the disk differs from the wanted files and trash.
func differences(there found, want files, trash []string) []string {
	var wrong []string
	for _, path := range slices.Sorted(maps.Keys(want)) {
		content, exists := there.files[path]
		switch {
		case !exists:
			wrong = append(wrong, path+" is missing")
		case content != want[path]:
			wrong = append(wrong, fmt.Sprintf("%s holds %d bytes beginning with %q, but should hold %d beginning with %q",
				path, len(content), start(content), len(want[path]), start(want[path])))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(there.files)) {
		if _, wanted := want[path]; !wanted {
			wrong = append(wrong, path+" should not be there")
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(there.trash)), slices.Sorted(slices.Values(trash))) {
		wrong = append(wrong, fmt.Sprintf("the trash holds %d files, but should hold %d, or others", len(there.trash), len(trash)))
	}
	return wrong
}

func start(content string) string { return content[:min(len(content), 60)] }

// list joins the first few differences.
func list(wrong []string) string {
	if more := len(wrong) - 8; more > 0 {
		wrong = append(wrong[:8:8], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(wrong, "\n")
}
