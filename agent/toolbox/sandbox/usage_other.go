//go:build !linux

package sandbox

// usage is not known on this system.
func usage(int) (threads int, memory int64) { return 0, 0 }
