//go:build linux || darwin

package faults_test

import (
	"math"
	"os/signal"
	"syscall"
)

// limit limits the size of the process's files. Larger writes fail, as on a full disk.
func (w worker) limit() error {
	if w.FileLimit == 0 {
		return nil
	}
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: w.FileLimit, Max: math.MaxUint64})
}
