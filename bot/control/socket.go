package control

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

// maxSocketPath is the maximum length of a socket's path on all systems, in bytes: macOS has 104,
// including the terminating zero (sys/un.h).
const maxSocketPath = 103

// Listen creates the socket of a data folder. The caller must hold the folder's lock: an existing socket
// is then that of a dead process, and is replaced. Only the user that runs the program can connect. The
// caller must remove the socket after use, before releasing the lock.
func Listen(folder string) (l net.Listener, err error) {
	private, err := os.MkdirTemp(folder, ".socket-") // accessible only to this user
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
	listener.SetUnlinkOnClose(false) // it is moved below
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
	return &plan.Fault{Sentence: plan.Quote("The socket in the data folder, which bot requests and other commands use, could not be created: " +
		"the folder must be on a disk of this machine, and writable."), Err: err}
}

// dial connects to the process that runs on a data folder.
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
		sentence := "The Atelier on the data folder " + folder + " runs as another user: run this command as that user."
		return nil, &plan.Fault{Sentence: plan.Quote(sentence), Err: err}
	}
	return nil, fmt.Errorf("connect to the running Atelier: %w", err)
}

// NotRunningError means that no process runs on a data folder.
type NotRunningError struct {
	folder string
	err    error
}

func (e *NotRunningError) Error() string {
	return "No Atelier runs on the data folder " + e.folder + ". Start it: bot serve"
}

func (e *NotRunningError) Unwrap() error { return e.err }

// byShortPath calls do with the path of the socket in a folder. If the path is too long for a socket, it
// goes through a temporary symbolic link.
func byShortPath[T any](folder string, do func(path string) (T, error)) (made T, err error) {
	whole, err := filepath.Abs(folder) // on Linux, a path that begins with @ is not a file
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
