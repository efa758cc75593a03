package github

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"obsidian-mcp/internal/fault"
)

// maxToken is the size in bytes of the largest token.
const maxToken = 4096

// readToken reads the token.
func readToken(name string) (string, error) {
	refuse := func(format string, args ...any) error {
		return fault.PermissionDenied.Errorf("adr.token_file: "+format, args...).
			WithHint("put a token for the repository into the file that adr.token_file names, alone and on one line")
	}
	file, err := os.Open(name)
	if err != nil {
		return "", refuse("the file cannot be read: %w", withoutPath(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxToken+1))
	if err != nil {
		return "", refuse("the file cannot be read: %w", withoutPath(err))
	}
	token := strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff"))
	switch {
	case len(text) > maxToken:
		return "", refuse("the file is too large to be a token")
	case token == "":
		return "", refuse("the file is empty")
	case strings.ContainsAny(token, "\r\n"):
		return "", refuse("the file has several lines")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", refuse("the file holds characters that no token has")
	}
	return token, nil
}

// withoutPath returns what is wrong with a file, without its path: the setting names it.
func withoutPath(err error) error {
	if about, ok := errors.AsType[*fs.PathError](err); ok {
		return about.Err
	}
	return err
}

// othersMayRead reports whether other users of this machine may read a file.
func othersMayRead(name string) bool {
	info, err := os.Stat(name)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}
