package verify

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Limits for the content of an archive.
const (
	maxEntries  = 10_000
	maxUnpacked = 4 << 30 // bytes
)

// unpacks returns why an archive is unacceptable: it is damaged, has no files, would write outside its
// folder, or would fill a disk. Archives inside it are treated as files and not opened.
func unpacks(ctx context.Context, path string) (err error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("open an archive: %w", err)
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	if n := len(archive.File); n > maxEntries {
		return fmt.Errorf("the archive has %d entries", n)
	}
	files, left, names := 0, uint64(maxUnpacked), map[string]bool{}
	for i, f := range archive.File {
		if err := entry(f, names); err != nil {
			return fmt.Errorf("entry %d of the archive: %w", i+1, err)
		}
		if f.UncompressedSize64 > left {
			return fmt.Errorf("the archive unpacks to more than %d bytes", maxUnpacked)
		}
		left -= f.UncompressedSize64
		if f.Mode().IsRegular() {
			files++
		}
	}
	if files == 0 {
		return errors.New("the archive has no files")
	}
	for i, f := range archive.File {
		if err := unpack(ctx, f); err != nil {
			return fmt.Errorf("unpack entry %d: %w", i+1, err)
		}
	}
	return nil
}

// entry returns why an entry must not be unpacked: its name points outside the folder or occurs twice, or it
// is neither a file nor a folder.
func entry(f *zip.File, names map[string]bool) error {
	name := strings.TrimSuffix(f.Name, "/")
	folded := strings.ToLower(name) // names on Windows and macOS ignore case
	switch mode := f.Mode(); {
	case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\:\x00"):
		return errors.New("its name points outside the folder")
	case names[folded]:
		return errors.New("its name is used twice")
	case !mode.IsRegular() && !mode.IsDir():
		return fmt.Errorf("it must be a file or a folder, not %s", mode.Type())
	}
	names[folded] = true
	return nil
}

// unpack reads an entry to its end, so that its checksum is verified, but no further than its declared size.
func unpack(ctx context.Context, f *zip.File) (err error) {
	r, err := f.Open()
	if err != nil {
		return err //nolint:wrapcheck // the caller adds context
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	most := int64(min(f.UncompressedSize64, maxUnpacked)) + 1
	n, err := io.Copy(io.Discard, untilStopped{ctx, io.LimitReader(r, most)})
	switch {
	case err != nil:
		return fmt.Errorf("read an entry: %w", err)
	case n == most:
		return errors.New("it is longer than its declared size")
	}
	return nil
}

// untilStopped reads until its context ends.
type untilStopped struct {
	ctx  context.Context //nolint:containedctx // a reader of one call
	from io.Reader
}

func (u untilStopped) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.from.Read(b) //nolint:wrapcheck // io.EOF is compared
}
