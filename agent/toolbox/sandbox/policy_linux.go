package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// policy says what a program may do.
type policy struct {
	Dir    string   `json:"dir"`  // read and write; "" means none
	Read   []string `json:"read"` // read only
	Limits []limit  `json:"limits"`
	// Probe makes the confined process report its confinement instead of starting a program.
	Probe bool `json:"probe,omitempty"`
}

// protection describes the confinement of a process.
type protection struct {
	Landlock int    `json:"landlock"` // its version; 0 means none
	Filtered bool   `json:"filtered"` // whether system calls are filtered
	OwnUser  bool   `json:"own_user"`
	WhyNot   string `json:"why_not"` // why it has no user of its own
}

// limit is one of setrlimit(2).
type limit struct {
	What int   `json:"what"`
	Most int64 `json:"most"` // not negative
}

const (
	maxOpen = 256 // open files
	// spare is how many threads other processes of the same user may start meanwhile, since the kernel
	// counts them together.
	spare = 1024
	// niceness is the nice(1) value of programs: this program's own work goes first, above all the watch.
	niceness = 5
)

func (s *Sandbox) policy(c Command) policy {
	work := s.timeout(c).Truncate(time.Second) + time.Second
	limits := []limit{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, maxOpen},
		{unix.RLIMIT_FSIZE, s.file(c)},
		// CPU time over all processors, in case this program no longer enforces the timeout.
		{unix.RLIMIT_CPU, int64(work/time.Second) * int64(runtime.NumCPU())},
		// Heap and private memory. RLIMIT_AS would also count libraries and thread stacks,
		// which says little, and ffmpeg hangs at that limit.
		{unix.RLIMIT_DATA, s.config.Memory},
	}
	if all := threads(); all > 0 { // does not apply to root, but the watch does
		limits = append(limits, limit{unix.RLIMIT_NPROC, int64(all + s.config.Processes + spare)})
	}
	return policy{Dir: c.Dir, Read: c.Read, Limits: limits, Probe: c.probe}
}

// enforce confines this thread, and whatever program it becomes, for good. The limits come with the start of the
// program (see replace).
func (p policy) enforce(program string) (h protection, err error) {
	h = protection{Landlock: landlockVersion(), Filtered: filters()}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return h, fmt.Errorf("set no_new_privs: %w", err)
	}
	if err := p.files(program); err != nil {
		return h, err
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness) //nolint:errcheck // it may be nicer already
	if err := changeUser(); err != nil {
		h.WhyNot = err.Error()
	} else {
		h.OwnUser = true
	}
	if err := dropCapabilities(h.OwnUser); err != nil {
		return h, err
	}
	// After changeUser, because the kernel resets it when a thread changes its user or group.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return h, fmt.Errorf("set the parent death signal: %w", err)
	}
	if h.Filtered { // otherwise Confinement reports it
		if err := filter(h.Landlock < signals); err != nil {
			return h, err
		}
	}
	return h, nil
}

// ownUser is the user and group ID of programs if this process may change them: an ID that distributions and
// systemd do not assign.
const ownUser = 65530

// noSetuidFixup is SECBIT_NO_SETUID_FIXUP of capabilities(7).
const noSetuidFixup = 1 << 2

// needed are the capabilities for running a program as its own user: to change to it and keep only one, to
// read its input and write its folder, and for this program to end it and to see its open files.
var needed = []struct {
	capability int
	name       string
}{
	{unix.CAP_SETUID, "CAP_SETUID"}, {unix.CAP_SETGID, "CAP_SETGID"}, {unix.CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
	{unix.CAP_SETPCAP, "CAP_SETPCAP"}, {unix.CAP_KILL, "CAP_KILL"}, {unix.CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
}

// changeUser gives this thread a user of its own, or returns why it cannot. A user namespace would not help
// an ordinary user: the kernel still treats the process as that user.
func changeUser() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can run programs as another user")
	}
	all, err := capabilities()
	if err != nil {
		return err
	}
	for _, c := range needed {
		if all.Effective&(1<<c.capability) == 0 {
			return fmt.Errorf("root lacks %s", c.name)
		}
	}
	// This keeps its capabilities, and makes access(2) respect them: some programs use it to check
	// whether they may read a file.
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noSetuidFixup, 0, 0, 0); err != nil {
		return fmt.Errorf("keep capabilities: %w", err)
	}
	// Only this thread changes; the others end when it becomes the program.
	for _, c := range []struct{ call, first uintptr }{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, ownUser}, {unix.SYS_SETRESUID, ownUser}} {
		if _, _, err := unix.RawSyscall(c.call, c.first, c.first, c.first); err != 0 {
			return fmt.Errorf("cannot become user %d: %w", ownUser, err)
		}
	}
	return nil
}

// The files that programs need to run. Missing ones are skipped.
var (
	systemDirs  = []string{"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/gnu/store"}
	systemFiles = []string{
		"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/etc/nsswitch.conf", "/etc/alternatives", "/etc/fonts",
		"/var/cache/fontconfig", "/var/lib/dbus/machine-id", "/sys/devices/system/cpu", "/proc/cpuinfo", "/proc/meminfo",
		"/dev/zero", "/dev/random", "/dev/urandom", "/dev/full",
	}
	openFiles = []string{"/dev/null"}
)

// Access rights in Landlock (see landlock(7)).
const (
	readFile landlock.AccessFSSet = ll.AccessFSReadFile
	readDir  landlock.AccessFSSet = ll.AccessFSReadFile | ll.AccessFSReadDir
	write    landlock.AccessFSSet = readDir | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeDir // no links, which could mislead readers
)

// files allows access to the files of the policy and those that the program needs to run, and denies
// everything else: other files, and as far as the kernel's Landlock can, network ports, other processes and
// their sockets.
func (p policy) files(program string) error {
	if landlockVersion() < 1 {
		return nil // Confinement reports it
	}
	rules := []landlock.Rule{
		landlock.RODirs(systemDirs...).IgnoreIfMissing(),
		landlock.RWFiles(openFiles...).IgnoreIfMissing(),
		landlock.ROFiles(program),
		// A program from elsewhere has its libraries next to its own folder.
		landlock.RODirs(filepath.Join(filepath.Dir(filepath.Dir(program)), "lib")).IgnoreIfMissing(),
	}
	for _, path := range systemFiles {
		if rule, err := reading(path); err == nil {
			rules = append(rules, rule)
		}
	}
	for _, path := range p.Read {
		rule, err := reading(path)
		if err != nil {
			return fmt.Errorf("allow reading: %w", err)
		}
		rules = append(rules, rule)
	}
	if p.Dir != "" {
		rules = append(rules, landlock.PathAccess(write, p.Dir))
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("confine a program: %w", err)
	}
	return nil
}

// reading allows reading a file, or all files below a folder, but not executing them.
func reading(path string) (landlock.FSRule, error) {
	info, err := os.Stat(path)
	if err != nil {
		return landlock.FSRule{}, err
	}
	if info.IsDir() {
		return landlock.PathAccess(readDir, path), nil
	}
	return landlock.PathAccess(readFile, path), nil
}

// dropCapabilities drops all capabilities but CAP_DAC_OVERRIDE, so that root or ownUser can read and write
// others' files within what Landlock allows.
func dropCapabilities(ownUser bool) error {
	all, err := capabilities()
	if err != nil {
		return err
	}
	const keep = 1 << unix.CAP_DAC_OVERRIDE
	left := all.Permitted & keep
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	data := [2]unix.CapUserData{{Effective: left, Permitted: left}}
	if ownUser {
		data[0].Inheritable = left
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	if ownUser { // unlike root, it would lose the capability when the program starts
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_DAC_OVERRIDE, 0, 0); err != nil {
			return fmt.Errorf("keep CAP_DAC_OVERRIDE: %w", err)
		}
	}
	return nil
}

// capabilities returns the first 32 capabilities of this thread; the others do not matter here.
func capabilities() (unix.CapUserData, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var all [2]unix.CapUserData
	if err := unix.Capget(&header, &all[0]); err != nil {
		return all[0], fmt.Errorf("read the capabilities: %w", err)
	}
	return all[0], nil
}

// landlockVersion returns the version of the kernel's Landlock; 0 means none.
func landlockVersion() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return max(abi, 0)
}

// The versions of Landlock that introduced what the package promises.
const (
	truncates = 3 // Linux 6.2
	signals   = 6 // Linux 6.12
)

// user says which user programs run as, and why they have no user of their own.
func (h protection) user() string {
	if h.OwnUser {
		return fmt.Sprintf("Programs run as a user of their own (%d).", ownUser)
	}
	said := fmt.Sprintf("Programs run as the user of this process (%d), not as one of their own: %s.", os.Geteuid(), h.WhyNot)
	if h.Filtered {
		said += " A system call filter keeps them from changing the limits and priority of other processes, and the mode, owner and times of files."
	}
	return said
}

// lacks returns which of the package's promises do not hold, or nil.
func (h protection) lacks() error {
	var all []error
	if h.Landlock < 1 {
		all = append(all, errors.New("this kernel has no Landlock, or it is not enabled: "+
			"programs may read and write the files that this process may"))
	} else if h.Landlock < truncates {
		all = append(all, fmt.Errorf("this kernel has Landlock version %d; only version %d (Linux 6.2) and later prevent programs from truncating files",
			h.Landlock, truncates))
	}
	if !h.Filtered {
		all = append(all, errors.New("system calls are not filtered on this kernel or processor: "+
			"programs may open sockets, outlive their run, change the times and attributes of files, and end each other"))
		if !h.OwnUser {
			all = append(all, errors.New("since system calls are not filtered and programs do not run as a separate user, "+
				"they may end other processes of their user, change their limits, and change the mode and owner of its files"))
		}
	}
	return errors.Join(all...)
}
