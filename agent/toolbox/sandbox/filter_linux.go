package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are the system calls that fail: those that open sockets, those by which a process
// would leave the group that is killed in the end, those that leave something in the kernel
// behind it or hold memory that nobody counts, and those by which a kernel is attacked and
// which no program here has a use for.
var refused = []uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_IO_URING_SETUP,
	unix.SYS_SETSID, unix.SYS_SETPGID,
	unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MEMFD_SECRET,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
}

// namespaces are the flags of clone(2) that give a process a system of its own, in which it
// would be root.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

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
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]} //nolint:gosec // some dozens
	at := unsafe.Pointer(&prog)                                            //nolint:gosec // as prctl(2) takes it
	if _, _, err := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(at), 0, 0, 0); err != 0 {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}

// instructions are the filter. A call comes as struct seccomp_data: its number, then the
// architecture, then the place, then what it is given. What comes by the ways of another
// architecture ends the program. The flags of clone3 cannot be seen, so that there seems to
// be none: libraries of C then take clone.
func instructions(architecture uint32) []unix.SockFilter {
	const number, arch, flags = 0, 4, 16
	const (
		load    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		among   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		end     = unix.BPF_RET | unix.BPF_K
	)
	const otherWay = 0x40000000 // the numbers of x32, which no other architecture reaches
	program := []unix.SockFilter{
		{Code: load, K: arch},
		{Code: equal, Jt: 1, K: architecture},
		{Code: end, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: number},
	}
	// The last three are the ends; what comes before jumps over what lies between.
	allow := len(program) + 1 + len(refused) + 4
	over := func(to int) uint8 { return uint8(to - len(program) - 1) } //nolint:gosec // the list is short
	refuse, unknown := allow+1, allow+2
	program = append(program, unix.SockFilter{Code: atLeast, Jt: over(refuse), K: otherWay})
	for _, call := range refused {
		program = append(program, unix.SockFilter{Code: equal, Jt: over(refuse), K: call})
	}
	program = append(program, unix.SockFilter{Code: equal, Jt: over(unknown), K: unix.SYS_CLONE3})
	program = append(program, unix.SockFilter{Code: equal, Jf: over(allow), K: unix.SYS_CLONE})
	program = append(program, unix.SockFilter{Code: load, K: flags})
	program = append(program, unix.SockFilter{Code: among, Jt: over(refuse), K: namespaces})
	return append(program,
		unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	)
}
