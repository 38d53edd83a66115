package sandbox

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// used is the resource usage of a process group.
type used struct {
	threads int
	memory  int64    // bytes
	ids     []string // process IDs
}

// usage returns the threads and the memory of a process group, read from /proc/PID/stat (see
// proc_pid_stat(5)). It stops counting once there are more than enough threads. Reading stat is slow,
// so it asks for each process's group first.
func usage(group, enough int) (u used) {
	proc, err := os.Open("/proc")
	if err != nil {
		return u
	}
	defer proc.Close()                //nolint:errcheck // it was read
	names, _ := proc.Readdirnames(-1) //nolint:errcheck // count what was found
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil || u.threads > enough {
			continue
		}
		if of, err := unix.Getpgid(id); err != nil || of != group {
			continue
		}
		b, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended
		}
		if p, ok := parseStat(b); ok {
			u.threads += p.threads
			u.memory += p.pages * int64(os.Getpagesize())
			u.ids = append(u.ids, name)
		}
	}
	return u
}

// unnamedBytes returns the total size of open files without a name: deleted ones, and those that never had
// one. No folder lists them.
func unnamedBytes(ids []string) (total int64) {
	type file struct{ device, number uint64 }
	seen := map[file]bool{}
	for _, id := range ids {
		open, err := os.ReadDir("/proc/" + id + "/fd")
		if err != nil {
			continue // it has ended
		}
		for _, fd := range open {
			var stat unix.Stat_t
			if unix.Stat("/proc/"+id+"/fd/"+fd.Name(), &stat) != nil {
				continue
			}
			f := file{stat.Dev, stat.Ino}
			if stat.Mode&unix.S_IFMT == unix.S_IFREG && stat.Nlink == 0 && !seen[f] {
				seen[f] = true
				total += stat.Blocks * 512
			}
		}
	}
	return total
}

type process struct {
	threads int
	pages   int64
}

// parseStat parses a line of /proc/PID/stat. It counts fields after the name, which may contain spaces.
func parseStat(b []byte) (process, bool) {
	const threads, pages, least = 17, 21, 22
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < least {
		return process{}, false
	}
	var n [2]int64
	for i, at := range []int{threads, pages} {
		var err error
		if n[i], err = strconv.ParseInt(string(fields[at]), 10, 64); err != nil {
			return process{}, false
		}
	}
	return process{threads: int(n[0]), pages: n[1]}, true
}

// threads returns the number of threads on the machine (see proc_loadavg(5)); 0 if unknown. The call is
// cheap, however many there are.
func threads() int {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 4 {
		return 0
	}
	_, all, _ := bytes.Cut(fields[3], []byte{'/'})
	n, err := strconv.Atoi(string(all))
	if err != nil {
		return 0
	}
	return n
}
