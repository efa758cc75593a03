// Command workflows checks .github/workflows with actionlint and with rules of our own: nothing runs that somebody else could
// replace, and no job may do more than it has to. tools/deploy-check runs it in the root of the sources.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rhysd/actionlint"
)

func main() {
	problems, count, err := check(".")
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "workflows:", err)
		os.Exit(1)
	case len(problems) > 0:
		fmt.Fprintln(os.Stderr, strings.Join(problems, "\n"))
		os.Exit(1)
	}
	fmt.Printf("%d workflows: no problems\n", count)
}

// check returns the problems of all workflows, and how many there are.
func check(root string) (problems []string, count int, err error) {
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err == nil && len(files) == 0 {
		err = errors.New("there is no .github/workflows/*.yml here")
	}
	if err != nil {
		return nil, 0, err
	}
	docker, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		return nil, 0, err
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		found, err := checkWorkflow(filepath.Base(name), string(source), string(docker))
		if err != nil {
			return nil, 0, err
		}
		problems = append(problems, found...)
	}
	return problems, len(files), nil
}

var (
	uses         = regexp.MustCompile(`(?m)^\s*(?:- )?uses: *(.*)$`)
	pinned       = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$`)
	builder      = regexp.MustCompile(`(?m)^FROM .*\bgolang:([0-9.]+)`)
	goVersion    = regexp.MustCompile(`(?m)^\s*go-version: *"?([^"\s]+)`)
	interpolated = regexp.MustCompile(`(?m)^\s*(?:- )?run: .*\$\{\{`)
)

func checkWorkflow(name, source, docker string) ([]string, error) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		return nil, err
	}
	// Without a project, because a reusable workflow is looked for in the current folder.
	lints, err := linter.Lint(name, []byte(source), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var problems []string
	wrong := func(format string, args ...any) {
		problems = append(problems, name+": "+fmt.Sprintf(format, args...))
	}
	for _, lint := range lints {
		wrong("line %d: %s", lint.Line, lint.Message)
	}
	for _, match := range uses.FindAllStringSubmatch(source, -1) {
		if action := strings.TrimSpace(match[1]); !pinned.MatchString(action) && !strings.HasPrefix(action, "./") {
			wrong("'%s' is not pinned by the hash of a commit, with its version in a comment", action)
		}
	}
	compiler := builder.FindStringSubmatch(docker)
	if compiler == nil {
		return nil, errors.New("the Dockerfile names no version of Go")
	}
	for _, match := range goVersion.FindAllStringSubmatch(source, -1) {
		if match[1] != compiler[1] {
			wrong("go-version is %s, but the Dockerfile has %s: a release must not depend on who compiles it", match[1], compiler[1])
		}
	}
	if !strings.Contains(source, "\npermissions:\n  contents: read\n") {
		wrong("jobs without permissions of their own must only read: permissions: contents: read")
	}
	if strings.Contains(source, "pull_request_target") {
		wrong("pull_request_target gives secrets to other people's changes")
	}
	if interpolated.MatchString(source) {
		wrong("an expression in a command can run what a name says; pass it as a variable")
	}
	for _, checkout := range strings.Split(source, "uses: actions/checkout@")[1:] {
		step, _, _ := strings.Cut(checkout, "\n      - ")
		if !strings.Contains(step, "persist-credentials: false") {
			wrong("a checkout leaves its token to the steps after it: persist-credentials: false")
		}
	}
	return problems, nil
}
