// Package disk routes the system calls by which a package changes files through one value, so that a test can watch
// them, fail them, or act as another program between two of them.
//
// The package that makes the calls decides what they are and names their kinds. This one only runs them.
package disk

import (
	"os"
	"sync"
	"syscall"
)

// Call describes one system call. Packages fill in as much as their tests look at.
type Call struct {
	Kind string   // what it does, such as "sync"
	In   *os.Root // the folder that Name and To are in
	Name string
	To   string // the second name of a link, a rename or an exchange
	Data []byte // the bytes to be written
}

// Disk runs system calls. The zero value just makes them.
type Disk struct {
	// Around, which only tests set, runs a call or returns an error in its place.
	Around func(call Call, run func() error) error
}

// Do runs a call.
func (d *Disk) Do(call Call, run func() error) error {
	if d.Around == nil {
		return run()
	}
	return d.Around(call, run)
}

// Run runs a call that its kind alone describes.
func (d *Disk) Run(kind string, run func() error) error { return d.Do(Call{Kind: kind}, run) }

// Before shows a test each call before it is made, one at a time. A call for which see returns an error is not made,
// and fails with that error.
func (d *Disk) Before(see func(Call) error) {
	var mu sync.Mutex
	d.Around = func(call Call, run func() error) error {
		mu.Lock()
		err := see(call)
		mu.Unlock()
		if err != nil {
			return err
		}
		return run()
	}
}

// Errnos are the errors with which disks fail: the medium, no space, mounted read-only, quota, permission.
var Errnos = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT, syscall.EACCES}
