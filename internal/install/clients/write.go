package clients

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// Write makes the change in one step: the file is either as before or as planned. It returns the name of the backup, or
// "" if there was no file before.
func (p Plan) Write(now time.Time) (backup string, err error) {
	from, err := p.unchanged()
	if err == nil {
		err = from.checkWritable(p.File)
	}
	if err != nil {
		return "", err
	}
	added, err := makeFolder(filepath.Dir(from.file))
	defer func() {
		if err != nil {
			removeFolders(added)
		}
	}()
	if err != nil {
		return "", notWritten(err, "create the folder of", p.File)
	}
	clearLeftovers(filepath.Dir(from.file))
	prepared, err := prepare(from, p.After)
	if err != nil {
		return "", notWritten(err, "write", p.File)
	}
	defer os.Remove(prepared) // fails after the rename, when it no longer exists
	if from.info != nil {
		if backup, err = backUp(from, now); err != nil {
			return "", notWritten(err, "back up", p.File)
		}
	}
	if err = p.replace(prepared, from); err != nil && backup != "" {
		_ = os.Remove(backup)
		backup = ""
	}
	return backup, err
}

// unchanged reads the file again, and fails if it has changed since it was planned.
func (p Plan) unchanged() (source, error) {
	now, err := readSource(p.File)
	if err != nil {
		return source{}, err
	}
	if now.file != p.source.file || (now.info == nil) != (p.source.info == nil) || !bytes.Equal(now.text, p.Before) {
		return source{}, p.changed()
	}
	return now, nil
}

func (p Plan) changed() error {
	if p.Client.Name == "" {
		return fault.Conflict.Errorf("another program changed %s in the meantime", p.File).WithHint("nothing was changed; try again")
	}
	return fault.Conflict.Errorf("another program changed %s in the meantime", p.File).
		WithHint("nothing was changed; quit %s and try again", p.Client.Name)
}

// prepare writes a text beside a file, with the file's mode and owner.
func prepare(from source, text []byte) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(from.file), ".obsidian-mcp-install-*.tmp")
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	owner := from.info
	if from.info != nil { // a new file stays private, since it may contain secrets
		if err := file.Chmod(from.info.Mode().Perm()); err != nil {
			return "", err
		}
	} else if owner, err = os.Stat(filepath.Dir(from.file)); err != nil {
		return "", err
	}
	keepOwner(file, owner)
	if _, err := file.Write(text); err != nil {
		return "", err
	}
	return file.Name(), file.Sync()
}

// replace renames the prepared file over the original, if that has not changed since.
func (p Plan) replace(prepared string, from source) error {
	defer lockFolder(filepath.Dir(from.file))()
	now, err := p.unchanged()
	switch {
	case err != nil:
		return err
	case now.info != nil && now.info.Mode() != from.info.Mode():
		return p.changed()
	}
	if err := system.Rename(prepared, now.file); err != nil {
		return notWritten(err, "write", p.File)
	}
	_ = system.SyncFolder(filepath.Dir(now.file)) // the change is made; this makes it survive a power cut
	return nil
}

// lockPatience is how long to wait for another installation.
const lockPatience = 2 * time.Second

// lockFolder keeps other installations out of a folder until unlock is called, so that none of them writes between the
// last check of a file and its replacement. The clients themselves do not use locks.
func lockFolder(folder string) (unlock func()) {
	opened, err := os.Open(folder)
	if err != nil {
		return func() {} // the write itself will report the error
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	_ = system.Lock(ctx, opened) // some systems cannot lock folders
	return func() { _ = opened.Close() }
}

// notWritten says what could not be done, without the names of temporary files.
func notWritten(err error, do, file string) error {
	cause := err
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		cause = inner.Err
	} else if inner, ok := errors.AsType[*os.LinkError](err); ok {
		cause = inner.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		return fault.PermissionDenied.Errorf("cannot %s %s: %w", do, file, cause).
			WithHint("nothing was changed; you need read and write access to the file and its folder")
	}
	return fault.Internal.Errorf("cannot %s %s: %w", do, file, cause).WithHint("nothing was changed")
}
