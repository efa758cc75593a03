// Command deploycheck reads the Dockerfile and compose.yaml with the parsers of BuildKit and Compose, and checks them
// against the promises of docs/DEPLOY.md.
//
//	deploycheck lint ROOT          report all problems, and fail if there are any
//	deploycheck steps ROOT         print the commands that build the image's root, as a shell script
//	deploycheck environment ROOT   print the image's variables, one NAME=VALUE per line
//	deploycheck user ROOT          print the user that the image runs as
//	deploycheck static PROGRAM     fail if a program is linked dynamically
//
// All but the first are for tools/image, which builds and runs the image without a container engine.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: deploycheck lint|steps|environment|user ROOT, deploycheck static PROGRAM")
		os.Exit(2)
	}
	run := runOnFiles
	if os.Args[1] == "static" {
		run = func(_, name string) error { return checkStatic(name) }
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runOnFiles(command, root string) error {
	name := filepath.Join(root, "Dockerfile")
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := parseDockerfile(source)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch command {
	case "lint":
		return lint(file, root)
	case "steps":
		fmt.Println(strings.Join(file.steps(), "\n"))
	case "environment":
		fmt.Println(strings.Join(file.environment(), "\n"))
	case "user":
		fmt.Println(file.user())
	default:
		return fmt.Errorf("deploycheck: unknown command %q", command)
	}
	return nil
}

func lint(file dockerfile, root string) error {
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	problems := append(file.problems(), file.compilerProblems(string(module))...)
	without, err := loadCompose(context.Background(), root, nil)
	if err != nil {
		return err
	}
	with, err := loadCompose(context.Background(), root, []string{"livesync"})
	if err != nil {
		return err
	}
	problems = append(problems, composeProblems(without, with)...)
	overlaid, err := loadCompose(context.Background(), root, []string{"livesync"}, "compose.livesync.yaml")
	if err != nil {
		return err
	}
	problems = append(problems, overlayProblems(overlaid)...)
	if len(problems) > 0 {
		return fmt.Errorf("%s", strings.Join(problems, "\n"))
	}
	fmt.Printf("Dockerfile: %d stages, %d instructions; compose.yaml: %d services, %d more with the profile livesync: no problems\n",
		len(file.stages), file.instructions(), len(without.Services), len(with.Services)-len(without.Services))
	return nil
}
