//go:build !linux

package audit

import "os"

func allocate(*os.File, int64, int64) error { return nil }
