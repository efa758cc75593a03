//go:build !linux

package system

// UnloadProgram does nothing.
func UnloadProgram() {}
