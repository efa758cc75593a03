// Command size says which modules make the program large, and holds the bounds of docs/DEPENDENCIES.md. It runs in the root of
// the sources, on a program that SYMBOLS=1 tools/compile has made for Linux.
//
//	size PROGRAM           compare with the document
//	size -update PROGRAM   write the document
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

const document = "docs/DEPENDENCIES.md"

func main() {
	update := flag.Bool("update", false, "write the document instead of comparing with it")
	flag.Parse()
	if err := run(flag.Arg(0), *update); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(program string, update bool) error {
	measured, err := measure(program)
	if err != nil {
		return err
	}
	if problems := measured.problems(); len(problems) > 0 {
		return fmt.Errorf("%s", strings.Join(problems, "\n"))
	}
	if update {
		return os.WriteFile(document, []byte(measured.document()), 0o644)
	}
	content, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	if problems := measured.compare(string(content)); len(problems) > 0 {
		return fmt.Errorf("%s is out of date; make dependencies writes it:\n%s", document, strings.Join(problems, "\n"))
	}
	fmt.Printf("size: %s, of which %d modules are %s; at most %s is allowed\n",
		megabytes(measured.stripped), len(measured.modules), megabytes(measured.ofModules()), megabytes(limit))
	return nil
}
