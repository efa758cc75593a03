package system

import (
	"os"
	"time"
)

// On Windows, a file that another program has open may refuse to be opened, renamed, replaced or removed: virus scanners,
// search indexers, sync programs and editors hold files for a moment all the time. The calls below try again for a second.
// On other systems they try once.

// busyPauses is how many pauses there are, each twice as long as the one before; the first takes a millisecond.
const busyPauses = 10

// retry runs a call until it succeeds, or fails for another reason than those that pass.
func retry(passes func(error) bool, run func() error) error {
	err := run()
	for n := 0; n < busyPauses && err != nil && passes(err); n++ {
		time.Sleep(time.Millisecond << n)
		err = run()
	}
	return err
}

// Patiently runs a call that opens a file.
func Patiently(run func() error) error { return retry(IsBusy, run) }

// Rename renames a file, over another one if that exists.
func Rename(from, to string) error {
	return retry(isHeld, func() error { return os.Rename(from, to) })
}

// RenameIn is Rename for names below an open folder.
func RenameIn(in *os.Root, from, to string) error {
	return retry(isHeld, func() error { return in.Rename(from, to) })
}

// LinkIn gives a file below an open folder another name, which must be free.
func LinkIn(in *os.Root, from, to string) error {
	return retry(IsBusy, func() error { return in.Link(from, to) })
}

// RemoveIn removes a file or an empty folder below an open folder.
func RemoveIn(in *os.Root, name string) error {
	return retry(isHeld, func() error { return removeIn(in, name) })
}
