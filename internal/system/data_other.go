//go:build !linux

package system

// UnloadData does nothing.
func UnloadData(string) {}
