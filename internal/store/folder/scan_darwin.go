package folder

import (
	"os"

	"golang.org/x/sys/unix"
)

// entries lists a folder. A file opened through os.Root stats each entry as it lists them; a plain file takes the types
// from the folder itself. Only file systems whose folders hold no types need the folder's name.
func (h handle) entries(name string) ([]dirEntry, error) {
	fd, err := unix.FcntlInt(uintptr(h.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	plain := os.NewFile(uintptr(fd), name)
	defer plain.Close()
	return listed(plain)
}
