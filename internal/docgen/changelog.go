package docgen

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// fragmentKinds are the words that a fragment of the changelog may start with, in the order in which a version lists them.
var fragmentKinds = []string{"Security", "Removed", "Changed", "New", "Better", "Fixed"}

// unreleased is the folder of the fragments that belong to no version yet.
const unreleased = "unreleased"

// dateFile holds the date of a version, in that version's folder.
const dateFile = "date.txt"

// fragment is one change that a user can notice.
type fragment struct{ kind, title, text string }

// Changelog returns CHANGELOG.md: the released versions in the folder changelog, the newest first. It also checks the
// fragments that are not released yet.
func Changelog(folder fs.FS) (string, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return "", err
	}
	var versions []string
	var problems error
	for _, entry := range entries {
		switch name := entry.Name(); {
		case !entry.IsDir():
		case name == unreleased:
			_, err := fragments(folder, unreleased)
			problems = errors.Join(problems, err)
		case versionNumbers(name) == nil:
			problems = errors.Join(problems, fmt.Errorf("changelog/%s is not a version like 1.2.0 or 1.2.0-rc.1", name))
		default:
			versions = append(versions, name)
		}
	}
	slices.SortFunc(versions, func(a, b string) int { return compareVersions(b, a) })
	var out strings.Builder
	out.WriteString("# Changelog\n\nGenerated from the folder `changelog`. What the next version brings is in `changelog/unreleased`.\n")
	for _, version := range versions {
		problems = errors.Join(problems, writeVersion(&out, folder, version))
	}
	return out.String(), problems
}

func writeVersion(out *strings.Builder, folder fs.FS, version string) error {
	date, err := fs.ReadFile(folder, version+"/"+dateFile)
	if err != nil {
		return err
	}
	all, err := fragments(folder, version)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n## %s (%s)\n", version, strings.TrimSpace(string(date)))
	kind := ""
	for _, f := range all {
		if f.kind != kind {
			kind = f.kind
			fmt.Fprintf(out, "\n### %s\n", kind)
		}
		fmt.Fprintf(out, "\n**%s%s.** %s\n", strings.ToUpper(f.title[:1]), f.title[1:], f.text)
	}
	return nil
}

// fragments reads those of a folder, by kind and then by file name.
func fragments(folder fs.FS, dir string) ([]fragment, error) {
	names, err := fs.Glob(folder, dir+"/*.md")
	if err != nil {
		return nil, err
	}
	all := make([]fragment, 0, len(names))
	for _, name := range names {
		content, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		f, err := parseFragment(string(content))
		if err != nil {
			return nil, fmt.Errorf("changelog/%s: %w", name, err)
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b fragment) int {
		return cmp.Compare(slices.Index(fragmentKinds, a.kind), slices.Index(fragmentKinds, b.kind))
	})
	return all, nil
}

func parseFragment(content string) (fragment, error) {
	heading, text, _ := strings.Cut(content, "\n")
	kind, title, found := strings.Cut(heading, ": ")
	title, text = strings.TrimSpace(title), strings.TrimSpace(text)
	switch {
	case !found || !slices.Contains(fragmentKinds, kind):
		return fragment{}, fmt.Errorf("the first line must be one of %s, a colon and a title", strings.Join(fragmentKinds, ", "))
	case title == "" || text == "":
		return fragment{}, errors.New("a title and a text are required")
	}
	return fragment{kind, title, strings.ReplaceAll(text, "](../../", "](")}, nil // the links as seen from CHANGELOG.md
}

// versionNumbers splits "1.2.0-rc.1" into 1, 2, 0, 0, 1, and "1.2.0" into 1, 2, 0, 1, so that a version sorts after its
// candidates. It returns nil for anything else.
func versionNumbers(version string) []int {
	release, candidate, isCandidate := strings.Cut(version, "-rc.")
	parts := strings.Split(release, ".")
	if len(parts) != 3 {
		return nil
	}
	if isCandidate {
		parts = append(parts, "0", candidate)
	} else {
		parts = append(parts, "1")
	}
	numbers := make([]int, len(parts))
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || strconv.FormatUint(n, 10) != part {
			return nil
		}
		numbers[i] = int(n)
	}
	return numbers
}

func compareVersions(a, b string) int { return slices.Compare(versionNumbers(a), versionNumbers(b)) }
