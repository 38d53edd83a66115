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

// policy is what a program may do.
type policy struct {
	Dir    string   `json:"dir"`  // read and write, "" is none
	Read   []string `json:"read"` // read alone
	Limits []limit  `json:"limits"`
	// Probe has the confined process tell what holds it, instead of becoming a program.
	Probe bool `json:"probe,omitempty"`
}

// protection is what holds a confined process.
type protection struct {
	Landlock int    `json:"landlock"` // its version, 0 is none
	Filtered bool   `json:"filtered"` // system calls are
	OwnUser  bool   `json:"own_user"`
	WhyNot   string `json:"why_not"` // it has no user of its own
}

// limit is one of setrlimit(2).
type limit struct {
	What int   `json:"what"`
	Most int64 `json:"most"` // not negative
}

const (
	maxOpen = 256 // files at a time
	// spare is how many threads others of the same user may start meanwhile, who are
	// counted together.
	spare = 1024
	// yielding is the priority that programs have, by nice(1): this program's own work goes
	// first, and above all the watch.
	yielding = 5
)

func (s *Sandbox) policy(c Command) policy {
	work := s.timeout(c).Truncate(time.Second) + time.Second
	limits := []limit{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, maxOpen},
		{unix.RLIMIT_FSIZE, s.file(c)},
		// Of all processors together, for the case that nobody is left to look at the clock.
		{unix.RLIMIT_CPU, int64(work/time.Second) * int64(runtime.NumCPU())},
		// What it asks for in earnest. All that it maps besides (RLIMIT_AS), libraries and
		// the stacks of threads, says little, and ffmpeg hangs at that limit.
		{unix.RLIMIT_DATA, s.config.Memory},
	}
	if all := threads(); all > 0 { // root is not held to it, but watched all the same
		limits = append(limits, limit{unix.RLIMIT_NPROC, int64(all + s.config.Processes + spare)})
	}
	return policy{Dir: c.Dir, Read: c.Read, Limits: limits, Probe: c.probe}
}

// enforce confines this thread for good, and whatever it becomes.
func (p policy) enforce(program string) (h protection, err error) {
	h = protection{Landlock: landlockVersion(), Filtered: filters()}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return h, fmt.Errorf("give up new privileges: %w", err)
	}
	if err := p.files(program); err != nil {
		return h, err
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, yielding) //nolint:errcheck // or it yields more already
	if err := changeUser(); err != nil {
		h.WhyNot = err.Error()
	} else {
		h.OwnUser = true
	}
	if err := dropCapabilities(h.OwnUser); err != nil {
		return h, err
	}
	// The kernel forgets it where a thread changes its user or group.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return h, fmt.Errorf("end with this program: %w", err)
	}
	if h.Filtered { // or Confinement tells
		if err := filter(h.Landlock < signals); err != nil {
			return h, err
		}
	}
	for _, l := range p.Limits { // last, since they hold this process too
		most := uint64(l.Most) //nolint:gosec // not negative
		if err := unix.Setrlimit(l.What, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return h, fmt.Errorf("set limit %d: %w", l.What, err)
		}
	}
	return h, nil
}

// ownUser is the user, and the group, that programs run as where this process may give them
// another: a number that distributions and systemd give to nobody.
const ownUser = 65530

// noSetuidFixup is SECBIT_NO_SETUID_FIXUP of capabilities(7).
const noSetuidFixup = 1 << 2

// needed are the privileges that a user of its own takes: to change into it and keep but one,
// to read what it is given and write its folder, and for this program to end it and to see
// which files it holds open.
var needed = []struct {
	capability int
	name       string
}{
	{unix.CAP_SETUID, "CAP_SETUID"}, {unix.CAP_SETGID, "CAP_SETGID"}, {unix.CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
	{unix.CAP_SETPCAP, "CAP_SETPCAP"}, {unix.CAP_KILL, "CAP_KILL"}, {unix.CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
}

// changeUser gives this thread a user of its own, or says why it cannot. A user namespace
// would not help an ordinary user: there it has another number, and to the kernel it is the
// same user as before.
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
			return fmt.Errorf("it is root without %s", c.name)
		}
	}
	// With this it keeps its privileges, and access(2) counts them too, by which some programs
	// look whether they may read.
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noSetuidFixup, 0, 0, 0); err != nil {
		return fmt.Errorf("keep privileges: %w", err)
	}
	// Only this thread changes: the others end when it becomes the program.
	for _, c := range []struct{ call, first uintptr }{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, ownUser}, {unix.SYS_SETRESUID, ownUser}} {
		if _, _, err := unix.RawSyscall(c.call, c.first, c.first, c.first); err != 0 {
			return fmt.Errorf("it may not become user %d: %w", ownUser, err)
		}
	}
	return nil
}

// The files that programs are made of. What is not there is passed over.
var (
	systemDirs  = []string{"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/gnu/store"}
	systemFiles = []string{
		"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/etc/nsswitch.conf", "/etc/alternatives", "/etc/fonts",
		"/var/cache/fontconfig", "/var/lib/dbus/machine-id", "/sys/devices/system/cpu", "/proc/cpuinfo", "/proc/meminfo",
		"/dev/zero", "/dev/random", "/dev/urandom", "/dev/full",
	}
	openFiles = []string{"/dev/null"}
)

// The rights of Landlock (see landlock(7)).
const (
	readFile landlock.AccessFSSet = ll.AccessFSReadFile
	readDir  landlock.AccessFSSet = ll.AccessFSReadFile | ll.AccessFSReadDir
	write    landlock.AccessFSSet = readDir | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeDir // and no links, by which others would be led astray
)

// files allows the files of the policy and what the program is made of, and nothing else,
// nor any port of the network or socket and process of others, as far as the kernel's
// Landlock goes.
func (p policy) files(program string) error {
	if landlockVersion() < 1 {
		return nil // Confines tells
	}
	rules := []landlock.Rule{
		landlock.RODirs(systemDirs...).IgnoreIfMissing(),
		landlock.RWFiles(openFiles...).IgnoreIfMissing(),
		landlock.ROFiles(program),
		// A program that does not come from the system has its libraries beside itself.
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
			return fmt.Errorf("let a program read: %w", err)
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

// reading allows to read a file, or all files below a folder, and to run none.
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

// dropCapabilities leaves root, and the user of its own that it has become, nothing but to
// read and write files whoever has them, among those that it may see.
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
		return fmt.Errorf("give up privileges: %w", err)
	}
	if ownUser { // who loses it with the start of the program otherwise, as root does not
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_DAC_OVERRIDE, 0, 0); err != nil {
			return fmt.Errorf("keep the privilege to read files: %w", err)
		}
	}
	return nil
}

// capabilities are those of this thread. Those beyond the first 32 are for nothing here.
func capabilities() (unix.CapUserData, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var all [2]unix.CapUserData
	if err := unix.Capget(&header, &all[0]); err != nil {
		return all[0], fmt.Errorf("look up privileges: %w", err)
	}
	return all[0], nil
}

// landlockVersion is that of the kernel's Landlock; 0 where there is none.
func landlockVersion() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return max(abi, 0)
}

// The versions of Landlock with which things come that are promised.
const (
	truncates = 3 // Linux 6.2
	signals   = 6 // Linux 6.12
)

// user says as whom programs run, and why not better.
func (h protection) user() string {
	if h.OwnUser {
		return fmt.Sprintf("Programs run as a user of their own (%d).", ownUser)
	}
	said := fmt.Sprintf("Programs run as the user of this process (%d), not as one of their own: %s.", os.Geteuid(), h.WhyNot)
	if h.Filtered {
		said += " A filter of system calls keeps them from changing the limits and priority of other processes, and the mode, owner and times of files."
	}
	return said
}

// lacks tells what is promised and not held.
func (h protection) lacks() error {
	var all []error
	if h.Landlock < 1 {
		all = append(all, errors.New("this kernel has no Landlock, or it is not switched on: "+
			"programs may read and write the files that this process may"))
	} else if h.Landlock < truncates {
		all = append(all, fmt.Errorf("this kernel's Landlock is of version %d, and only from %d (Linux 6.2) on it keeps programs from emptying files",
			h.Landlock, truncates))
	}
	if !h.Filtered {
		all = append(all, errors.New("system calls are not filtered, by this kernel or on this processor: "+
			"programs may open sockets, leave their group and outlive their use, change the times and attributes of files, and end each other"))
		if !h.OwnUser {
			all = append(all, errors.New("since system calls are not filtered and programs have no user of their own, "+
				"they may end other processes of their user, change their limits, and change the mode and owner of its files"))
		}
	}
	return errors.Join(all...)
}
