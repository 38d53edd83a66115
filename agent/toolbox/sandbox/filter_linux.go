package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are the system calls that always fail: those that open sockets; leave the process group, which is
// killed at the end; leave something in the kernel or hold memory that is not counted; change the mode,
// owner, times or attributes of files, since the filter cannot see which file; reach into other processes or
// watch others' files; and those that mostly serve attacks on the kernel.
var refused = []uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_IO_URING_SETUP,
	unix.SYS_SETSID, unix.SYS_SETPGID,
	unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MEMFD_SECRET,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
	unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_INOTIFY_INIT1, unix.SYS_FANOTIFY_INIT,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN,
	unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
}

// architecture is a supported processor architecture.
type architecture struct {
	audit uint32 // the kernel's number for it
	// old are further refused calls that newer architectures do not have.
	old []uint32
}

var architectures = map[string]architecture{
	"amd64": {audit: unix.AUDIT_ARCH_X86_64, old: []uint32{
		90 /* chmod */, 92 /* chown */, 94 /* lchown */, 132 /* utime */, 235 /* utimes */, 261 /* futimesat */, 253, /* inotify_init */
	}},
	"arm64": {audit: unix.AUDIT_ARCH_AARCH64},
}

// newest is the last known system call. Later ones fail as on an older kernel, so that a new kernel opens no
// new way around the filter.
const newest = unix.SYS_RSEQ_SLICE_YIELD

// namespaces are the flags of clone(2) that create namespaces, in which a process would be root.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// rule restricts the lower 32 bits of an argument of a call. If only is set, other values are refused.
// Values in never, and values with any of bits, are refused.
type rule struct {
	call, arg   uint32
	only, never []uint32
	bits        uint32
}

// argumentRules returns the rules for a process: it may change the limits, priority and processors of itself
// only. Its threads and children have other process IDs and lose even that. With noSignals, it may send
// signals to itself and its group only.
func argumentRules(pid uint32, noSignals bool) []rule {
	own := []uint32{0, pid}
	rules := []rule{
		{call: unix.SYS_CLONE, arg: 0, bits: namespaces},
		{call: unix.SYS_PRLIMIT64, arg: 0, only: own},
		{call: unix.SYS_SCHED_SETAFFINITY, arg: 0, only: own},
		{call: unix.SYS_SCHED_SETSCHEDULER, arg: 0, only: own},
		{call: unix.SYS_SCHED_SETPARAM, arg: 0, only: own},
		{call: unix.SYS_SCHED_SETATTR, arg: 0, only: own},
		{call: unix.SYS_MIGRATE_PAGES, arg: 0, only: own},
		{call: unix.SYS_MOVE_PAGES, arg: 0, only: own},
		{call: unix.SYS_SETPRIORITY, arg: 0, only: []uint32{unix.PRIO_PROCESS}}, // not PRIO_USER
		{call: unix.SYS_SETPRIORITY, arg: 1, only: own},
		{call: unix.SYS_IOPRIO_SET, arg: 0, only: []uint32{ioprioProcess}},
		{call: unix.SYS_IOPRIO_SET, arg: 1, only: own},
		{call: unix.SYS_PRCTL, arg: 0, never: []uint32{unix.PR_SCHED_CORE}},
		// A file with asynchronous I/O sends its owner a signal of any kind.
		{call: unix.SYS_FCNTL, arg: 1, never: []uint32{unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG}},
		{call: unix.SYS_IOCTL, arg: 1, never: []uint32{
			unix.FS_IOC_SETFLAGS, setFlags32, setAttributes, unix.FS_IOC_ENABLE_VERITY, setVersion, setVersion32,
			unix.TIOCSTI,
		}},
	}
	if noSignals {
		rules = append(rules,
			rule{call: unix.SYS_KILL, arg: 0, only: []uint32{0, pid, -pid}},
			rule{call: unix.SYS_TKILL, arg: 0, only: []uint32{pid}},
			rule{call: unix.SYS_TGKILL, arg: 0, only: []uint32{pid}},
			rule{call: unix.SYS_RT_SIGQUEUEINFO, arg: 0, only: []uint32{pid}},
			rule{call: unix.SYS_RT_TGSIGQUEUEINFO, arg: 0, only: []uint32{pid}},
		)
	}
	return rules
}

// Constants of linux/ioprio.h and linux/fs.h that golang.org/x/sys/unix lacks.
const (
	ioprioProcess = 1
	setFlags32    = 0x40046602 // FS_IOC32_SETFLAGS
	setAttributes = 0x401c5820 // FS_IOC_FSSETXATTR
	setVersion    = 0x40087602 // FS_IOC_SETVERSION
	setVersion32  = 0x40047602 // FS_IOC32_SETVERSION
)

// filters reports whether system calls can be filtered. A kernel that can do so fails with EFAULT for a nil
// filter.
func filters() bool {
	_, known := architectures[runtime.GOARCH]
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0, 0, 0)
	return known && errors.Is(err, unix.EFAULT)
}

// filter makes the refused calls of this thread fail from now on (see seccomp(2)).
func filter(noSignals bool) error {
	a := architectures[runtime.GOARCH]
	program := instructions(a, argumentRules(uint32(unix.Getpid()), noSignals)) //nolint:gosec // process IDs are small
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}      //nolint:gosec // a few hundred
	at := unsafe.Pointer(&prog)                                                 //nolint:gosec // for prctl(2)
	if _, _, err := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(at), 0, 0, 0); err != 0 {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}

// instructions returns the filter program. Its input is struct seccomp_data: the call's number, the
// architecture, the instruction pointer, then the arguments. A call through another architecture ends the
// program. clone3 fails with ENOSYS, because its flags are not visible; C libraries then use clone. Calls
// above newest include those of x32.
func instructions(a architecture, rules []rule) []unix.SockFilter {
	const number, arch, arguments, size = 0, 4, 16, 8
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		above = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
		among = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	)
	end := func(how uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: how} }
	refuse, unknown := end(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)), end(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS))
	program := []unix.SockFilter{
		{Code: load, K: arch},
		{Code: equal, Jt: 1, K: a.audit},
		end(unix.SECCOMP_RET_KILL_PROCESS),
		{Code: load, K: number},
		{Code: above, Jf: 1, K: newest},
		unknown,
		{Code: equal, Jf: 1, K: unix.SYS_CLONE3},
		unknown,
	}
	for _, calls := range [][]uint32{refused, a.old} {
		for _, call := range calls {
			program = append(program, unix.SockFilter{Code: equal, Jf: 1, K: call}, refuse)
		}
	}
	for _, r := range rules {
		var tests []unix.SockFilter
		for i, value := range r.only {
			tests = append(tests, unix.SockFilter{Code: equal, Jt: uint8(len(r.only) - i), K: value}) //nolint:gosec // a few
		}
		if len(r.only) > 0 {
			tests = append(tests, refuse)
		}
		for _, value := range r.never {
			tests = append(tests, unix.SockFilter{Code: equal, Jf: 1, K: value}, refuse)
		}
		tests = append(tests, unix.SockFilter{Code: among, Jf: 1, K: r.bits}, refuse)
		program = append(program, unix.SockFilter{Code: equal, Jf: uint8(len(tests) + 2), K: r.call}) //nolint:gosec // a few dozen
		program = append(program, unix.SockFilter{Code: load, K: arguments + size*r.arg})
		program = append(program, tests...)
		program = append(program, unix.SockFilter{Code: load, K: number})
	}
	return append(program, end(unix.SECCOMP_RET_ALLOW))
}
