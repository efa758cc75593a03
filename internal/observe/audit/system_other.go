//go:build !linux && !darwin

package audit

const (
	openFlags   = 0
	othersWrite = 0 // modes say nothing here
)
