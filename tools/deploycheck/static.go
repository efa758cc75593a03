package main

import (
	"debug/elf"
	"fmt"
)

// checkStatic makes sure that a program starts without other files: an image from scratch has no interpreter and no
// shared libraries.
func checkStatic(name string) error {
	program, err := elf.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer program.Close()
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s is linked dynamically: it has a %v segment", name, part.Type)
		}
	}
	return nil
}
