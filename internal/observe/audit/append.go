package audit

import (
	"io"

	"obsidian-mcp/internal/system/disk"
)

// reserved is how many bytes of disk space are set aside for the next line: far
// more than any but the largest changes need.
const reserved = 64 << 10

// append writes the queued lines at the end of the file. If that fails, it cuts
// the file back so that they can be written again.
func (l *Log) append() error {
	todo := l.pending()
	if len(todo.text) == 0 {
		return nil
	}
	size, torn, err := l.end()
	if err != nil {
		return err
	}
	if torn {
		todo.text = append([]byte("\n"), todo.text...)
	}
	if err := l.put(todo); err != nil {
		// If this fails too, the next append starts with a line feed.
		_ = l.disk.Run("truncate", func() error { return l.file.Truncate(size) })
		return err
	}
	l.written(todo)
	return nil
}

// end returns the file's size, and whether its last line is torn because its
// writer was killed.
func (l *Log) end() (size int64, torn bool, err error) {
	err = l.disk.Run("seek", func() (err error) {
		size, err = l.file.Seek(0, io.SeekEnd)
		return err
	})
	if err != nil || size == 0 {
		return size, false, err
	}
	last := make([]byte, 1)
	err = l.disk.Run("read", func() error {
		_, err := l.file.ReadAt(last, size-1)
		return err
	})
	return size, last[0] != '\n', err
}

func (l *Log) put(todo batch) error {
	err := l.disk.Do(disk.Call{Kind: "write", Data: todo.text}, func() error {
		_, err := l.file.Write(todo.text)
		return err
	})
	if err != nil || !todo.durable {
		return err
	}
	return l.disk.Run("sync", l.file.Sync)
}

// reserve sets disk space aside behind the file's end, so that a full disk is
// noticed before a vault is changed.
func (l *Log) reserve() error {
	size, err := l.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return l.disk.Run("reserve", func() error { return allocate(l.file, size, reserved) })
}
