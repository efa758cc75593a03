package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// source is a configuration file as it was read.
type source struct {
	file string // where links lead to
	text []byte
	info fs.FileInfo // nil: it does not exist
}

// readSource reads a configuration file, which need not exist.
func readSource(file string) (source, error) {
	if file == "" {
		return source{}, fault.InvalidArgument.Errorf("where the configuration file is cannot be found out: the user's folder is not known").WithHint("name it with --config-file")
	}
	if link, err := os.Readlink(file); err == nil {
		real, err := filepath.EvalSymlinks(file)
		if err != nil {
			return source{}, fault.InvalidArgument.Errorf("%s is a link to %s, which cannot be followed", file, link).WithHint("nothing was changed; remove the link, or make what it leads to")
		}
		file = real
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source{file: file}, nil
	case err != nil:
		return source{}, notWritten(err, "read", file)
	case !info.Mode().IsRegular(): // a pipe or a device might never end
		return source{}, fault.InvalidArgument.Errorf("cannot read %s: it is not a regular file", file).WithHint("nothing was changed; move it away, or name the configuration file with --config-file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return source{}, notWritten(err, "read", file)
	}
	return source{file, text, info}, nil
}

// Write makes the change, as one step: the file is as before, or as planned. It
// gives the name of the backup; "": there was nothing to keep.
func (p Plan) Write(now time.Time) (backup string, err error) {
	from := p.source
	if from.info != nil && from.info.Mode().Perm()&0o200 == 0 {
		return "", fault.PermissionDenied.Errorf("%s is write-protected", p.File).WithHint("nothing was changed; if another program manages the file, have that write the entry")
	}
	if err := makeFolder(filepath.Dir(from.file)); err != nil {
		return "", notWritten(err, "make the folder of", p.File)
	}
	prepared, err := p.prepare()
	if err != nil {
		return "", notWritten(err, "write", p.File)
	}
	defer os.Remove(prepared) // once it is renamed, there is none
	if from.info != nil {
		if backup, err = keep(from, now); err != nil {
			return "", notWritten(err, "keep a backup of", p.File)
		}
	}
	if err = p.replace(prepared); err != nil && backup != "" {
		_ = os.Remove(backup)
	}
	return backup, err
}

// prepare writes the new text beside the file.
func (p Plan) prepare() (name string, err error) {
	from := p.source
	file, err := os.CreateTemp(filepath.Dir(from.file), ".obsidian-mcp-*.tmp")
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
	if _, err := file.Write(p.After); err != nil {
		return "", err
	}
	return file.Name(), file.Sync()
}

// keep copies a file to a name of its own beside it.
func keep(from source, now time.Time) (string, error) {
	stem := from.file + ".obsidian-mcp-backup-" + now.Format("20060102-150405")
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, from.info.Mode().Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		keepOwner(file, from.info)
		_, err = file.Write(from.text)
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			_ = os.Remove(name)
		}
		return name, err
	}
}

// replace puts the new text in the file's place, if that is still as it was read.
func (p Plan) replace(prepared string) error {
	defer alone(filepath.Dir(p.source.file))()
	now, err := readSource(p.File)
	if err != nil {
		return err
	}
	if now.file != p.source.file || (now.info == nil) != (p.source.info == nil) || !bytes.Equal(now.text, p.Before) {
		return fault.Conflict.Errorf("%s was changed by another program meanwhile", p.File).WithHint("nothing was changed; quit %s, and try again", p.Client.Name)
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
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(10 * time.Millisecond) {
		if held, err := system.TryLock(opened); held || err != nil { // some systems lock no folders
			break
		}
	}
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
	kind := fault.Internal
	if errors.Is(err, fs.ErrPermission) {
		kind = fault.PermissionDenied
	}
	return kind.Errorf("cannot %s %s: %w", do, file, cause).WithHint("nothing was changed; the file and its folder must be yours to read and write")
}
