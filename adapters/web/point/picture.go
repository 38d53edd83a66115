package point

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"atelier/adapters"
)

// Marks reports whether pictures of a type can be marked: browsers show them, and they cannot run code.
func Marks(contentType string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"}, contentType)
}

// sniffed is how many bytes of a file are used to detect its type.
const sniffed = 512

// there fails if the picture is no longer stored.
func (p *Pages) there(ctx context.Context, g Grant) error {
	file, err := p.Open(ctx, g.Handle)
	if err != nil {
		return fmt.Errorf("open the picture: %w", err)
	}
	_ = file.Close() //nolint:errcheck // nothing was read
	return nil
}

// picture serves the picture: whoever has the link also sees it in the thread.
func (p *Pages) picture(w http.ResponseWriter, r *http.Request, g Grant) error {
	file, err := p.Open(r.Context(), g.Handle)
	if err != nil {
		return fmt.Errorf("open the picture: %w", err)
	}
	defer func() { _ = file.Close() }() //nolint:errcheck // it was only read
	content := bufio.NewReaderSize(file, sniffed)
	head, err := content.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the picture: %w", err)
	}
	kind := http.DetectContentType(head)
	if !Marks(kind) {
		return problemf(notSupported, "A picture of this kind cannot be marked here.")
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	h.Set("Content-Disposition", "inline")
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(w, content); err != nil && r.Context().Err() == nil {
		p.Log.WarnContext(r.Context(), "a picture was not sent completely", "error", adapters.ForOperator(err))
		panic(http.ErrAbortHandler) // so that the browser notices that it is incomplete
	}
	return nil
}
