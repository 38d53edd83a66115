//go:build !linux

package sandbox

// usage is not known on this system.
func usage(int, int) (threads int, memory int64) { return 0, 0 }

// threads are not known on this system.
func threads() int { return 0 }
