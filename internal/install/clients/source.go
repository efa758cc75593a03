package clients

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/fault"
)

// source is a configuration file as it was read.
type source struct {
	file string // with links resolved
	text []byte
	info fs.FileInfo // nil if the file does not exist
}

// readSource reads a configuration file, which need not exist.
func readSource(file string) (source, error) {
	if file == "" {
		return source{}, fault.InvalidArgument.Errorf("cannot locate the configuration file: the home folder is unknown").
			WithHint("name it with --config-file")
	}
	if link, err := os.Readlink(file); err == nil {
		target, err := filepath.EvalSymlinks(file)
		if err != nil {
			return source{}, fault.InvalidArgument.Errorf("%s is a link to %s, which cannot be followed", file, link).
				WithHint("nothing was changed; remove the link, or create the file that it points to")
		}
		file = target
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source{file: file}, nil
	case err != nil:
		return source{}, notWritten(err, "read", file)
	case !info.Mode().IsRegular(): // a pipe or a device might never end
		return source{}, fault.InvalidArgument.Errorf("cannot read %s: it is not a regular file", file).
			WithHint("nothing was changed; move it away, or name the configuration file with --config-file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return source{}, notWritten(err, "read", file)
	}
	return source{file, text, info}, nil
}

// checkWritable explains why the file cannot be replaced, as far as this shows without trying. Whoever may write to a
// folder can replace a write-protected file in it, but somebody protected it on purpose.
func (from source) checkWritable(file string) error {
	if from.info != nil && (from.info.Mode().Perm()&0o200 == 0 || !mayWrite(from.file)) {
		return fault.PermissionDenied.Errorf("%s is write-protected", file).
			WithHint("nothing was changed; if another program manages the file, let that program write the entry")
	}
	folder := filepath.Dir(from.file)
	for isGone(folder) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	if !mayWrite(folder) {
		return fault.PermissionDenied.Errorf("cannot write %s: its folder is write-protected", file).
			WithHint("nothing was changed; you need write access to %s", folder)
	}
	return nil
}

func isGone(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// CheckWritable explains why the change cannot be written, as far as this shows without trying.
func (p Plan) CheckWritable() error { return p.source.checkWritable(p.File) }

// Remarks says what else changes when the file is replaced by a new one.
func (p Plan) Remarks() []string {
	var all []string
	if p.source.info != nil && hasOtherNames(p.source.info) {
		all = append(all, "it has another name (a hard link), which keeps the old content")
	}
	if p.source.info != nil && isOthers(p.source.info) {
		all = append(all, "it belongs to another user; the new file will be yours")
	}
	return all
}
