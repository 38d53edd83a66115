// Package archive serves all files of an answer, or of a thread, as one ZIP.
package archive

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/media"
	"atelier/adapters/web/request"
)

// ranger opens parts of files.
type ranger interface {
	GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)
}

// Server serves the files of answers.
type Server struct {
	*request.Reader

	Media ranger
	Log   *slog.Logger
}

// ServeAnswer serves all files of an answer.
func (srv *Server) ServeAnswer(w http.ResponseWriter, r *http.Request) error {
	_, t, m, err := srv.Message(r)
	if err != nil {
		return err
	}
	return srv.serve(w, r, t.Title, m)
}

// ServeThread serves all files of the answers of a thread.
func (srv *Server) ServeThread(w http.ResponseWriter, r *http.Request) error {
	_, t, err := srv.Thread(r)
	if err != nil {
		return err
	}
	return srv.serve(w, r, t.Title, t.Messages...)
}

// made is a file of an answer.
type made struct {
	adapters.Attachment

	at time.Time
}

func (srv *Server) serve(w http.ResponseWriter, r *http.Request, title string, answers ...*chat.Message) error {
	var files []made
	for _, m := range answers {
		if m.Said == nil || m.Removed {
			continue
		}
		for _, f := range chat.Kept(m.Said.Reply.Files) {
			if err := srv.exists(r.Context(), f); err != nil { // before anything is written
				return err
			}
			files = append(files, made{f, m.At})
		}
	}
	if len(files) == 0 {
		return request.ErrUnknown
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": media.CleanName(title) + ".zip"}))
	w.Header().Set("Cache-Control", "private, no-store")
	if err := srv.write(r.Context(), w, files); err != nil {
		if r.Context().Err() == nil {
			srv.Log.WarnContext(r.Context(), "a ZIP of answers' files was not sent completely", "error", adapters.ForOperator(err))
		}
		panic(http.ErrAbortHandler) // so that the browser notices that it is incomplete
	}
	return nil
}

// exists fails if a file cannot be read.
func (srv *Server) exists(ctx context.Context, f adapters.Attachment) error {
	probe, err := srv.Media.GetRange(ctx, f.Handle, 0, 1)
	if errors.Is(err, adapters.ErrGone) {
		return request.Refuse(http.StatusNotFound, "A file no longer exists. Save the others one by one.")
	}
	if err != nil {
		return err
	}
	return probe.Close() //nolint:wrapcheck // the log names the route
}

// write writes the archive uncompressed: media files are already compressed.
func (srv *Server) write(ctx context.Context, to io.Writer, files []made) error {
	z := zip.NewWriter(to)
	names := map[string]bool{}
	for _, f := range files {
		part, err := z.CreateHeader(&zip.FileHeader{Name: unused(names, media.CleanName(f.Name)), Method: zip.Store, Modified: f.at})
		if err != nil {
			return fmt.Errorf("add a file: %w", err)
		}
		if err := srv.copy(ctx, part, f.Attachment); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("end the archive: %w", err)
	}
	return nil
}

func (srv *Server) copy(ctx context.Context, to io.Writer, f adapters.Attachment) (err error) {
	from, err := srv.Media.GetRange(ctx, f.Handle, 0, -1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if _, err := io.Copy(to, from); err != nil {
		return fmt.Errorf("add a file: %w", err)
	}
	return nil
}

// unused returns a name that no other file of the archive has, ignoring case.
func unused(names map[string]bool, name string) string {
	ext := path.Ext(name)
	stem, free := strings.TrimSuffix(name, ext), name
	for n := 2; names[strings.ToLower(free)]; n++ {
		free = stem + "-" + strconv.Itoa(n) + ext
	}
	names[strings.ToLower(free)] = true
	return free
}
