//go:build !linux && !darwin

package audit

const (
	openFlags   = 0
	othersWrite = 0 // file modes say nothing about other users here
)
