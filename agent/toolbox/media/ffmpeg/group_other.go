//go:build !unix

package ffmpeg

import "os/exec"

// inGroup leaves it at killing the program alone, where there are no process groups.
func inGroup(*exec.Cmd) {}
