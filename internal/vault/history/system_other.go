//go:build !linux

package history

import "os"

func syncData(file *os.File) error { return file.Sync() }
