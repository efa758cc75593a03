package config

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxRead is the size in bytes of the largest file that a setting may name. A larger one
// is meant for something else.
const maxRead = 1 << 20

// readText reads a file that a setting names. Pipes and devices are refused, since they
// may never end, except for /dev/null, which is empty, and, if pipes may be read, a pipe
// that a shell has handed to this process.
func readText(name string, pipes bool) ([]byte, error) {
	if name == os.DevNull {
		return nil, nil
	}
	info, err := os.Stat(name)
	isPipe := err == nil && info.Mode().Type() == fs.ModeNamedPipe && strings.HasPrefix(name, "/dev/")
	if err == nil && !info.Mode().IsRegular() && !(isPipe && pipes) {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	if len(content) > maxRead {
		return nil, fmt.Errorf("%s is longer than %d bytes", name, maxRead)
	}
	return content, err
}
