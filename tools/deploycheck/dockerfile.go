package main

import (
	"bytes"
	"fmt"
	goversion "go/version"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// dockerfile is a Dockerfile as BuildKit reads it, with the warnings of BuildKit's linter.
type dockerfile struct {
	stages []instructions.Stage
	lints  []string
}

func parseDockerfile(source []byte) (dockerfile, error) {
	var file dockerfile
	result, err := parser.Parse(bytes.NewReader(source))
	if err != nil {
		return file, err
	}
	for _, warning := range result.Warnings {
		file.lints = append(file.lints, "Dockerfile: "+warning.Short)
	}
	rules := linter.New(&linter.Config{Warn: func(rule, _, _, message string, at []parser.Range) {
		file.lints = append(file.lints, fmt.Sprintf("Dockerfile:%d: %s (%s)", at[0].Start.Line, message, rule))
	}})
	file.stages, _, err = instructions.Parse(result.AST, rules)
	if err == nil && len(file.stages) == 0 {
		err = fmt.Errorf("the file has no stage")
	}
	return file, err
}

// image returns the last stage, which is shipped.
func (f dockerfile) image() instructions.Stage { return f.stages[len(f.stages)-1] }

func (f dockerfile) instructions() (count int) {
	for _, stage := range f.stages {
		count += 1 + len(stage.Commands)
	}
	return count
}

// steps returns the commands of the stages before the image.
func (f dockerfile) steps() (steps []string) {
	for _, stage := range f.stages[:len(f.stages)-1] {
		for _, run := range commands[*instructions.RunCommand](stage) {
			steps = append(steps, strings.Join(run.CmdLine, " "))
		}
	}
	return steps
}

func (f dockerfile) environment() (variables []string) {
	for _, env := range commands[*instructions.EnvCommand](f.image()) {
		for _, pair := range env.Env {
			variables = append(variables, pair.Key+"="+pair.Value)
		}
	}
	return variables
}

func (f dockerfile) user() string {
	if users := commands[*instructions.UserCommand](f.image()); len(users) > 0 {
		return users[len(users)-1].User
	}
	return ""
}

// problems lists the rules that the file breaks.
func (f dockerfile) problems() []string {
	problems := slices.Clone(f.lints)
	wrong := func(format string, args ...any) {
		problems = append(problems, "Dockerfile: "+fmt.Sprintf(format, args...))
	}
	for _, stage := range f.stages {
		if why := unpinned(stage.BaseName); why != "" {
			wrong("FROM %s: %s", stage.BaseName, why)
		}
		f.checkNames(stage, wrong)
	}
	if len(f.stages) < 2 {
		wrong("the build tools must not be shipped: use two stages")
	}
	if !strings.Contains(strings.Join(f.steps(), "\n"), "tools/compile ") {
		wrong("the program must be built by tools/compile, which has the flags of all builds")
	}
	if !numericUser.MatchString(f.user()) {
		wrong("USER is %q, but must be a number other than 0, so that runtimes see that it is not root", f.user())
	}
	f.checkHealth(wrong)
	f.checkStart(wrong)
	return problems
}

// compilerProblems reports a builder whose Go is older than go.mod requires: the builder's image does not download
// another one.
func (f dockerfile) compilerProblems(module string) []string {
	required := goLine.FindStringSubmatch(module)
	tag := goTag.FindStringSubmatch(f.stages[0].BaseName)
	switch {
	case required == nil || tag == nil:
		return []string{"Dockerfile: the first stage must be golang:VERSION, and go.mod must name a version"}
	case goversion.Compare("go"+tag[1], "go"+required[1]) < 0:
		return []string{"Dockerfile: go.mod requires Go " + required[1] + ", but the program is built with " + tag[1]}
	}
	return nil
}

var (
	goLine      = regexp.MustCompile(`(?m)^go ([0-9.]+)$`)
	goTag       = regexp.MustCompile(`^golang:([0-9.]+)`)
	numericUser = regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`)
	version     = regexp.MustCompile(`:v?[0-9]+\.[0-9]+`)
	secretName  = regexp.MustCompile(`(?i)token|secret|passw|credential|api_?key|private_?key`)
)

// unpinned returns why an image's name may mean a different image later, or "".
func unpinned(image string) string {
	switch {
	case image == "scratch" || strings.Contains(image, "@sha256:"):
		return ""
	case !strings.Contains(image, ":") || strings.HasSuffix(image, ":latest"):
		return "name a version, not the latest"
	case !version.MatchString(image):
		return "name at least the major and minor version"
	}
	return ""
}

// checkNames looks for secrets, and for settings that disable authentication. Anybody who has the image can read its ENV
// and ARG values.
func (f dockerfile) checkNames(stage instructions.Stage, wrong func(string, ...any)) {
	var pairs []instructions.KeyValuePair
	for _, env := range commands[*instructions.EnvCommand](stage) {
		pairs = append(pairs, env.Env...)
	}
	for _, arg := range commands[*instructions.ArgCommand](stage) {
		for _, pair := range arg.Args {
			pairs = append(pairs, instructions.KeyValuePair{Key: pair.Key, Value: pair.ValueString()})
		}
	}
	for _, pair := range pairs {
		if secretName.MatchString(pair.Key) {
			wrong("%s: a secret does not belong in ENV or ARG", pair.Key)
		}
		if pair.Key == "OBSIDIAN_MCP_INSECURE_NO_AUTH" {
			wrong("%s: the image must not disable authentication", pair.Key)
		}
	}
}

func (f dockerfile) checkHealth(wrong func(string, ...any)) {
	checks := commands[*instructions.HealthCheckCommand](f.image())
	if len(checks) != 1 || len(checks[0].Health.Test) == 0 || checks[0].Health.Test[0] != "CMD" {
		wrong("the image needs one HEALTHCHECK in exec form, because it has no shell")
	}
}

func (f dockerfile) checkStart(wrong func(string, ...any)) {
	start := commands[*instructions.EntrypointCommand](f.image())
	if len(start) != 1 || start[0].PrependShell {
		wrong("the image needs one ENTRYPOINT in exec form, because it has no shell and signals must reach the program")
	}
	for _, command := range commands[*instructions.CmdCommand](f.image()) {
		if command.PrependShell {
			wrong("CMD must be in exec form")
		}
	}
	if ports := commands[*instructions.ExposeCommand](f.image()); len(ports) != 1 || !slices.Equal(ports[0].Ports, []string{"1065"}) {
		wrong("EXPOSE must say 1065")
	}
	if len(commands[*instructions.RunCommand](f.image())) > 0 {
		wrong("the shipped stage must not use RUN")
	}
}

// commands returns a stage's instructions of one kind.
func commands[C instructions.Command](stage instructions.Stage) (found []C) {
	for _, command := range stage.Commands {
		if c, ok := command.(C); ok {
			found = append(found, c)
		}
	}
	return found
}
