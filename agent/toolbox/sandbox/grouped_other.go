//go:build !unix

package sandbox

import "os/exec"

// setGroup does nothing: without process groups only the program itself is killed.
func setGroup(*exec.Cmd) {}
