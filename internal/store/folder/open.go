package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system"
)

// enter opens a folder of the vault, one path component at a time. Each must be a real folder on the vault's device:
// os.Root keeps symbolic links from leaving the vault, and this check refuses them altogether.
func (f *Folder) enter(dir vpath.Path) (*os.Root, error) {
	in, err := f.root.OpenRoot(".")
	if err != nil {
		return nil, f.explain(dir, err)
	}
	if dir == "" {
		return in, nil
	}
	for step := range strings.SplitSeq(string(dir), "/") {
		next, err := f.descend(in, step, string(dir))
		in.Close()
		if err != nil {
			return nil, err
		}
		in = next
	}
	return in, nil
}

// descend opens a folder in an open one. Errors call it path.
func (f *Folder) descend(in *os.Root, name, path string) (*os.Root, error) {
	if err := f.checkEnd(name); err != nil {
		return nil, err
	}
	seen, err := in.Lstat(name)
	if err != nil {
		return nil, f.explain(vpath.Path(path), err)
	}
	if err := f.checkFolder(path, seen); err != nil {
		return nil, err
	}
	next, err := in.OpenRoot(name)
	if err != nil {
		return nil, f.explain(vpath.Path(path), err)
	}
	if got, err := next.Stat("."); err != nil || !os.SameFile(seen, got) {
		next.Close()
		return nil, fault.PermissionDenied.Errorf("%q was replaced while it was being opened", path)
	}
	return next, nil
}

// checkEnd fails for a name that would lead to a file of another name: whoever may not see "A.md" could ask for "A.md.".
func (f *Folder) checkEnd(path string) error {
	if f.dropsEnds && strings.TrimRight(path, ". ") != path {
		return fault.NotFound.Errorf("%q does not exist", path)
	}
	return nil
}

func (f *Folder) checkFolder(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return symlink(path)
	case !info.IsDir():
		return notAFolder(path)
	case deviceOf(info) != f.device:
		return mounted(path)
	}
	return nil
}

func notAFolder(path string) error {
	return fault.PermissionDenied.Errorf("%q is not a folder", path)
}

func mounted(path string) error {
	return fault.PermissionDenied.Errorf("%q is another file system mounted into the vault", path)
}

// checkPlain fails for anything but a regular file of the vault.
func (f *Folder) checkPlain(path vpath.Path, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return symlink(string(path))
	case info.IsDir():
		return fault.PermissionDenied.Errorf("%q is a folder", string(path))
	case !info.Mode().IsRegular():
		return fault.PermissionDenied.Errorf("%q is not a regular file", string(path))
	case deviceOf(info) != f.device:
		return fault.PermissionDenied.Errorf("%q is on another file system mounted into the vault", string(path))
	}
	return nil
}

func symlink(path string) error {
	return fault.PermissionDenied.Errorf("%q is a symbolic link, and links are not followed", path).
		WithHint("put the file itself into the vault")
}

// Read implements store.Store.
func (f *Folder) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	if err := ctx.Err(); err != nil {
		return store.File{}, err
	}
	if err := f.waitUntilRecovered(ctx); err != nil {
		return store.File{}, err
	}
	in, err := f.enter(path.Dir())
	if err != nil {
		return store.File{}, err
	}
	defer in.Close()
	file, err := f.read(in, path, path.Base(), limit)
	if err == nil && file.Created.IsZero() {
		file.Created = birthAt(in, path.Base())
	}
	return file, err
}

// Branch implements store.Store. A folder holds one version of each file: sync programs save the other side of a
// conflict as a separate file.
func (f *Folder) Branch(_ context.Context, path vpath.Path, rev store.Rev, _ int64) (store.File, error) {
	return store.File{}, fault.NotFound.Errorf("%q has no branch %q", string(path), string(rev))
}

// Conflicted implements store.Store.
func (f *Folder) Conflicted(context.Context) ([]store.Conflict, error) { return nil, nil }

// Ancestor implements store.Store.
func (f *Folder) Ancestor(_ context.Context, path vpath.Path, rev store.Rev, _ int64) (store.File, error) {
	return store.File{}, fault.NotFound.Errorf("%q has no branch %q", string(path), string(rev))
}

// read reads a file of an open folder and computes its revision.
func (f *Folder) read(in *os.Root, path vpath.Path, name string, limit int64) (store.File, error) {
	data, info, err := f.loadSettled(in, path, name, limit)
	if err != nil {
		return store.File{}, err
	}
	return store.File{Info: infoOf(path, info), Data: data, Rev: revOf(data)}, nil
}

// load reads a file of an open folder into a buffer, which may be nil. The opened file must be the one that Lstat saw,
// because os.Root itself follows links within the vault. Opening does not block, because a FIFO would block for ever.
func (f *Folder) load(in *os.Root, path vpath.Path, name string, limit int64, buffer []byte) ([]byte, fs.FileInfo, error) {
	if err := f.checkEnd(name); err != nil {
		return nil, nil, err
	}
	seen, err := in.Lstat(name)
	if err != nil {
		return nil, nil, f.explain(path, err)
	}
	if err := f.checkPlain(path, seen); err != nil {
		return nil, nil, err
	}
	file, err := f.disk.open(in, name)
	if err != nil {
		return nil, nil, f.explain(path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, f.explain(path, err)
	}
	if !os.SameFile(seen, info) {
		if again, err := in.Lstat(name); err != nil || !os.SameFile(again, info) {
			return nil, nil, fault.PermissionDenied.Errorf("%q was replaced while it was being opened", string(path))
		}
	}
	if err := f.checkPlain(path, info); err != nil {
		return nil, nil, err
	}
	if info.Size() > limit {
		return nil, nil, fault.InvalidArgument.Errorf("%q is too large: %d bytes, at most %d are read at once", string(path), info.Size(), limit)
	}
	data, err := readSized(file, info.Size(), limit, buffer)
	if err != nil {
		return nil, nil, f.explain(path, err)
	}
	return data, info, nil
}

// readSized reads a file of a known size, in one call unless the size changes.
func readSized(file *os.File, size, limit int64, buffer []byte) ([]byte, error) {
	if int64(cap(buffer)) <= size {
		buffer = make([]byte, 0, size+512)
	}
	buffer = buffer[:0]
	for {
		n, err := file.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buffer, nil
		case err != nil:
			return nil, err
		case int64(len(buffer)) == size:
			return buffer, nil
		case int64(len(buffer)) > limit:
			return nil, syscall.EFBIG
		case len(buffer) == cap(buffer):
			buffer = append(buffer, 0)[:len(buffer)]
		}
	}
}

// explain turns an error of the file system into a fault that does not reveal where on the machine the vault is.
func (f *Folder) explain(path vpath.Path, err error) error {
	err = stripPath(err)
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		if unreachable := f.checkReachable(); unreachable != nil {
			return unreachable
		}
		return fault.NotFound.Errorf("%q does not exist", string(path))
	case errors.Is(err, fs.ErrPermission):
		return fault.PermissionDenied.Errorf("%q: %w", string(path), err)
	case system.IsBusy(err):
		return fault.StoreUnavailable.Errorf("%q is in use by another program, which does not let others open it", string(path)).
			WithHint("close it there, and try again")
	case errors.Is(err, syscall.ELOOP):
		return symlink(string(path))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.InvalidArgument.Errorf("%q: the name is too long for the vault's file system", string(path))
	case errors.Is(err, syscall.EROFS):
		return fault.PermissionDenied.Errorf("%q: the vault's file system is read-only (%w)", string(path), err)
	case errors.Is(err, syscall.EFBIG):
		return fault.InvalidArgument.Errorf("%q grew too large while it was being read", string(path))
	case strings.Contains(err.Error(), "escapes"):
		return fault.PermissionDenied.Errorf("%q leads out of the vault", string(path))
	}
	return fault.StoreUnavailable.Errorf("%q: %w", string(path), err)
}

// stripPath removes the path from an error of package os.
func stripPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
