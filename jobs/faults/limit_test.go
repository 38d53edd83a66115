//go:build linux || darwin

package faults_test

import (
	"math"
	"os/signal"
	"syscall"
)

// limit has the process write no larger files than it may: what is more is refused, as on
// a disk that is full.
func (w worker) limit() error {
	if w.FileLimit == 0 {
		return nil
	}
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: w.FileLimit, Max: math.MaxUint64})
}
