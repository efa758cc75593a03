package vaultsync

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// Last is the outcome of the last sync, by whichever server of the vault.
type Last struct {
	Version   int       `json:"version"` // of the file's format
	Time      time.Time `json:"time"`    // when it ended
	State     State     `json:"state"`
	TookMS    int64     `json:"took_ms"`
	Conflicts []string  `json:"conflicts,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// lastVersion is the version of the file's format. A file without a version is of the first one.
const lastVersion = 1

const (
	lastFile = "sync.json"
	lockFile = "sync.lock"
)

// Last returns the outcome of the last sync; ok is false if there was none.
func (s *Syncer) Last() (last Last, ok bool) {
	content, err := os.ReadFile(filepath.Join(s.options.StateDir, lastFile))
	if err != nil || json.Unmarshal(content, &last) != nil || last.Version > lastVersion {
		return Last{}, false
	}
	return last, true
}

// isNewer reports whether a newer version of the program has stored an outcome, which it goes on using.
func (s *Syncer) isNewer() bool {
	var stored struct{ Version int }
	content, err := os.ReadFile(filepath.Join(s.options.StateDir, lastFile))
	return err == nil && json.Unmarshal(content, &stored) == nil && stored.Version > lastVersion
}

// keep stores the outcome of a sync. If that fails, only the next status knows less.
func (s *Syncer) keep(outcome Outcome, failed error) {
	if s.isNewer() {
		s.options.Log.Warn("the outcome of the sync is not stored, because a newer version of obsidian-mcp has stored one", "file", lastFile)
		return
	}
	last := Last{Version: lastVersion, Time: time.Now().UTC(), State: outcome.State, TookMS: outcome.Took.Milliseconds(), Conflicts: outcome.Conflicts}
	if failed != nil {
		last.State, last.Error = Failed, failed.Error()
	}
	content, err := json.Marshal(last)
	if err == nil {
		err = replaceFile(filepath.Join(s.options.StateDir, lastFile), content)
	}
	if err != nil {
		s.options.Log.Warn("the outcome of the sync could not be stored", "error", err.Error())
	}
}

// replaceFile writes a file so that its readers see the old content or the new one.
func replaceFile(name string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(content)
	if closing := temporary.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return system.Rename(temporary.Name(), name)
}

// lock waits until no other server syncs this vault.
func (s *Syncer) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.options.StateDir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(s.options.StateDir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	if err := system.Lock(waiting, file); err != nil {
		_ = file.Close()
		if ctx.Err() == nil {
			err = fault.Conflict.Errorf("another server has been syncing this vault for longer than sync.timeout (%v)", s.options.Timeout)
		}
		return nil, err
	}
	return func() {
		system.Unlock(file)
		_ = file.Close()
	}, nil
}
