package store

import "context"

// Comparer is a Store that compares its files with what the caller knows while it scans. Describing a file costs more
// than that, and after a start almost all files are known.
type Comparer interface {
	// ScanUnknown is a Scan that leaves out the files that the caller knows.
	ScanUnknown(ctx context.Context, known Known, want func(Info) bool, visit func(Found)) error
}

// Known returns a function that reports whether a file is known in the state of a mark. The function is for a single goroutine, and the
// bytes that it gets are valid only during the call.
type Known func() func(path, mark []byte) bool

// ScanUnknown scans a store and leaves out the files that are known.
func ScanUnknown(
	ctx context.Context, s Store, known Known, want func(Info) bool, visit func(Found),
) error {
	if comparer, ok := s.(Comparer); ok {
		return comparer.ScanUnknown(ctx, known, want, visit)
	}
	isKnown := func(info Info) bool { return !info.Folder && known()([]byte(info.Path), []byte(info.Mark)) }
	return s.Scan(ctx, func(info Info) bool { return want(info) && !isKnown(info) }, func(found Found) {
		if found.Err != nil || !isKnown(found.Info) {
			visit(found)
		}
	})
}
