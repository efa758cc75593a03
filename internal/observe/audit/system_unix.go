//go:build linux || darwin

package audit

import "golang.org/x/sys/unix"

const openFlags = unix.O_NONBLOCK | unix.O_NOFOLLOW

// othersWrite are the bits of a mode that let others write.
const othersWrite = 0o022
