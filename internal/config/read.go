package config

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// mostRead is the longest file that a setting may name, in bytes. What is longer
// was meant for something else.
const mostRead = 1 << 20

// readText reads a file that a setting names. Pipes and devices, which may never
// end, are refused; just nothing at all may be named as /dev/null and, if pipes
// may be read, one that a shell has handed to this process.
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
	content, err := io.ReadAll(io.LimitReader(file, mostRead+1))
	if len(content) > mostRead {
		return nil, fmt.Errorf("%s is longer than %d bytes", name, mostRead)
	}
	return content, err
}
