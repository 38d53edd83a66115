package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are the system calls that fail: those that open sockets, and those by which a
// process would leave the group that is killed in the end.
var refused = []uint32{unix.SYS_SOCKET, unix.SYS_IO_URING_SETUP, unix.SYS_SETSID, unix.SYS_SETPGID}

// architectures are the kernel's names of processors whose system calls are known here.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// filters tells whether system calls can be filtered.
func filters() bool {
	_, known := architectures[runtime.GOARCH]
	_, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return known && err == nil
}

// filter lets the refused calls of this thread fail from now on (see seccomp(2)).
func filter() error {
	if !filters() {
		return nil // Confines tells
	}
	program := instructions(architectures[runtime.GOARCH])
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]} //nolint:gosec // a dozen
	at := unsafe.Pointer(&prog)                                            //nolint:gosec // as prctl(2) takes it
	if _, _, err := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(at), 0, 0, 0); err != 0 {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}

// instructions are the filter. A call comes as struct seccomp_data: its number, then the
// architecture. What comes by the ways of another architecture ends the program.
func instructions(architecture uint32) []unix.SockFilter {
	const number, arch = 0, 4
	const (
		load    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		end     = unix.BPF_RET | unix.BPF_K
	)
	const otherWay = 0x40000000 // the numbers of x32, which no other architecture reaches
	program := []unix.SockFilter{
		{Code: load, K: arch},
		{Code: equal, Jt: 1, K: architecture},
		{Code: end, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: number},
	}
	left := uint8(len(refused)) + 1 //nolint:gosec // a few: how many to jump over to the refusal
	program = append(program, unix.SockFilter{Code: atLeast, Jt: left, K: otherWay})
	for _, call := range refused {
		left--
		program = append(program, unix.SockFilter{Code: equal, Jt: left, K: call})
	}
	return append(program,
		unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
	)
}
