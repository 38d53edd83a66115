package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempt is something that a confined program tries.
type attempt struct {
	name string
	try  func(arena) error
	// by are the protections each of which prevents it; none means that it is allowed.
	by protections
	// harmful attempts are only made if something prevents them, as are those that not every system
	// supports.
	harmful bool
	// says is the error from the system call filter; 0 means EPERM.
	says syscall.Errno
}

// protections are the mechanisms that may prevent an attempt.
type protections uint

const (
	files       protections = 1 << iota // Landlock
	emptying                            // Landlock, from version 3
	connecting                          // … of TCP
	addressing                          // … of sockets in the file system
	scope                               // … of signals
	calls                               // the filter
	quiet                               // the filter, where it restricts signals
	otherUser                           // a user of its own
	hidden                              // Enter without Landlock
	hiddenFiles                         // … of a process of an ordinary user
	lesser                              // root without capabilities, next to a process that has them
	always                              // in every confined process
)

// arena holds the files and processes that attempts use.
type arena struct {
	Given   string `json:"given"`
	Sibling string `json:"sibling"`
	Folder  string `json:"folder"`
	Bot     int    `json:"bot"`    // the process that runs programs
	Victim  int    `json:"victim"` // another one
	Port    int    `json:"port"`
	Socket  string `json:"socket"`
}

// attempts are what the sandbox is tested with.
var attempts = append([]attempt{
	{name: "read what is given", try: func(a arena) error { return reads(a.Given) }},
	{name: "ask whether it may read what is given", try: func(a arena) error { return unix.Access(a.Given, unix.R_OK) }},
	{name: "write into the folder", try: func(arena) error {
		return errors.Join(os.Mkdir("sub", 0o700), os.WriteFile("sub/file", []byte("x"), 0o600), os.Rename("sub/file", "sub/other"), os.RemoveAll("sub"))
	}},
	{name: "read a sibling", by: files, try: func(a arena) error { return reads(a.Sibling) }},
	{name: "list the folder above", by: files, try: func(a arena) error { _, err := os.ReadDir(a.Folder); return err }},
	{name: "read the users", by: files, try: func(arena) error { return reads("/etc/passwd") }},
	{name: "read of other processes", by: files, try: func(arena) error { return reads("/proc/1/cmdline") }},
	{name: "write what is given", by: files, try: func(a arena) error { return writes(a.Given, os.O_WRONLY) }},
	{name: "append to what is given", by: files, try: func(a arena) error { return writes(a.Given, os.O_WRONLY|os.O_APPEND) }},
	{name: "write elsewhere", by: files, try: func(a arena) error { return writes(a.Folder+"/new", os.O_WRONLY|os.O_CREATE) }},
	{name: "write into /tmp", by: files, harmful: true, try: func(arena) error { return writes("/tmp/atelier-sandbox-test", os.O_WRONLY|os.O_CREATE) }},
	{name: "write into the system", by: files, harmful: true, try: func(arena) error { return writes("/usr/atelier-sandbox-test", os.O_WRONLY|os.O_CREATE) }},
	{name: "leave a link", by: files, try: func(a arena) error { return os.Symlink(a.Sibling, "link") }},
	{name: "leave a second name", by: files, try: func(a arena) error { return os.Link(a.Sibling, "second") }},
	{name: "leave a pipe", by: files, try: func(arena) error { return unix.Mkfifo("pipe", 0o600) }},
	{name: "empty a sibling", by: emptying, try: func(a arena) error { return os.Truncate(a.Sibling, 5) }},
	{name: "run what it has written", by: files, try: func(arena) error {
		b, err := os.ReadFile("/bin/true")
		return errors.Join(err, os.WriteFile("mine", b, 0o700), exec.Command("./mine").Run())
	}},

	{name: "change the mode of a sibling", by: calls | otherUser, try: func(a arena) error { return unix.Fchmodat(unix.AT_FDCWD, a.Sibling, 0o644, 0) }},
	{name: "change the mode of the folder above", by: calls | otherUser, try: func(a arena) error { return unix.Chmod(a.Folder, 0o700) }},
	{name: "change the mode of what is given", by: calls | otherUser, try: opened(func(fd int) error { return unix.Fchmod(fd, 0o644) })},
	{name: "change a mode by the newer call", by: calls | otherUser, harmful: true, try: func(a arena) error {
		return callAt(unix.SYS_FCHMODAT2, a.Sibling, 0o644)
	}},
	{name: "change the mode of its own file", by: calls, try: func(arena) error {
		return errors.Join(writes("own", os.O_WRONLY|os.O_CREATE), os.Chmod("own", 0o400))
	}},
	{name: "change the owner of a sibling", by: calls | otherUser, try: func(a arena) error { return os.Lchown(a.Sibling, os.Getuid(), os.Getgid()) }},
	{name: "change the owner of what is given", by: calls | otherUser, try: opened(func(fd int) error { return unix.Fchown(fd, os.Getuid(), os.Getgid()) })},
	{name: "give a file away", by: calls | always, harmful: true, try: func(arena) error {
		return errors.Join(writes("away", os.O_WRONLY|os.O_CREATE), os.Chown("away", 12345, -1))
	}},
	{name: "change the times of a sibling", by: calls | otherUser, try: func(a arena) error { return os.Chtimes(a.Sibling, time.Unix(1, 0), time.Unix(1, 0)) }},
	{name: "touch a sibling", by: calls, try: func(a arena) error { return callAt(unix.SYS_UTIMENSAT, a.Sibling, 0) }},
	{name: "name an attribute", by: calls, harmful: true, try: func(a arena) error { return unix.Setxattr(a.Sibling, "user.test", nil, 0) }},
	{name: "name an attribute of a link", by: calls, harmful: true, try: func(a arena) error { return unix.Lsetxattr(a.Sibling, "user.test", nil, 0) }},
	{name: "name an attribute of what is given", by: calls, harmful: true, try: opened(func(fd int) error { return unix.Fsetxattr(fd, "user.test", nil, 0) })},
	{name: "name an attribute by the newer call", by: calls, harmful: true, try: func(a arena) error {
		return callAt(unix.SYS_SETXATTRAT, a.Sibling, 0)
	}},
	{name: "remove an attribute", by: calls, harmful: true, try: func(a arena) error { return unix.Removexattr(a.Sibling, "user.test") }},
	{name: "remove an attribute of a link", by: calls, harmful: true, try: func(a arena) error { return unix.Lremovexattr(a.Sibling, "user.test") }},
	{name: "remove an attribute of what is given", by: calls, harmful: true, try: opened(func(fd int) error { return unix.Fremovexattr(fd, "user.test") })},
	{name: "remove an attribute by the newer call", by: calls, harmful: true, try: func(a arena) error {
		return callAt(unix.SYS_REMOVEXATTRAT, a.Sibling, 0)
	}},
	{name: "set flags of a sibling", by: calls, harmful: true, try: func(a arena) error { return callAt(unix.SYS_FILE_SETATTR, a.Sibling, 0) }},
	{name: "set flags of what is given", by: calls, harmful: true, try: control(unix.FS_IOC_SETFLAGS)},
	{name: "set flags of 32 bits", by: calls, harmful: true, try: control(setFlags32)},
	{name: "set further flags", by: calls, harmful: true, try: control(setAttributes)},
	{name: "set a version", by: calls, harmful: true, try: control(setVersion)},
	{name: "seal what is given", by: calls, harmful: true, try: control(unix.FS_IOC_ENABLE_VERITY)},
	{name: "watch what others write", by: calls, try: func(arena) error { _, err := unix.InotifyInit1(0); return err }},

	{name: "limit another's files", by: calls | otherUser, try: func(a arena) error {
		return unix.Prlimit(a.Victim, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 3}, nil)
	}},
	{name: "limit this process's files", by: calls | otherUser, harmful: true, try: func(a arena) error {
		return unix.Prlimit(a.Bot, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 3}, nil)
	}},
	{name: "take another's processors", by: calls | otherUser | lesser, try: func(a arena) error {
		var set unix.CPUSet
		return errors.Join(unix.SchedGetaffinity(0, &set), unix.SchedSetaffinity(a.Victim, &set))
	}},
	{name: "set another's scheduler", by: calls | otherUser | lesser, try: func(a arena) error {
		var none int32
		return call(unix.SYS_SCHED_SETSCHEDULER, uintptr(a.Victim), unix.SCHED_BATCH, uintptr(unsafe.Pointer(&none))) //nolint:gosec // as it takes it
	}},
	{name: "set another's scheduling", by: calls | otherUser | lesser, try: func(a arena) error {
		return unix.SchedSetAttr(a.Victim, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: 19}, 0)
	}},
	{name: "set another's rank", by: calls | otherUser | lesser, try: func(a arena) error {
		var none int32
		return call(unix.SYS_SCHED_SETPARAM, uintptr(a.Victim), uintptr(unsafe.Pointer(&none)), 0) //nolint:gosec // as it takes it
	}},
	{name: "let another yield", by: calls | otherUser | lesser, try: func(a arena) error { return unix.Setpriority(unix.PRIO_PROCESS, a.Victim, 19) }},
	{name: "let all of a user yield", by: calls, harmful: true, try: func(a arena) error { return unix.Setpriority(unix.PRIO_USER, owner(a.Given), 19) }},
	{name: "let another read later", by: calls | otherUser | lesser, try: func(a arena) error { return call(unix.SYS_IOPRIO_SET, ioprioProcess, uintptr(a.Victim), 2<<13|7) }},
	{name: "let all of a user read later", by: calls | otherUser, harmful: true, try: func(a arena) error { return call(unix.SYS_IOPRIO_SET, 3, uintptr(owner(a.Given)), 2<<13|7) }},
	{name: "move another's memory", by: calls, harmful: true, try: func(a arena) error { return call(unix.SYS_MIGRATE_PAGES, uintptr(a.Victim), 0, 0) }},
	{name: "move another's pages", by: calls, harmful: true, try: func(a arena) error { return call(unix.SYS_MOVE_PAGES, uintptr(a.Victim), 0, 0) }},
	{name: "share another's core", by: calls, harmful: true, try: func(a arena) error { return unix.Prctl(unix.PR_SCHED_CORE, 2, uintptr(a.Victim), 0, 0) }},
	{name: "end another", by: scope | quiet | otherUser, try: func(a arena) error { return unix.Kill(a.Victim, 0) }},
	{name: "end another's thread", by: scope | quiet | otherUser, try: func(a arena) error { return unix.Tgkill(a.Victim, a.Victim, 0) }},
	{name: "end another by the older call", by: scope | quiet | otherUser, try: func(a arena) error { return call(unix.SYS_TKILL, uintptr(a.Victim), 0, 0) }},
	{name: "send another a word", by: scope | quiet | otherUser, harmful: true, try: func(a arena) error { return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(a.Victim), 0, 0) }},
	{name: "send another's thread a word", by: scope | quiet | otherUser, harmful: true, try: func(a arena) error {
		return call(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(a.Victim), uintptr(a.Victim), 0)
	}},
	{name: "end another by its file", by: scope | calls | otherUser, try: func(a arena) error {
		fd, err := unix.PidfdOpen(a.Victim, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd) //nolint:errcheck // it is nothing but a name
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	}},
	{name: "have news signalled to another", by: calls, try: func(a arena) error {
		_, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_SETOWN, a.Victim)
		return err
	}},
	{name: "trace another", by: files | calls | otherUser, harmful: true, try: func(a arena) error {
		runtime.LockOSThread()
		return unix.PtraceAttach(a.Victim)
	}},
	{name: "read another's memory", by: calls, harmful: true, try: func(a arena) error {
		_, err := unix.ProcessVMReadv(a.Victim, nil, nil, 0)
		return err
	}},
	{name: "write another's memory", by: calls, harmful: true, try: func(a arena) error {
		_, err := unix.ProcessVMWritev(a.Victim, nil, nil, 0)
		return err
	}},
	{name: "advise another's memory", by: calls, harmful: true, try: func(arena) error { return call(unix.SYS_PROCESS_MADVISE, 0, 0, 0) }},
	{name: "read this process's environment", by: files | otherUser | hidden, try: func(a arena) error { return reads(fmt.Sprintf("/proc/%d/environ", a.Bot)) }},
	{name: "write this process's memory", by: files | otherUser | hidden, harmful: true, try: func(a arena) error {
		return writes(fmt.Sprintf("/proc/%d/mem", a.Bot), os.O_RDWR)
	}},
	{name: "have this process ended first", by: files | hiddenFiles, try: func(a arena) error {
		name := fmt.Sprintf("/proc/%d/oom_score_adj", a.Bot)
		now, err := os.ReadFile(name)
		return errors.Join(err, os.WriteFile(name, now, 0))
	}},

	{name: "limit itself", try: func(arena) error {
		var now unix.Rlimit
		return errors.Join(unix.Prlimit(0, unix.RLIMIT_STACK, nil, &now), unix.Prlimit(0, unix.RLIMIT_STACK, &now, nil), unix.Prlimit(os.Getpid(), unix.RLIMIT_STACK, &now, nil))
	}},
	{name: "choose its processors", try: func(arena) error {
		var set unix.CPUSet
		return errors.Join(unix.SchedGetaffinity(0, &set), unix.SchedSetaffinity(0, &set), unix.SchedSetaffinity(os.Getpid(), &set))
	}},
	{name: "yield", try: func(arena) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, 10) }},
	{name: "read later", try: func(arena) error { return call(unix.SYS_IOPRIO_SET, ioprioProcess, 0, 2<<13|7) }},
	{name: "signal itself", try: func(arena) error {
		return errors.Join(unix.Kill(os.Getpid(), 0), unix.Kill(0, 0), unix.Tgkill(os.Getpid(), os.Getpid(), 0))
	}},
	{name: "start another program", try: func(arena) error { return exec.Command("true").Run() }},
	{name: "take a limit back", by: always, harmful: true, try: func(arena) error {
		return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
	}},

	{name: "connect", by: calls | connecting, try: func(a arena) error { return dial("tcp", fmt.Sprintf("127.0.0.1:%d", a.Port)) }},
	{name: "connect to a file", by: calls | addressing, try: func(a arena) error { return dial("unix", a.Socket) }},
	{name: "send a datagram", by: calls, try: func(arena) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		return errors.Join(err, unix.Close(fd))
	}},
	{name: "leave its group", by: calls, try: func(arena) error {
		c := exec.Command("true")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return c.Run()
	}},
	{name: "share memory", by: calls, try: func(arena) error { return left(unix.SYS_SHMGET, unix.SYS_SHMCTL, 4096, 0o600) }},
	{name: "leave a queue", by: calls, try: func(arena) error { return left(unix.SYS_MSGGET, unix.SYS_MSGCTL, 0o600, 0) }},
	{name: "leave semaphores", by: calls, try: func(arena) error { return left(unix.SYS_SEMGET, unix.SYS_SEMCTL, 1, 0o600) }},
	{name: "have a system of its own", by: calls, harmful: true, try: func(arena) error { return unix.Unshare(unix.CLONE_NEWUSER) }},
	{name: "be born in another", by: calls, harmful: true, try: func(arena) error {
		c := exec.Command("true")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		return c.Run()
	}},
	{name: "ask for another's keys", by: calls, harmful: true, try: func(arena) error { return call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0) }},
	{name: "use a call that is not known", by: calls, harmful: true, says: unix.ENOSYS, try: func(arena) error { return call(newest+1, 0, 0, 0) }},
	{name: "use another way to calls", by: calls, harmful: true, says: unix.ENOSYS, try: func(arena) error { return call(0x40000000+41, 2, 1, 0) }},
}, older()...)

// older are attempts at the calls that newer architectures lack.
func older() (all []attempt) {
	for _, number := range architectures[runtime.GOARCH].old {
		all = append(all, attempt{name: fmt.Sprintf("use the older call %d", number), by: calls, harmful: true, try: func(arena) error {
			return call(uintptr(number), 0, 0, 0)
		}})
	}
	return all
}

// attempts returns the attempts to make with these protections.
func (p protections) attempts() (all []attempt) {
	for _, a := range attempts {
		if !a.harmful || a.by&p != 0 {
			all = append(all, a)
		}
	}
	return all
}

// input is the input of a process that makes the attempts.
type input struct {
	Arena       arena       `json:"arena"`
	Protections protections `json:"protections"`
}

// tryAll makes all attempts one after another, and writes their errors, "" for success.
func tryAll(told string) error {
	var in input
	if err := json.Unmarshal([]byte(told), &in); err != nil {
		return err
	}
	said := map[string]string{}
	for _, a := range in.Protections.attempts() {
		said[a.name] = ""
		if err := a.try(in.Arena); err != nil {
			said[a.name] = cause(err)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(said)
}

// refusal returns the error with which the filter prevents it.
func (a attempt) refusal() error {
	if a.says != 0 {
		return a.says
	}
	return unix.EPERM
}

// cause returns the kernel's error without its context.
func cause(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return err.Error()
}

func reads(name string) error {
	_, err := os.ReadFile(name)
	return err
}

func writes(name string, how int) error {
	f, err := os.OpenFile(name, how, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Minute) //nolint:noctx // of this machine
	if err != nil {
		return err
	}
	return c.Close()
}

func owner(name string) int {
	var stat unix.Stat_t
	if err := unix.Stat(name, &stat); err != nil {
		return -1
	}
	return int(stat.Uid)
}

// opened makes an attempt on the given file, opened for reading.
func opened(try func(fd int) error) func(arena) error {
	return func(a arena) error {
		f, err := os.Open(a.Given)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // it was read
		return try(int(f.Fd()))
	}
}

// control makes an attempt on the given file with ioctl(2).
func control(request uint) func(arena) error {
	return opened(func(fd int) error { return unix.IoctlSetPointerInt(fd, request, 0) })
}

// left creates a System V object and removes it.
func left(get, control, first, second uintptr) error {
	id, _, err := unix.Syscall(get, 0, first, second)
	if err != 0 {
		return err
	}
	if get == unix.SYS_SEMGET {
		return call(control, id, 0, unix.IPC_RMID)
	}
	return call(control, id, unix.IPC_RMID, 0)
}

func call(number, a, b, c uintptr) error {
	if _, _, err := unix.Syscall(number, a, b, c); err != 0 {
		return err
	}
	return nil
}

// callAt makes a call such as openat(2).
func callAt(number uintptr, path string, c uintptr) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	here := unix.AT_FDCWD
	if _, _, err := unix.Syscall6(number, uintptr(here), uintptr(unsafe.Pointer(p)), c, 0, 0, 0); err != 0 { //nolint:gosec // as it takes it
		return err
	}
	return nil
}
