// Package export copies results into a folder of the user's choice.
package export

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"atelier/agent/plan"
	"atelier/bot/fault"
)

// DefaultOut is the default of --out.
const DefaultOut = "out"

// TryWriting checks that a file can be written into the folder, or if it does not exist, into its
// nearest existing parent. It leaves nothing behind.
func TryWriting(folder string) error {
	folder = filepath.Clean(folder)
	for {
		info, err := os.Stat(folder)
		if err == nil && !info.IsDir() {
			return errors.New("it is not a folder")
		}
		if !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	return tryFile(folder)
}

func tryFile(folder string) error {
	f, err := os.CreateTemp(folder, ".part-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// blobs is the part of the storage that is used here.
type blobs interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
}

// opener opens the content of a result.
type opener func() (io.ReadCloser, error)

// opens returns the opener of a result; nil for a text that is only part of the answer.
func opens(ctx context.Context, from blobs, r plan.Resource) opener {
	switch {
	case r.Blob != "":
		return func() (io.ReadCloser, error) { return from.Get(ctx, r.Blob) }
	case r.File != "" && r.Value != "":
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(r.Value)), nil }
	}
	return nil
}

// Write writes the results into the folder, under their readable names, and returns their paths. It
// never overwrites a file with other content: the new one gets a number.
func Write(ctx context.Context, from blobs, made []plan.Resource, folder string) ([]File, error) {
	var files []File
	for _, r := range made {
		open := opens(ctx, from, r)
		if open == nil {
			continue
		}
		name := filepath.Base(cmp.Or(r.File, r.Name))
		path, err := exportOne(open, folder, name)
		if err != nil {
			told := fmt.Sprintf("Cannot write the file %s to the folder %q: %s.", name, folder, fault.Reason(err))
			return files, &plan.Fault{Sentence: plan.Quote(told), Err: err}
		}
		files = append(files, File{Name: r.Name, Type: string(r.Type), Path: path})
	}
	return files, nil
}

// exportOne writes a result into the folder, and returns its path. It creates the empty file first, so
// that two programs cannot choose the same name.
func exportOne(open opener, folder, name string) (path string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // the umask decides who may see a person's results
		return "", err
	}
	for n := 1; ; n++ {
		path = filepath.Join(folder, name)
		if n > 1 {
			path = filepath.Join(folder, plan.Numbered(name, n))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist):
			if same, err := sameContent(open, path); same || err != nil {
				return path, err
			}
			continue
		case err != nil:
			return "", err
		}
		err = f.Close()
		if err == nil {
			err = copyTo(path, open)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
		return path, err
	}
}

func copyTo(path string, open opener) (err error) {
	made, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	return writeFile(path, made)
}

// sameContent reports whether a regular file has the same content as a result.
func sameContent(open opener, path string) (same bool, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false, ignoreMissing(err)
	}
	f, err := os.Open(path)
	if err != nil {
		return false, nil // an unreadable file counts as another one
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	made, err := open()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	there, err := digest(f)
	if err != nil {
		return false, err
	}
	sum, err := digest(made)
	return there == sum, err
}

func digest(r io.Reader) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return sum, fmt.Errorf("read a file: %w", err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// ignoreMissing drops the error of a missing file, such as the target of a broken link.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// File is a file that was written.
type File struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Path string `json:"path"`
}
