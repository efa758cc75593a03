package audit

import (
	"cmp"
	"io"
)

// reserved is how much room is set aside for what comes next: far more than
// the line of any but the largest changes.
const reserved = 64 << 10 // bytes

// append writes what is kept at the end of the file. Of what fails nothing
// stays, so that it can be written again.
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
		if l.fault("truncate") == nil {
			_ = l.file.Truncate(size) // where it cannot be, the next line begins with the end of this one
		}
		return err
	}
	l.written(todo)
	return nil
}

// end is where the file ends, and whether that is within a line: whoever wrote
// it was killed.
func (l *Log) end() (size int64, torn bool, err error) {
	size, err = l.file.Seek(0, io.SeekEnd)
	if err = cmp.Or(l.fault("seek"), err); err != nil || size == 0 {
		return size, false, err
	}
	last := make([]byte, 1)
	_, err = l.file.ReadAt(last, size-1)
	return size, last[0] != '\n', cmp.Or(l.fault("read"), err)
}

func (l *Log) put(todo batch) error {
	if err := l.fault("write"); err != nil {
		return err
	}
	if _, err := l.write(l.file, todo.text); err != nil {
		return err
	}
	if !todo.durable {
		return nil
	}
	return cmp.Or(l.fault("sync"), l.file.Sync())
}

// reserve sets room aside behind the end, so that a full disk is noticed
// before something is changed.
func (l *Log) reserve() error {
	size, err := l.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return cmp.Or(l.fault("reserve"), allocate(l.file, size, reserved))
}
