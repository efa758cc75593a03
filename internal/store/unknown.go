package store

import "context"

// Comparer is a Store that compares its files with what the caller knows while it scans. Describing a file costs more
// than that, and after a start almost all files are known.
type Comparer interface {
	// ScanUnknown is a Scan that leaves out the files for which known returns true. The bytes of the path and of the mark
	// are valid only during the call.
	ScanUnknown(ctx context.Context, known func(path, mark []byte) bool, want func(Info) bool, visit func(Found)) error
}

// ScanUnknown scans a store and leaves out the files for which known returns true.
func ScanUnknown(
	ctx context.Context, s Store, known func(path, mark []byte) bool, want func(Info) bool, visit func(Found),
) error {
	if comparer, ok := s.(Comparer); ok {
		return comparer.ScanUnknown(ctx, known, want, visit)
	}
	isKnown := func(info Info) bool { return !info.Folder && known([]byte(info.Path), []byte(info.Mark)) }
	return s.Scan(ctx, func(info Info) bool { return want(info) && !isKnown(info) }, func(found Found) {
		if found.Err != nil || !isKnown(found.Info) {
			visit(found)
		}
	})
}
