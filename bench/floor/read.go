package floor

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Read opens, reads and closes every file, on Workers goroutines, and returns the number of bytes. The paths are
// given.
func Read(paths []string) (int64, error) {
	var total atomic.Int64
	err := share(len(paths), Workers, func() func(int) error {
		buffer := make([]byte, 256<<10)
		return func(i int) error {
			size, err := readFile(paths[i], buffer)
			total.Add(int64(size))
			return err
		}
	})
	return total.Load(), err
}

func readFile(name string, buffer []byte) (size int, err error) {
	file, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(file)
	for {
		read, err := unix.Read(file, buffer)
		if err != nil {
			return size, err
		}
		size += read
		if read < len(buffer) {
			return size, nil
		}
	}
}

// Scan looks at every byte of a text, as fast as a single core can: it searches for a byte that does not occur.
func Scan(text []byte) error {
	if bytes.IndexByte(text, 0) >= 0 {
		return errors.New("the text holds the byte that it must not")
	}
	return nil
}

// share splits a number of tasks between several goroutines, each with a worker of its own.
func share(things, workers int, worker func() func(int) error) error {
	var next atomic.Int64
	var crew sync.WaitGroup
	failures := make([]error, workers)
	for w := range workers {
		crew.Go(func() {
			do := worker()
			for i := int(next.Add(1)) - 1; i < things && failures[w] == nil; i = int(next.Add(1)) - 1 {
				failures[w] = do(i)
			}
		})
	}
	crew.Wait()
	return errors.Join(failures...)
}
