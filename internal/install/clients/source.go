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

// closed says why the file cannot be replaced, as far as can be told without
// trying; nil: nothing speaks against it. Who may write into a folder may
// replace a file that is closed to them, but somebody has closed it.
func (from source) closed(file string) error {
	if from.info != nil && (from.info.Mode().Perm()&0o200 == 0 || !mayWrite(from.file)) {
		return fault.PermissionDenied.Errorf("%s is write-protected", file).WithHint("nothing was changed; if another program manages the file, have that write the entry")
	}
	folder := filepath.Dir(from.file)
	for isGone(folder) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	if !mayWrite(folder) {
		return fault.PermissionDenied.Errorf("cannot write %s: its folder is write-protected", file).WithHint("nothing was changed; %s must be yours to write", folder)
	}
	return nil
}

func isGone(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// Closed says why the change cannot be written, as far as can be told without
// trying; nil: nothing speaks against it.
func (p Plan) Closed() error { return p.source.closed(p.File) }

// Remarks are what to know about a file that is put in another's place: what
// else belongs to that one is lost.
func (p Plan) Remarks() []string {
	var all []string
	if p.source.info != nil && hasOtherNames(p.source.info) {
		all = append(all, "it has another name as well (a hard link), under which the text from before stays")
	}
	if p.source.info != nil && isOthers(p.source.info) {
		all = append(all, "it belongs to another user, and will be yours")
	}
	return all
}
