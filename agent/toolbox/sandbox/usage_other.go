//go:build !linux

package sandbox

// usage is not known on this system.
func usage(int, int) used { return used{} }

// used is what the processes of a group take.
type used struct {
	threads int
	memory  int64
	ids     []string
}

// nameless files are not known on this system.
func nameless([]string) int64 { return 0 }

// threads are not known on this system.
func threads() int { return 0 }
