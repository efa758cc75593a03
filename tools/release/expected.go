package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// expected lists the files of a release for all platforms, and what is in each of them, with VERSION for the version's
// number. -update rewrites it.
//
//go:embed expected.txt
var expected string

const expectedFile = "tools/release/expected.txt"

func (r *release) sortedArtefacts() []artefact {
	return slices.SortedFunc(slices.Values(r.artefacts), func(a, b artefact) int { return strings.Compare(a.name, b.name) })
}

// listing reads the release back: a line for each file, followed by indented lines for what is in it.
func (r *release) listing() (string, error) {
	var out strings.Builder
	for _, a := range r.sortedArtefacts() {
		content, err := os.ReadFile(filepath.Join(r.out, a.name))
		if err != nil {
			return "", err
		}
		files, err := unpack(a.name, content)
		if err != nil {
			return "", fmt.Errorf("%s: %w", a.name, err)
		}
		fmt.Fprintln(&out, a.name)
		for _, f := range sorted(files) {
			fmt.Fprintf(&out, "\t%s %s\n", f.mode, f.name)
		}
	}
	return r.generalise(out.String()), nil
}

func (r *release) generalise(text string) string {
	return strings.NewReplacer(r.packageVersion(), "VERSION", r.number, "VERSION").Replace(text)
}

func (r *release) writeExpected() error {
	if len(r.platforms) != len(known) {
		return errors.New("the list of expected files needs all platforms")
	}
	listing, err := r.listing()
	if err != nil {
		return err
	}
	return os.WriteFile(expectedFile, []byte(listing), 0o644)
}

// compareWithExpected makes sure that no file is missing or new. With fewer platforms, only what was made is compared.
func (r *release) compareWithExpected() error {
	listing, err := r.listing()
	if err != nil {
		return err
	}
	got, want := sections(listing), sections(expected)
	var wrong []string
	for name, content := range got {
		if wanted, ok := want[name]; !ok {
			wrong = append(wrong, name+" is new")
		} else if content != wanted {
			wrong = append(wrong, fmt.Sprintf("%s contains\n%swant\n%s", name, content, wanted))
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok && len(r.platforms) == len(known) && !strings.Contains(name, "_image_") {
			wrong = append(wrong, name+" is missing")
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("the release differs from %s:\n%s\nIf that is intended, run make release UPDATE=1", expectedFile, strings.Join(wrong, "\n"))
}

// sections splits a listing into what is below each file's name.
func sections(listing string) map[string]string {
	found := map[string]string{}
	name := ""
	for line := range strings.Lines(listing) {
		if strings.HasPrefix(line, "\t") {
			found[name] += line
		} else {
			name = strings.TrimSpace(line)
			found[name] = ""
		}
	}
	return found
}
