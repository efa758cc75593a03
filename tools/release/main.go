// Command release makes everything that a release consists of, in a folder: an archive for each platform, packages for
// Debian, Fedora and npm, bundles for Claude Desktop, the image's root, manifests for Homebrew and Scoop, the list of
// modules, and the checksums of them all. The same commit gives the same bytes, wherever it is built.
//
//	release -version v1.2.3 [-platforms linux/amd64,…] [-out dist] [-image=false]
//
// It runs in the root of the sources. docs/adr/0025-releases.md says why it is a program of our own.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	version := flag.String("version", "", "the release's tag, such as v1.2.3")
	platforms := flag.String("platforms", strings.Join(allPlatforms(), ","), "for which systems and processors")
	out := flag.String("out", "dist", "the folder to make; an earlier one is replaced")
	image := flag.Bool("image", true, "also make the image's root, which compiles the program once more")
	update := flag.Bool("update", false, "rewrite the list of expected files instead of comparing with it")
	flag.Parse()
	r, err := newRelease(*version, *platforms, *out)
	if err == nil {
		err = r.make(*image, *update)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// make writes all files. Each step uses what the steps before it have made.
func (r *release) make(image, update bool) error {
	steps := []func() error{r.begin, r.compile, r.readTexts, r.makeArchives, r.makeDebs, r.makeRPMs, r.makeNPM, r.makeBundles}
	if image {
		steps = append(steps, r.makeImages)
	}
	steps = append(steps, r.makeFormula, r.makeScoop, r.makeServer, r.makeSBOM, r.makeChecksums)
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if update {
		return r.writeExpected()
	}
	if err := r.compareWithExpected(); err != nil {
		return err
	}
	fmt.Printf("%s of commit %.12s: %d files in %s\n", r.version, r.commit, len(r.artefacts)+1, r.out)
	return nil
}
