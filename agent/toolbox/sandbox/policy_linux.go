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
	return policy{Dir: c.Dir, Read: c.Read, Limits: limits}
}

// enforce confines this thread for good, and whatever it becomes.
func (p policy) enforce(program string) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := p.files(program); err != nil {
		return err
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, yielding) //nolint:errcheck // or it yields more already
	if err := dropCapabilities(); err != nil {
		return err
	}
	for _, l := range p.Limits {
		most := uint64(l.Most) //nolint:gosec // not negative
		if err := unix.Setrlimit(l.What, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("set limit %d: %w", l.What, err)
		}
	}
	return filter()
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

// dropCapabilities leaves root nothing but to read files whoever has them, among those
// that it may see.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var all [2]unix.CapUserData
	if err := unix.Capget(&header, &all[0]); err != nil {
		return fmt.Errorf("look up privileges: %w", err)
	}
	const keep = 1 << unix.CAP_DAC_OVERRIDE
	left := [2]unix.CapUserData{{Effective: all[0].Effective & keep, Permitted: all[0].Permitted & keep}}
	if err := unix.Capset(&header, &left[0]); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	return nil
}

// confines tells what the kernel cannot do of it.
func confines() error { return lacking(landlockVersion(), filters()) }

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

// lacking tells what a kernel lacks whose Landlock is of that version.
func lacking(abi int, filters bool) error {
	var all []error
	since := func(version int, linux, what string) {
		if abi > 0 && abi < version {
			all = append(all, fmt.Errorf("this kernel's Landlock is of version %d, and only from %d (Linux %s) on it keeps programs from %s",
				abi, version, linux, what))
		}
	}
	if abi < 1 {
		all = append(all, errors.New("this kernel has no Landlock, or it is not switched on: "+
			"programs may read and write the files that this process may, and end other processes of its user"))
	}
	since(truncates, "6.2", "emptying files")
	since(signals, "6.12", "ending other processes of the same user")
	if !filters {
		all = append(all, errors.New("this kernel does not filter system calls on this processor: "+
			"programs may open sockets, leave their group and outlive their use"))
	}
	return errors.Join(all...)
}
