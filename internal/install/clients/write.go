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

// Write makes the change, as one step: the file is as before, or as planned. It
// gives the name of the backup; "": there was nothing to keep.
func (p Plan) Write(now time.Time) (backup string, err error) {
	from, err := p.unchanged()
	if err == nil {
		err = from.closed(p.File)
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
		return "", notWritten(err, "make the folder of", p.File)
	}
	clearLeftovers(filepath.Dir(from.file))
	prepared, err := prepare(from, p.After)
	if err != nil {
		return "", notWritten(err, "write", p.File)
	}
	defer os.Remove(prepared) // once it is renamed, there is none
	if from.info != nil {
		if backup, err = keep(from, now); err != nil {
			return "", notWritten(err, "keep a backup of", p.File)
		}
	}
	if err = p.replace(prepared, from); err != nil && backup != "" {
		_ = os.Remove(backup)
		backup = ""
	}
	return backup, err
}

// unchanged is the file as it is now, if that is as it was read.
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
	return fault.Conflict.Errorf("%s was changed by another program meanwhile", p.File).WithHint("nothing was changed; quit %s, and try again", p.Client.Name)
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
	if from.info != nil { // a new one is the user's alone, as it may hold secrets
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

// replace puts the new text in the file's place, if that is still as it was
// when the text was prepared.
func (p Plan) replace(prepared string, from source) error {
	defer alone(filepath.Dir(from.file))()
	now, err := p.unchanged()
	switch {
	case err != nil:
		return err
	case now.info != nil && now.info.Mode() != from.info.Mode():
		return p.changed()
	}
	if err := os.Rename(prepared, now.file); err != nil {
		return notWritten(err, "write", p.File)
	}
	_ = system.SyncFolder(filepath.Dir(now.file)) // it is written; this makes it last through a power cut
	return nil
}

// patience is how long another installation is waited for.
const patience = 2 * time.Second

// alone keeps other installations out of a folder until it is called: between
// the last look at a file and its renaming nothing of theirs must come. The
// clients themselves know no lock.
func alone(folder string) (done func()) {
	opened, err := os.Open(folder)
	if err != nil {
		return func() {} // what is to be done there will say why
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = system.Lock(ctx, opened) // some systems cannot lock folders
	return func() { _ = opened.Close() }
}

// notWritten says what could not be done, without the names of files that only
// this package knows.
func notWritten(err error, do, file string) error {
	cause := err
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		cause = inner.Err
	} else if inner, ok := errors.AsType[*os.LinkError](err); ok {
		cause = inner.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		return fault.PermissionDenied.Errorf("cannot %s %s: %w", do, file, cause).WithHint("nothing was changed; the file and its folder must be yours to read and write")
	}
	return fault.Internal.Errorf("cannot %s %s: %w", do, file, cause).WithHint("nothing was changed")
}
