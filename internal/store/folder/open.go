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
)

// enter opens a folder of the vault, one step at a time. Each step must be a
// folder of its own on the vault's device: os.Root keeps links from leaving
// the vault, and this keeps them from leading anywhere at all.
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

// descend opens one folder in another; path is what to call it in an error.
func (f *Folder) descend(in *os.Root, name, path string) (*os.Root, error) {
	seen, err := in.Lstat(name)
	if err != nil {
		return nil, f.explain(vpath.Path(path), err)
	}
	if err := f.isFolder(path, seen); err != nil {
		return nil, err
	}
	next, err := in.OpenRoot(name)
	if err != nil {
		return nil, f.explain(vpath.Path(path), err)
	}
	if got, err := next.Stat("."); err != nil || !os.SameFile(seen, got) {
		next.Close()
		return nil, fault.PermissionDenied.Errorf("%q was exchanged while it was opened", path)
	}
	return next, nil
}

func (f *Folder) isFolder(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return symlink(path)
	case !info.IsDir():
		return fault.PermissionDenied.Errorf("%q is no folder", path)
	case deviceOf(info) != f.device:
		return fault.PermissionDenied.Errorf("%q is another file system mounted into the vault", path)
	}
	return nil
}

// plain reports why something is not a regular file of the vault.
func (f *Folder) plain(path vpath.Path, info fs.FileInfo) error {
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
	in, err := f.enter(path.Dir())
	if err != nil {
		return store.File{}, err
	}
	defer in.Close()
	return f.read(in, path, path.Base(), limit)
}

// Branch implements store.Store. A folder has one state of each file: sync
// programs keep the other side of a conflict as a file of its own.
func (f *Folder) Branch(_ context.Context, path vpath.Path, rev store.Rev, _ int64) (store.File, error) {
	return store.File{}, fault.NotFound.Errorf("%q has no branch %q", string(path), string(rev))
}

// read reads a file of an open folder and computes its revision.
func (f *Folder) read(in *os.Root, path vpath.Path, name string, limit int64) (store.File, error) {
	data, info, err := f.loadSettled(in, path, name, limit)
	if err != nil {
		return store.File{}, err
	}
	file := store.File{Info: infoOf(path, info), Data: data, Rev: revOf(data)}
	if file.Created.IsZero() {
		file.Created = birthAt(in, name)
	}
	return file, nil
}

// load reads a file of an open folder into a buffer, which may be nil. What is
// opened must be what stands there: os.Root itself follows links within the
// vault. It is opened without waiting, since a FIFO would wait for ever.
func (f *Folder) load(in *os.Root, path vpath.Path, name string, limit int64, buffer []byte) ([]byte, fs.FileInfo, error) {
	seen, err := in.Lstat(name)
	if err != nil {
		return nil, nil, f.explain(path, err)
	}
	if err := f.plain(path, seen); err != nil {
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
			return nil, nil, fault.PermissionDenied.Errorf("%q was exchanged while it was opened", string(path))
		}
	}
	if err := f.plain(path, info); err != nil {
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

// readSized reads a file whose size is known, in one call where it holds.
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

// explain gives an error of the file system its kind and a sentence that does
// not tell where on the machine the vault is.
func (f *Folder) explain(path vpath.Path, err error) error {
	err = stripPath(err)
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		if alive := f.alive(); alive != nil {
			return alive
		}
		return fault.NotFound.Errorf("%q does not exist", string(path))
	case errors.Is(err, fs.ErrPermission):
		return fault.PermissionDenied.Errorf("%q: %w", string(path), err)
	case errors.Is(err, syscall.ELOOP):
		return symlink(string(path))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.InvalidArgument.Errorf("%q: the name is too long for the vault's file system", string(path))
	case errors.Is(err, syscall.EROFS):
		return fault.PermissionDenied.Errorf("%q: the vault's file system is read-only (%w)", string(path), err)
	case errors.Is(err, syscall.EFBIG):
		return fault.InvalidArgument.Errorf("%q grew too large while it was read", string(path))
	case strings.Contains(err.Error(), "escapes"):
		return fault.PermissionDenied.Errorf("%q leads out of the vault", string(path))
	}
	return fault.StoreUnavailable.Errorf("%q: %w", string(path), err)
}

// stripPath drops the path that an error of package os carries.
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
