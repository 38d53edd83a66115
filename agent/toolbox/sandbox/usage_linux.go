package sandbox

import (
	"bytes"
	"os"
	"strconv"
)

// usage is how many threads the processes of a group have, and how many bytes of memory
// they hold, as /proc/PID/stat has it (see proc_pid_stat(5)). It counts no further once
// the threads are more than enough.
func usage(group, enough int) (threads int, memory int64) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0, 0
	}
	defer proc.Close()                //nolint:errcheck // it was read
	names, _ := proc.Readdirnames(-1) //nolint:errcheck // those that it found count
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' || threads > enough {
			continue
		}
		b, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended
		}
		p, ok := parseStat(b)
		if ok && p.group == group {
			threads += p.threads
			memory += p.pages * int64(os.Getpagesize())
		}
	}
	return threads, memory
}

type process struct {
	group, threads int
	pages          int64
}

// parseStat reads one line. The fields are counted behind the name, which may hold blanks.
func parseStat(b []byte) (process, bool) {
	const group, threads, pages, least = 2, 17, 21, 22
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < least {
		return process{}, false
	}
	var n [3]int64
	for i, at := range []int{group, threads, pages} {
		var err error
		if n[i], err = strconv.ParseInt(string(fields[at]), 10, 64); err != nil {
			return process{}, false
		}
	}
	return process{group: int(n[0]), threads: int(n[1]), pages: n[2]}, true
}

// threads is how many there are on the whole machine (see proc_loadavg(5)); 0 if that is
// not known. It is little work to ask, however many they are.
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
