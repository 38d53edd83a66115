//go:build unix

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// endedBy returns the limit at which the kernel ended a program.
func endedBy(exit *exec.ExitError) end {
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ownEnd
	}
	switch status.Signal() {
	case syscall.SIGXFSZ:
		return largeFile
	case syscall.SIGXCPU:
		return longWork
	default:
		return ownEnd
	}
}

// killGroup kills a process group.
func killGroup(group int) error {
	err := syscall.Kill(-group, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err //nolint:wrapcheck // os/exec adds context
}

// names returns how many hard links a file has.
func names(info os.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink) //nolint:unconvert,nolintlint // the type differs between systems
}
