// Package thumbnail serves thumbnails of the pictures that represent threads.
package thumbnail

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/media"
	"atelier/adapters/web/request"
)

const (
	// AtOnce is how many thumbnails are made concurrently.
	AtOnce = 2
	// patience is how long a browser waits for its turn.
	patience = 20 * time.Second
	// side is the longest side of a thumbnail, in pixels.
	side = 96
)

// none replaces a thumbnail that cannot be made.
//
//go:embed none.svg
var none []byte

// Maker makes thumbnails.
type Maker interface {
	// Thumbnail returns a picture as a JPEG whose sides are at most side pixels.
	Thumbnail(ctx context.Context, key string, side int) ([]byte, error)
}

// Server serves thumbnails.
type Server struct {
	*request.Reader

	Maker Maker
	Gate  *request.Gate
	Log   *slog.Logger
}

// ServeThumbnail serves the thumbnail of a picture of a thread.
func (srv *Server) ServeThumbnail(w http.ResponseWriter, r *http.Request) error {
	_, t, err := srv.Thread(r)
	if err != nil {
		return err
	}
	ref := r.PathValue("of")
	f, ok := t.File(ref)
	if chat.IsMadeRef(ref) {
		f, ok = t.Use(ref)
	}
	if !ok {
		return request.ErrUnknown
	}
	h := w.Header()
	h.Set("Content-Security-Policy", media.MediaPolicy)
	small, err := srv.small(r.Context(), f.Key)
	if err != nil {
		srv.Log.DebugContext(r.Context(), "a thumbnail could not be made", "error", adapters.ForOperator(err))
		h.Set("Content-Type", "image/svg+xml")
		h.Set("Cache-Control", "private, max-age=60")
		small = none
	} else {
		h.Set("Content-Type", "image/jpeg")
		h.Set("Cache-Control", "private, max-age=86400")
	}
	_, _ = w.Write(small) //nolint:errcheck // the browser may have left
	return nil
}

// small makes a thumbnail when it is its turn.
func (srv *Server) small(ctx context.Context, key string) ([]byte, error) {
	leave, ok := srv.Gate.Enter(ctx, "", patience)
	if !ok {
		return nil, context.DeadlineExceeded
	}
	defer leave()
	return srv.Maker.Thumbnail(ctx, key, side)
}
