//go:build linux || darwin

package audit

import "golang.org/x/sys/unix"

const openFlags = unix.O_NONBLOCK | unix.O_NOFOLLOW

// othersWrite are the mode bits that let other users write.
const othersWrite = 0o022
