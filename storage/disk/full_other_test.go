//go:build !linux

package disk_test

// child runs what a test starts this program for, if disks can be filled here.
func child() (status int, ok bool) { return 0, false }
