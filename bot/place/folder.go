package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	goredis "github.com/redis/go-redis/v9"
)

// Writable tries to write into a folder, or into its nearest existing parent, and returns which one it
// was.
func Writable(folder string) (string, error) {
	for at := folder; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return at, err
		}
		f, err := os.CreateTemp(at, ".check-")
		if err != nil {
			return at, err
		}
		_, err = f.WriteString("x")
		return at, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
}

// Cause returns the system's message about a file, without its path.
func Cause(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return "unknown error"
}

// RedisAddress is " at ADDRESS", without user and password.
func RedisAddress(client goredis.UniversalClient) string {
	switch c := client.(type) {
	case *goredis.Client:
		if address := c.Options().Addr; address != "" && address != "FailoverClient" {
			return " at " + address
		}
		return " behind Sentinels"
	case *goredis.ClusterClient:
		return " at " + strings.Join(c.Options().Addrs, ", ")
	}
	return ""
}

// UnwritableFolder is the sentence about a data folder that is not writable.
func UnwritableFolder(folder string, err error) string {
	return fmt.Sprintf("%s cannot be written to (%s): make it writable, or set ATELIER_DATA to another folder.", folder, Cause(err))
}
