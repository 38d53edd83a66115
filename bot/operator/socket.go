package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"atelier/agent/plan"
)

// Socket is the name of the socket in the data folder.
const Socket = "bot.sock"

// maxSocketPath is the longest path of a socket that every system takes, in bytes: on
// macOS there are 104 with the zero at its end (sys/un.h).
const maxSocketPath = 103

// Listen makes the socket of a data folder. Who calls it holds the lock of the
// folder: a socket that is there already is that of a dead process, and is replaced. Only
// the user that runs the program can connect, from the first moment on. Remove the socket
// when nobody listens any more, and before the lock is let go.
func Listen(folder string) (l net.Listener, err error) {
	private, err := os.MkdirTemp(folder, ".socket-") // nobody else may enter it
	if err != nil {
		return nil, unsocketed(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(private)) }()
	listener, err := byShortPath(private, func(path string) (*net.UnixListener, error) {
		return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	})
	if err != nil {
		return nil, unsocketed(err)
	}
	listener.SetUnlinkOnClose(false) // it will not lie there any more
	made := filepath.Join(private, Socket)
	if err = os.Chmod(made, 0o600); err == nil {
		err = os.Rename(made, filepath.Join(folder, Socket))
	}
	if err != nil {
		return nil, errors.Join(unsocketed(err), listener.Close())
	}
	return listener, nil
}

func unsocketed(err error) error {
	return &plan.Fault{Sentence: plan.Quote("The socket of the data folder could not be made, by which bot requests and the like reach this process: " +
		"the folder must be on a disk of this machine, and writable."), Err: err}
}

// dial connects with the process that runs on a data folder.
func dial(ctx context.Context, folder string) (net.Conn, error) {
	conn, err := byShortPath(folder, func(path string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	})
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOTDIR):
		return nil, &NotRunningError{folder, err}
	case errors.Is(err, fs.ErrPermission):
		return nil, &plan.Fault{Sentence: plan.Quote("The Atelier on the data folder " + folder + " runs as another user: call this as that one."), Err: err}
	}
	return nil, fmt.Errorf("connect with the running Atelier: %w", err)
}

// NotRunningError tells that no process runs on a data folder.
type NotRunningError struct {
	folder string
	err    error
}

func (e *NotRunningError) Error() string {
	return "No Atelier runs on the data folder " + e.folder + ". Start it: bot serve"
}

func (e *NotRunningError) Unwrap() error { return e.err }

// byShortPath hands a function the path of the socket in a folder. Where that is longer
// than the path of a socket may be, it leads through a link that is there meanwhile.
func byShortPath[T any](folder string, do func(path string) (T, error)) (made T, err error) {
	whole, err := filepath.Abs(folder) // a path that begins with @ would be none on Linux
	if err != nil {
		return made, fmt.Errorf("find the data folder: %w", err)
	}
	if path := filepath.Join(whole, Socket); len(path) <= maxSocketPath {
		return do(path)
	}
	links, err := os.MkdirTemp("", "atelier-socket-")
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(links)) }()
	link := filepath.Join(links, "d")
	if err := os.Symlink(whole, link); err != nil {
		return made, err
	}
	return do(filepath.Join(link, Socket))
}
