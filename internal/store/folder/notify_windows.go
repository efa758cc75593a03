package folder

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/windows"
)

// newNotifier reports the changes in a folder and everything below it. Windows watches a whole tree through one open
// folder. To open every folder, as fsnotify does, would keep all other programs from renaming and removing them.
func newNotifier(dir string) (*notifier, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return nil, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OVERLAPPED
	folder, err := windows.CreateFile(name, windows.FILE_LIST_DIRECTORY, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return nil, err
	}
	changed, err := windows.CreateEvent(nil, 0, 0, nil)
	if err != nil {
		_ = windows.CloseHandle(folder)
		return nil, err
	}
	stop, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		_ = errors.Join(windows.CloseHandle(folder), windows.CloseHandle(changed))
		return nil, err
	}
	t := &tree{
		dir: dir, folder: folder, changed: changed, stop: stop, done: make(chan struct{}),
		events: make(chan fsnotify.Event, 4096), errors: make(chan error, 1), closed: make(chan struct{}),
	}
	if err := t.request(); err != nil { // from now on, Windows collects changes
		t.free()
		return nil, err
	}
	go t.run()
	return &notifier{events: t.events, errors: t.errors, add: t.covers, remove: t.covers, close: t.close}, nil
}

// tree watches a folder and everything below it.
type tree struct {
	dir     string
	folder  windows.Handle
	changed windows.Handle // set when a request is answered
	stop    windows.Handle // set by close
	events  chan fsnotify.Event
	errors  chan error
	closed  chan struct{} // closed by close, so that nobody waits for a reader
	done    chan struct{} // closed when run has ended
	once    sync.Once

	overlapped *windows.Overlapped
	buffer     [64 << 10]byte // as much as a network drive answers at once
}

func (t *tree) close() error {
	t.once.Do(func() {
		close(t.closed)
		_ = windows.SetEvent(t.stop)
		<-t.done
	})
	return nil
}

// covers has nothing to do: every folder below is watched.
func (t *tree) covers(string) error {
	select {
	case <-t.closed:
		return fsnotify.ErrClosed
	default:
		return nil
	}
}

func (t *tree) free() {
	_ = errors.Join(windows.CloseHandle(t.folder), windows.CloseHandle(t.changed), windows.CloseHandle(t.stop))
}

// request asks for the next changes.
func (t *tree) request() error {
	t.overlapped = &windows.Overlapped{HEvent: t.changed}
	const kinds = windows.FILE_NOTIFY_CHANGE_FILE_NAME | windows.FILE_NOTIFY_CHANGE_DIR_NAME |
		windows.FILE_NOTIFY_CHANGE_SIZE | windows.FILE_NOTIFY_CHANGE_LAST_WRITE
	return windows.ReadDirectoryChanges(t.folder, &t.buffer[0], uint32(len(t.buffer)), true, kinds, nil, t.overlapped, 0)
}

// run passes changes on until close is called or the folder is gone.
func (t *tree) run() {
	defer close(t.done)
	defer t.free()
	for {
		first, err := windows.WaitForMultipleObjects([]windows.Handle{t.stop, t.changed}, false, windows.INFINITE)
		if err != nil || first == windows.WAIT_OBJECT_0 {
			t.cancel()
			return
		}
		var size uint32
		err = windows.GetOverlappedResult(t.folder, t.overlapped, &size, false)
		if errors.Is(err, windows.ERROR_NOTIFY_ENUM_DIR) || err == nil && size == 0 {
			err = nil
			t.report(fsnotify.ErrEventOverflow)
		}
		var found []byte
		if err == nil {
			found = append(found, t.buffer[:size]...)
			err = t.request()
		}
		if !t.pass(found) {
			t.cancel()
			return
		}
		if err != nil { // the folder was removed, or its drive is gone
			t.send(fsnotify.Event{Name: t.dir, Op: fsnotify.Remove})
			return
		}
	}
}

// cancel ends a request, which writes into the buffer until then.
func (t *tree) cancel() {
	if windows.CancelIoEx(t.folder, t.overlapped) == nil {
		var size uint32
		_ = windows.GetOverlappedResult(t.folder, t.overlapped, &size, true)
	}
}

// pass passes on what Windows has found: records of an offset to the next one, an action, the length of a name, and the name.
func (t *tree) pass(found []byte) bool {
	for len(found) >= 12 {
		next, action := binary.LittleEndian.Uint32(found), binary.LittleEndian.Uint32(found[4:])
		length := binary.LittleEndian.Uint32(found[8:])
		if uint64(length) > uint64(len(found)-12) {
			return t.report(fsnotify.ErrEventOverflow)
		}
		name := make([]uint16, length/2)
		for i := range name {
			name[i] = binary.LittleEndian.Uint16(found[12+2*i:])
		}
		if path := windows.UTF16ToString(name); !isHiddenPath(path) && !t.send(fsnotify.Event{Name: filepath.Join(t.dir, path), Op: operation(action)}) {
			return false
		}
		if next == 0 || uint64(next) > uint64(len(found)) {
			return true
		}
		found = found[next:]
	}
	return true
}

func isHiddenPath(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, `\.`)
}

func operation(action uint32) fsnotify.Op {
	switch action {
	case windows.FILE_ACTION_ADDED, windows.FILE_ACTION_RENAMED_NEW_NAME:
		return fsnotify.Create
	case windows.FILE_ACTION_REMOVED:
		return fsnotify.Remove
	case windows.FILE_ACTION_RENAMED_OLD_NAME:
		return fsnotify.Rename
	}
	return fsnotify.Write
}

func (t *tree) send(event fsnotify.Event) bool {
	select {
	case t.events <- event:
		return true
	case <-t.closed:
		return false
	}
}

// report says that events were lost, unless that is known already.
func (t *tree) report(err error) bool {
	select {
	case t.errors <- err:
	default:
	}
	return true
}
