package sandbox

import (
	"errors"
	"fmt"
	"os"
)

// ErrNotWritten is the error for an output that a program has not written. Whoever wrote the program's arguments
// needs to know, since it does not depend on the input.
var ErrNotWritten = errors.New("the program ended without writing its output")

// Left returns an error unless the path is a regular file that a program has left. It rejects links, through
// which a reader could see what the program could not, hard links to other files, pipes and devices. Call it
// before opening a program's output, once the program has ended.
func Left(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	case err != nil:
		return fmt.Errorf("inspect a program's output: %w", err)
	case !info.Mode().IsRegular():
		return errors.New("a program's output is not a regular file")
	case names(info) > 1:
		return errors.New("a program's output is a hard link")
	}
	return nil
}
