//go:build !linux

package sandbox

// usage is unknown on this system.
func usage(int, int) used { return used{} }

// used is the resource usage of a process group.
type used struct {
	threads int
	memory  int64
	ids     []string
}

// unnamedBytes is unknown on this system.
func unnamedBytes([]string) int64 { return 0 }

// threads is unknown on this system.
func threads() int { return 0 }
