//go:build !unix

package sandbox

import "os/exec"

// grouped leaves it at killing the program alone, where there are no groups.
func grouped(*exec.Cmd) {}
