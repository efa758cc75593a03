//go:build !linux && !darwin

package audit

const (
	openFlags   = 0
	othersWrite = 0 // modes say nothing here
)

func syncFolder(string) error { return nil } // names are durable, or nothing can make them so
