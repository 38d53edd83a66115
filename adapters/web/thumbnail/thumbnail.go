// Package thumbnail serves small pictures, which stand for their threads.
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
	// AtOnce is how many pictures are made small at once.
	AtOnce = 2
	// patience is how long a browser waits for its turn.
	patience = 20 * time.Second
	// side is the longest side of a small picture, in pixels.
	side = 96
)

// none stands for a picture that is not there, or of which no small one can be made.
//
//go:embed none.svg
var none []byte

// Maker makes pictures small.
type Maker interface {
	// Small is a picture as a JPEG whose sides are at most that long.
	Small(ctx context.Context, key string, side int) ([]byte, error)
}

// Server serves the small pictures.
type Server struct {
	*request.Reader

	Maker Maker
	Gate  *request.Gate
	Log   *slog.Logger
}

// ServeThumbnail serves a picture of a thread, small.
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
		srv.Log.DebugContext(r.Context(), "a picture was not made small", "error", adapters.ForOperator(err))
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

// small makes a picture small, when it is its turn.
func (srv *Server) small(ctx context.Context, key string) ([]byte, error) {
	leave, ok := srv.Gate.Enter(ctx, "", patience)
	if !ok {
		return nil, context.DeadlineExceeded
	}
	defer leave()
	return srv.Maker.Small(ctx, key, side)
}
