package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// release is what is being made.
type release struct {
	version    string // v1.2.3
	number     string // 1.2.3
	commit     string
	date       time.Time // of the commit: the time of every file in every archive
	repository repository
	platforms  []platform
	out        string

	work      string              // for what is not shipped by itself
	programs  map[platform]string // the compiled programs
	texts     texts
	modules   []module
	artefacts []artefact
}

// artefact is a file of the release.
type artefact struct {
	name     string
	platform platform // none if it is for all
}

// repository is where the owner publishes, as OWNER/NAME on GitHub.
type repository string

// defaultRepository holds unless GITHUB_REPOSITORY says otherwise, as it does in a workflow.
const defaultRepository repository = "obsidian-mcp/obsidian-mcp"

func (r repository) url() string   { return "https://github.com/" + string(r) }
func (r repository) owner() string { owner, _, _ := strings.Cut(string(r), "/"); return owner }

// maintainer is the name and address that packages must have.
func (r repository) maintainer() string {
	return fmt.Sprintf("%s <%s@users.noreply.github.com>", r.owner(), r.owner())
}

// serverName is the name in the MCP registry.
func (r repository) serverName() string { return "io.github." + r.owner() + "/obsidian-mcp" }

var (
	versionForm    = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$`)
)

func newRelease(version, platforms, out string) (*release, error) {
	if !versionForm.MatchString(version) {
		return nil, fmt.Errorf("'%s' is not a version; say VERSION=v1.2.3 or VERSION=v1.2.3-rc.1", version)
	}
	r := &release{version: version, number: version[1:], out: out, repository: defaultRepository}
	if name := os.Getenv("GITHUB_REPOSITORY"); name != "" {
		r.repository = repository(name)
	}
	if !repositoryForm.MatchString(string(r.repository)) {
		return nil, fmt.Errorf("GITHUB_REPOSITORY is '%s', want OWNER/NAME", r.repository)
	}
	for _, name := range strings.FieldsFunc(platforms, func(c rune) bool { return c == ',' || c == ' ' }) {
		system, processor, _ := strings.Cut(name, "/")
		p := platform{system, processor}
		if !slices.Contains(known, p) {
			return nil, fmt.Errorf("unknown platform '%s'; use some of %s", name, strings.Join(allPlatforms(), " "))
		}
		if !slices.Contains(r.platforms, p) {
			r.platforms = append(r.platforms, p)
		}
	}
	if len(r.platforms) == 0 {
		return nil, errors.New("name at least one platform")
	}
	slices.SortFunc(r.platforms, func(a, b platform) int { return slices.Index(known, a) - slices.Index(known, b) })
	return r, r.readCommit()
}

// readCommit finds out what is released. Without the tag it is a rehearsal, which anybody can do; with the tag it must be
// exactly what the tag names.
func (r *release) readCommit() error {
	commit, err := git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	seconds, err := git("show", "--no-patch", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.commit, r.date = commit, time.Unix(unix, 0).UTC()
	tagged, err := git("rev-parse", "--verify", "--quiet", "refs/tags/"+r.version+"^{commit}")
	changes, statusErr := git("status", "--porcelain", "--untracked-files=no")
	switch {
	case statusErr != nil:
		return statusErr
	case err != nil:
		fmt.Printf("the tag %s does not exist: this is a rehearsal with commit %.12s\n", r.version, commit)
	case tagged != commit:
		return fmt.Errorf("the tag %s is commit %.12s, but %.12s is checked out; check out the tag", r.version, tagged, commit)
	case changes != "":
		return fmt.Errorf("the sources are not those of the tag %s:\n%s", r.version, changes)
	}
	return nil
}

func git(arguments ...string) (string, error) {
	output, err := exec.Command("git", arguments...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(arguments, " "), err)
	}
	return strings.TrimSpace(string(output)), nil
}

// begin makes an empty folder. It replaces only an earlier release.
func (r *release) begin() error {
	entries, err := os.ReadDir(r.out)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(r.out, checksums)); err != nil {
			return fmt.Errorf("%s is not empty and is not a release; remove it or name another folder", r.out)
		}
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	r.work = filepath.Join(r.out, "work")
	if err := os.MkdirAll(r.work, 0o755); err != nil {
		return err
	}
	// A release that fails can be replaced, too.
	return os.WriteFile(filepath.Join(r.out, checksums), nil, 0o644)
}

// write adds a file to the release.
func (r *release) write(name string, p platform, content []byte) error {
	r.artefacts = append(r.artefacts, artefact{name, p})
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644)
}

// run runs a command, and shows its output only if it fails.
func run(environment []string, name string, arguments ...string) error {
	command := exec.Command(name, arguments...)
	command.Env = append(os.Environ(), environment...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(arguments, " "), err, output)
	}
	return nil
}

// indented returns a value as JSON for people, in which ">" is not escaped.
func indented(value any, indent string) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	err := encoder.Encode(value)
	return out.Bytes(), err
}
