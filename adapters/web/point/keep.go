package point

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"atelier/adapters"
)

// keepMask stores a valid mask. It is checked after it was received completely, so that slow senders block nobody.
func (p *Pages) keepMask(ctx context.Context, f *form, part io.Reader, g Grant) (err error) {
	come, size, err := arrived(part, p.Scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, come.Close(), os.Remove(come.Name())) }()
	giveBack, err := p.Memory(ctx, int64(g.Width)*int64(g.Height)) // one byte per pixel
	if err != nil {
		return fmt.Errorf("check the mask: %w", err)
	}
	defer giveBack()
	key := p.MaskFolder(g.Thread) + "/" + p.name(f.id, g) + ".png"
	content := newChecked(come, g.Width, g.Height)
	defer content.Close()
	if err := p.Put(ctx, key, content); err != nil {
		if why := content.why(); why != nil {
			err = why // the original error, not its consequence
		}
		return fmt.Errorf("store the mask: %w", err)
	}
	f.mask = &adapters.File{ID: "mask", Name: "mask.png", Size: size, Type: "image/png", Handle: key}
	return nil
}

// arrived stores the upload in a temporary file, which the caller closes and removes.
func arrived(part io.Reader, folder string) (_ *os.File, size int64, err error) {
	to, err := os.CreateTemp(folder, "atelier-mask-")
	if err != nil {
		return nil, 0, fmt.Errorf("make a temporary file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.Close(), os.Remove(to.Name()))
		}
	}()
	from := &told{Reader: http.MaxBytesReader(nil, io.NopCloser(part), maxMask)}
	if size, err = io.Copy(to, from); from.err != nil {
		return nil, 0, badForm(from.err)
	}
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("buffer the mask: %w", err)
	}
	return to, size, nil
}

// told remembers a read error, to tell it from a write error.
type told struct {
	io.Reader

	err error
}

func (t *told) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err //nolint:wrapcheck // a reader's error is what it is
}
