package history

import (
	"os"
	"path/filepath"
)

// durability says whether appended data must survive a power cut.
type durability bool

const (
	durable durability = true
	visible durability = false
)

// append adds frames at the end of a segment and cuts off a torn end first. If it
// fails, the segment is as before or is abandoned.
func (w *writer) append(v *view, data []byte, how durability) error {
	file, err := w.history.disk.openSegment(w.folder.root, v.name)
	if err != nil {
		w.history.abandoned = v.name
		return err
	}
	defer file.Close()
	if v.size > v.end {
		if err := w.history.disk.truncate(file, v.end); err != nil {
			w.history.abandoned = v.name
			return err
		}
	}
	if err = w.history.disk.write(file, data, v.end); err == nil && how == durable {
		if err = w.history.disk.sync(file); err != nil {
			w.history.abandoned = v.name // after a failed sync, a later one may succeed without the data being on disk
		}
	}
	if err != nil && w.history.disk.truncate(file, v.end) != nil {
		w.history.abandoned = v.name
	}
	return err
}

// start creates a segment.
func (w *writer) start(name string, data []byte) error {
	file, err := w.history.disk.createSegment(w.folder.root, name)
	if err != nil {
		return err
	}
	if err = w.fill(file, data); err != nil && w.history.disk.remove(w.folder.root, name) != nil {
		w.history.abandoned = name
	}
	return err
}

func (w *writer) fill(file *os.File, data []byte) error {
	defer file.Close()
	if err := w.history.disk.write(file, data, 0); err != nil {
		return err
	}
	if err := w.history.disk.sync(file); err != nil {
		return err
	}
	if err := w.history.disk.syncFolder(w.history.o.Dir); err != nil {
		return err
	}
	if len(w.folder.names) > 0 {
		return nil
	}
	// The process that created the folder may have been killed before it synced the folder's name.
	return w.history.disk.syncFolder(filepath.Dir(w.history.o.Dir))
}
