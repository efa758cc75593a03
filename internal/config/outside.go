package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Outside is what the config file says about programs and services beside the vault. What is nil is not configured, and
// the tools that need it are not offered.
type Outside struct {
	Sync *Sync
	ADR  *ADR
	App  *App
}

// Configures reports whether a key of the config file is set: sync, adr or app.
func (o Outside) Configures(key string) bool {
	switch key {
	case "sync":
		return o.Sync != nil
	case "adr":
		return o.ADR != nil
	case "app":
		return o.App != nil
	}
	return false
}

// Sync is how the vault's folder is synced.
type Sync struct {
	Preset  string // one of SyncPresets; "" for the commands below
	Remote  string // of the preset rclone
	Pull    []string
	Push    []string
	Status  []string
	Timeout time.Duration
	Every   time.Duration // 0: only when asked
	Pass    []string      // variables that the commands get although their names look secret
}

// SyncPresets are the sync programs that need no commands.
var SyncPresets = []string{"git", "rclone", "obsidian-headless"}

// ADR is where accepted decision records are published.
type ADR struct {
	Folder    string // of the vault; "" for any
	Repo      string // owner/name
	Path      string // the folder in the repository; "" for its root
	Branch    string // to commit to, or the name of a new one, where {slug} stands for the file's name; "" for the default
	Mode      string // pr or commit
	TokenFile string
	API       string
}

// App is how the running Obsidian app is reached.
type App struct {
	Commands []string // ids of commands that callers may run
	Program  string   // the command line program; "" to look for it
}

// outsideKeys returns the keys of the config file for what is beside the vault.
func outsideKeys() map[string]func(*fileSettings, *yaml.Node) error {
	return map[string]func(*fileSettings, *yaml.Node) error{
		"sync": func(f *fileSettings, node *yaml.Node) (err error) {
			f.outside.Sync, err = parseSync(node)
			return within("sync", err)
		},
		"adr": func(f *fileSettings, node *yaml.Node) (err error) {
			f.outside.ADR, err = parseADR(node)
			return within("adr", err)
		},
		"app": func(f *fileSettings, node *yaml.Node) error {
			var on bool
			if err := node.Decode(&on); err != nil {
				return errors.New("app must be true or false")
			}
			f.hasApp = on
			return nil
		},
		"app_commands": func(f *fileSettings, node *yaml.Node) error {
			err := decodeList("app_commands", node, &f.app.Commands)
			return within("app_commands", cmp.Or(err, checkCommandIDs(f.app.Commands)))
		},
		"app_program": func(f *fileSettings, node *yaml.Node) error {
			err := decodeField("app_program", node, &f.app.Program)
			f.app.Program = expandHome(f.app.Program)
			return within("app_program", err)
		},
	}
}

// commandID matches the id of a command of Obsidian. Some plugins put the path of a file in it.
var commandID = regexp.MustCompile(`^[\pL\pN][\pL\pN:_./ -]*$`)

func checkCommandIDs(ids []string) error {
	for _, id := range ids {
		if !commandID.MatchString(id) {
			return fmt.Errorf("'%s' must be the id of a command of Obsidian, such as daily-notes", id)
		}
	}
	return nil
}

func parseSync(node *yaml.Node) (*Sync, error) {
	sync := &Sync{Timeout: time.Minute}
	if node.Kind == yaml.ScalarNode {
		sync.Preset = textOf(node)
		return sync, sync.check()
	}
	var timeout, every string
	commands := map[string]*[]string{"pull": &sync.Pull, "push": &sync.Push, "status": &sync.Status}
	fields := map[string]any{
		"preset": &sync.Preset, "remote": &sync.Remote, "timeout": &timeout, "every": &every, "environment": &sync.Pass,
	}
	valid := []string{"preset", "remote", "pull", "push", "status", "timeout", "every", "environment"}
	err := eachKey(node, valid, func(key string, value *yaml.Node) error {
		if command, ok := commands[key]; ok {
			return within(key, decodeCommand(value, command))
		}
		return within(key, decodeField(key, value, fields[key]))
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(parseSpan("timeout", timeout, &sync.Timeout), parseSpan("every", every, &sync.Every)); err != nil {
		return nil, err
	}
	return sync, sync.check()
}

func parseSpan(key, text string, into *time.Duration) error {
	if text == "" {
		return nil
	}
	span, err := time.ParseDuration(text)
	if err != nil || span < time.Second {
		return fmt.Errorf("%s: '%s' must be a time such as 30s or 5m, of at least a second", key, text)
	}
	*into = span
	return nil
}

// decodeCommand reads a program with its arguments: a list, or words without quotes. Nothing is left to a shell, so what
// only a shell understands is refused rather than passed on.
func decodeCommand(node *yaml.Node, into *[]string) error {
	if node.Kind == yaml.ScalarNode {
		words := strings.Fields(textOf(node))
		if strings.ContainsAny(textOf(node), "\"'`$|&;<>*?(){}[]\\~") {
			return errors.New("the command is not run by a shell: write it as a list, such as [git, pull, --rebase]")
		}
		if len(words) == 0 {
			return errors.New("it is empty; remove the key if you do not need the command")
		}
		*into = words
		return nil
	}
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		return errors.New("it must be a list, such as [git, pull, --rebase]")
	}
	for _, item := range node.Content {
		if item.Kind != yaml.ScalarNode {
			return errors.New("its entries must be strings")
		}
		*into = append(*into, textOf(item))
	}
	if (*into)[0] == "" {
		return errors.New("the program has no name")
	}
	return nil
}

func (s *Sync) check() error {
	ownCommands := len(s.Pull)+len(s.Push)+len(s.Status) > 0
	switch {
	case s.Preset != "" && !slices.Contains(SyncPresets, s.Preset):
		return fmt.Errorf("unknown preset '%s'; use %s, or give pull and push", s.Preset, strings.Join(SyncPresets, ", "))
	case s.Preset != "" && ownCommands:
		return errors.New("give either preset, or pull, push and status")
	case s.Preset == "" && len(s.Pull)+len(s.Push) == 0:
		return fmt.Errorf("it needs preset (%s), or pull and push", strings.Join(SyncPresets, ", "))
	case s.Preset == "rclone" && s.Remote == "":
		return errors.New("the preset rclone needs remote, such as drive:Notes")
	case s.Preset != "rclone" && s.Remote != "":
		return errors.New("remote is only for the preset rclone")
	case strings.HasPrefix(s.Remote, "-"):
		return fmt.Errorf("remote: '%s' must not begin with a dash", s.Remote)
	}
	return nil
}

var (
	repoName   = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	branchName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./{}-]*$`)
)

func parseADR(node *yaml.Node) (*ADR, error) {
	adr := &ADR{Path: "docs/adr", Mode: "pr", API: "https://api.github.com"}
	err := eachKey(node, []string{"folder", "repo", "path", "branch", "mode", "token_file", "api"}, func(key string, value *yaml.Node) error {
		if key == "folder" {
			folder, err := parseFolder(key, value)
			if err == nil {
				adr.Folder = *folder
			}
			return err
		}
		into := map[string]any{
			"repo": &adr.Repo, "path": &adr.Path, "branch": &adr.Branch, "mode": &adr.Mode,
			"token_file": &adr.TokenFile, "api": &adr.API,
		}[key]
		return within(key, decodeField(key, value, into))
	})
	if err != nil {
		return nil, err
	}
	adr.TokenFile = expandHome(adr.TokenFile)
	adr.Path = strings.Trim(adr.Path, "/")
	adr.API = strings.TrimRight(adr.API, "/")
	return adr, adr.check()
}

func (a *ADR) check() error {
	switch {
	case a.Repo == "" || a.TokenFile == "":
		return errors.New("it needs repo (owner/name) and token_file")
	case !repoName.MatchString(a.Repo) || strings.Contains(a.Repo, ".."):
		return fmt.Errorf("repo: '%s' must be owner/name", a.Repo)
	case a.Mode != "pr" && a.Mode != "commit":
		return fmt.Errorf("mode: '%s' must be pr or commit", a.Mode)
	case a.Path != "" && (path.Clean(a.Path) != a.Path || strings.HasPrefix(a.Path, "..") || strings.Contains(a.Path, "\\")):
		return fmt.Errorf("path: '%s' must be a folder of the repository, such as docs/adr", a.Path)
	case a.Branch != "" && (!branchName.MatchString(a.Branch) || strings.Contains(a.Branch, "..") || strings.HasSuffix(a.Branch, "/")):
		return fmt.Errorf("branch: '%s' must be the name of a branch, such as adr/{slug}", a.Branch)
	case a.Mode == "pr" && a.Branch != "" && !strings.Contains(a.Branch, "{slug}"):
		return fmt.Errorf("branch: '%s' must contain {slug}, so that each decision gets a branch of its own", a.Branch)
	case a.Mode == "commit" && strings.ContainsAny(a.Branch, "{}"):
		return fmt.Errorf("branch: '%s' must be the name of a branch; {slug} is for mode pr", a.Branch)
	}
	return checkAPI(a.API)
}

// checkAPI refuses an address to which a token must not be sent.
func checkAPI(address string) error {
	api, err := url.Parse(address)
	if err != nil || api.Host == "" || api.User != nil || api.RawQuery != "" || api.Fragment != "" {
		return fmt.Errorf("api: '%s' must be an address such as https://api.github.com", address)
	}
	host := api.Hostname()
	isLoopback := host == "localhost" || net.ParseIP(host) != nil && net.ParseIP(host).IsLoopback()
	if api.Scheme != "https" && (api.Scheme != "http" || !isLoopback) {
		return fmt.Errorf("api: '%s' must begin with https:// (the token is sent there)", address)
	}
	return nil
}
