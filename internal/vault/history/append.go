package history

import (
	"os"
	"path/filepath"
)

// Whether what is appended has to survive a power cut.
type durability bool

const (
	durable durability = true
	visible durability = false
)

// append adds frames at the end of a segment, where anything torn is cut off. If
// it fails the segment is as before, or nothing more is added to it.
func (w *writer) append(v *view, data []byte, how durability) error {
	file, err := w.disk.openSegment(w.folder.root, v.name)
	if err != nil {
		w.abandoned = v.name
		return err
	}
	defer file.Close()
	if v.size > v.end {
		if err := w.disk.truncate(file, v.end); err != nil {
			w.abandoned = v.name
			return err
		}
	}
	if err = w.disk.write(file, data, v.end); err == nil && how == durable {
		if err = w.disk.sync(file); err != nil {
			w.abandoned = v.name // what the system says of it later cannot be believed
		}
	}
	if err != nil && w.disk.truncate(file, v.end) != nil {
		w.abandoned = v.name
	}
	return err
}

// start makes a segment.
func (w *writer) start(name string, data []byte) error {
	file, err := w.disk.createSegment(w.folder.root, name)
	if err != nil {
		return err
	}
	if err = w.fill(file, data); err != nil && w.disk.remove(w.folder.root, name) != nil {
		w.abandoned = name
	}
	return err
}

func (w *writer) fill(file *os.File, data []byte) error {
	defer file.Close()
	if err := w.disk.write(file, data, 0); err != nil {
		return err
	}
	if err := w.disk.sync(file); err != nil {
		return err
	}
	if err := w.disk.syncFolder(w.o.Dir); err != nil {
		return err
	}
	if len(w.folder.names) > 0 {
		return nil
	}
	// Who made the folder may have been killed before its name was durable.
	return w.disk.syncFolder(filepath.Dir(w.o.Dir))
}
