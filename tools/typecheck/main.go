// Typecheck checks the types of the module in the current folder, its tests and everything that they import, for the
// platforms named as arguments ("darwin/arm64"). It reads sources only, so it needs seconds where a build for another
// platform compiles the standard library first.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		system, processor, _ := strings.Cut(platform, "/")
		count, err := check(system, processor)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
			failed = true
			continue
		}
		fmt.Printf("%s: the types of %d packages are right\n", platform, count)
	}
	if failed {
		os.Exit(1)
	}
}

// check returns the number of packages, and an error with all that is wrong in them.
func check(system, processor string) (int, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		Tests: true,
	}, "./...")
	if err != nil {
		return 0, err
	}
	count := 0
	var wrong []string
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		count++
		for _, e := range p.Errors {
			wrong = append(wrong, e.Error())
		}
	})
	if len(wrong) > 0 {
		return count, fmt.Errorf("%d errors:\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
	return count, nil
}
