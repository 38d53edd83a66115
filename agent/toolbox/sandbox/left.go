package sandbox

import (
	"errors"
	"fmt"
	"os"
)

// Left reports whether a path is a file that a program has left, and nothing else: not a
// link, by which whoever opens it would read what the program could not, not a second
// name of another file, no pipe and no device. Who opens what a program has written asks
// first; by then the program has ended, so that nothing changes any more.
func Left(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return fmt.Errorf("look for what a program has left: %w", err)
	case !info.Mode().IsRegular():
		return errors.New("a program left something that is not a file")
	case names(info) > 1:
		return errors.New("a program left a second name of a file")
	}
	return nil
}
