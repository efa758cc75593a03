package app

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// realFolder resolves the symbolic links in the path of a folder, and spells it as it is listed. The rest of a path that does not exist, or is
// on a drive that does not answer, stays as it is written.
func realFolder(dir string) string {
	path, err := filepath.Abs(dir)
	if dir == "" || err != nil {
		return dir // the working folder has been removed
	}
	steps := []string{path}
	for up := filepath.Dir(path); up != steps[0]; up = filepath.Dir(up) {
		steps = append([]string{up}, steps...)
	}
	found := make(chan string, len(steps)) // the path, resolved one step further each time
	go func() {
		defer close(found)
		for _, step := range steps {
			start, err := filepath.EvalSymlinks(step)
			if err != nil {
				return
			}
			found <- system.Spelling(start) + string(filepath.Separator) + path[len(step):]
		}
	}()
	timer := time.NewTimer(resolvingTime)
	defer timer.Stop()
	resolved := path
	for {
		select {
		case further, more := <-found:
			if !more {
				return resolved
			}
			resolved = filepath.Clean(further)
		case <-timer.C:
			return resolved
		}
	}
}

// resolvingTime is how long the path to a folder is followed. A sleeping disk wakes up in that time.
const resolvingTime = 3 * time.Second

// checkOutside refuses to keep the history, the index or the audit log among the notes: they would be read, edited and
// synced with them, also by callers who may not see all notes. Hidden folders hold no notes.
func checkOutside(dir string, settings config.Config) error {
	for _, setting := range config.Settings() {
		path, _ := setting.Path(settings)
		if path == "" || setting.Vault == config.VaultFolder {
			continue
		}
		inside, err := filepath.Rel(dir, realPath(path))
		if err != nil || !filepath.IsLocal(inside) || strings.HasPrefix(inside, ".") && inside != "." {
			continue
		}
		return fault.InvalidArgument.Errorf("%s is inside the vault", settings.From(setting.Name)).
			WithHint("choose a path outside the vault")
	}
	return nil
}

// realPath resolves a path that need not exist yet.
func realPath(path string) string {
	resolved := realFolder(path)
	if _, err := os.Lstat(resolved); err == nil || filepath.Dir(resolved) == resolved {
		return resolved
	}
	return filepath.Join(realPath(filepath.Dir(resolved)), filepath.Base(resolved))
}
