//go:build !linux

package disk_test

// child is what a test calls this program for where disks can be filled.
func child() (status int, ok bool) { return 0, false }
