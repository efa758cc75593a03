//go:build !windows

package folder

import "github.com/fsnotify/fsnotify"

// newNotifier reports the changes in the folders that are added to it.
func newNotifier(string) (*notifier, error) {
	watcher, err := fsnotify.NewBufferedWatcher(4096)
	if err != nil {
		return nil, err
	}
	return &notifier{
		events: watcher.Events, errors: watcher.Errors, add: watcher.Add, remove: watcher.Remove, close: watcher.Close,
	}, nil
}
