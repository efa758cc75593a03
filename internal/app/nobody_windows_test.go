package app

import (
	"os/exec"
	"testing"
)

// asNobody leaves the command as it is: nobody has all rights here.
func asNobody(*exec.Cmd) {}

func givenToNobody(*testing.T, string) {}
