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

// What an archive may hold in all.
const (
	maxEntries  = 10_000
	maxUnpacked = 4 << 30 // bytes
)

// unpacks reports what is wrong with an archive: it is damaged, holds nothing, holds a file that would be
// unpacked elsewhere than in its folder, or would fill a disk. An archive within it is a file like any
// other and is not opened.
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
		return errors.New("the archive holds no file")
	}
	for i, f := range archive.File {
		if err := unpack(ctx, f); err != nil {
			return fmt.Errorf("unpack entry %d: %w", i+1, err)
		}
	}
	return nil
}

// entry reports an entry that no program should unpack: one with a name that leads out of the folder or
// that stands twice, or that is neither a file nor a folder.
func entry(f *zip.File, names map[string]bool) error {
	name := strings.TrimSuffix(f.Name, "/")
	folded := strings.ToLower(name) // Windows and macOS take no two names that differ in case alone
	switch mode := f.Mode(); {
	case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\:\x00"):
		return errors.New("its name leads elsewhere")
	case names[folded]:
		return errors.New("its name stands twice")
	case !mode.IsRegular() && !mode.IsDir():
		return fmt.Errorf("it is neither a file nor a folder: %s", mode.Type())
	}
	names[folded] = true
	return nil
}

// unpack reads an entry to its end, where its checksum is compared, and not more of it than it says it has.
func unpack(ctx context.Context, f *zip.File) (err error) {
	r, err := f.Open()
	if err != nil {
		return err //nolint:wrapcheck // the caller says what was attempted
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	most := int64(min(f.UncompressedSize64, maxUnpacked)) + 1
	n, err := io.Copy(io.Discard, untilStopped{ctx, io.LimitReader(r, most)})
	switch {
	case err != nil:
		return fmt.Errorf("read an entry: %w", err)
	case n == most:
		return errors.New("it is longer than it says")
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
