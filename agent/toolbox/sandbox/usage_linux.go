package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// usage is how many threads the processes of a group have, and how many bytes of memory
// they hold, as /proc/PID/stat has it (see proc_pid_stat(5)).
func usage(group int) (threads int, memory int64) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, 0
	}
	for _, stat := range stats {
		b, err := os.ReadFile(stat)
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
