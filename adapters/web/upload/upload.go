// Package upload accepts and deletes people's files, and serves any file of a thread.
package upload

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/media"
	"atelier/adapters/web/request"
	"atelier/adapters/web/store"
)

const (
	// AtOnce is the maximum number of concurrent uploads.
	AtOnce = 16
	// PerPerson is how many of them may be of one person.
	PerPerson = 6
	// Patience is how long further uploads wait.
	Patience = 10 * time.Second
	// MaxPending is the maximum number of unsent files of a person in a thread.
	MaxPending = 2 * adapters.MaxFiles
	// maxUploads is the number of entries after which a thread accepts no more files.
	maxUploads = 10_000
)

// Server accepts uploads, and serves them and the files of answers.
type Server struct {
	*request.Reader

	Store   *store.Store
	Media   media.Media
	MaxFile int64 // bytes
	Gate    *request.Gate
	Log     *slog.Logger
}

// Uploaded is the response to an upload.
type Uploaded struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Type   string `json:"type"`
	Kind   string `json:"kind"`
	URL    string `json:"url"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
}

// ServeUpload accepts a file, which is the body of the request.
func (srv *Server) ServeUpload(w http.ResponseWriter, r *http.Request) error {
	thread, err := request.ThreadID(r)
	if err != nil {
		return err
	}
	if r.ContentLength > srv.MaxFile {
		return srv.tooLarge()
	}
	ctx, me := r.Context(), srv.Me(r)
	leave, ok := srv.Gate.Enter(ctx, me.ID, Patience)
	if !ok {
		why := request.Refuse(http.StatusTooManyRequests, "Too many files are being uploaded. Try again in a moment.")
		why.After, why.Ends = Patience, true
		return why
	}
	defer leave()
	if err := srv.mayUpload(ctx, thread, me.ID); err != nil {
		return err
	}
	id := chat.NewID()
	p := store.Pending{By: me.ID, For: r.URL.Query().Get("for"), Upload: chat.Upload{
		ID: id, Name: media.CleanName(r.URL.Query().Get("name")), Key: path.Join(srv.Media.Folder(chat.ThreadOf(thread)), "upload-"+id),
	}}
	if err := srv.keep(w, r, &p); err != nil {
		if gone := srv.Media.Delete(context.WithoutCancel(ctx), p.Key); gone != nil {
			srv.Log.WarnContext(ctx, "a failed upload could not be deleted", "error", adapters.ForOperator(gone))
		}
		return err
	}
	if err := srv.Store.NoteUpload(ctx, thread, store.UploadEntry{File: &p}); err != nil {
		return errors.Join(err, srv.Media.Delete(context.WithoutCancel(ctx), p.Key))
	}
	request.WriteJSON(w, http.StatusCreated, Uploaded{
		p.ID, p.Name, p.Size, p.Type, media.KindOf(p.Type, false), media.FileURL(thread, p.ID, p.Name), p.Width, p.Height,
	})
	return nil
}

// counted counts the bytes read, and remembers a read error.
type counted struct {
	r   io.Reader
	n   int64
	err error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		c.err = err
	}
	return n, err //nolint:wrapcheck // a reader's error is what it is
}

// ServeTakeBack deletes an upload that was not sent.
func (srv *Server) ServeTakeBack(w http.ResponseWriter, r *http.Request) error {
	thread, err := request.ThreadID(r)
	if err != nil {
		return err
	}
	ctx, stop := request.Detach(r)
	defer stop()
	all, _, err := srv.Store.Threads.Uploads(ctx, thread)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	f, ok := all[id]
	if !ok || f.By != srv.Me(r).ID {
		return request.ErrUnknown
	}
	if !f.Sent {
		if err := srv.Store.NoteUpload(ctx, thread, store.UploadEntry{Gone: id}); err != nil {
			return err
		}
		if all, _, err = srv.Store.Threads.Uploads(ctx, thread); err != nil {
			return err
		}
	}
	if _, sent := all[id]; sent {
		return request.Refuse(http.StatusConflict, "The file has already been sent.")
	}
	if err := srv.Media.Delete(ctx, f.Key); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// ServeUploaded serves an uploaded file.
func (srv *Server) ServeUploaded(w http.ResponseWriter, r *http.Request) error {
	thread, err := request.ThreadID(r)
	if err != nil {
		return err
	}
	ctx, id := r.Context(), r.PathValue("id")
	t, err := srv.Store.Threads.Read(ctx, thread, store.Latest)
	if err != nil && !errors.Is(err, adapters.ErrGone) {
		return err
	}
	f, ok := t.File(id)
	if !ok {
		all, _, err := srv.Store.Threads.Uploads(ctx, thread)
		if err != nil {
			return err
		}
		p, ok := all[id]
		if !ok {
			return request.ErrUnknown
		}
		f = p.Upload
	}
	return media.Serve(w, r, srv.Media, media.File{Key: f.Key, Name: f.Name, MediaType: f.Type, Size: f.Size, Tag: f.ID})
}

// ServeAttachment serves a file of an answer.
func (srv *Server) ServeAttachment(w http.ResponseWriter, r *http.Request) error {
	_, _, m, err := srv.Message(r)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || m.Said == nil || n < 0 || n >= len(m.Said.Reply.Files) || m.Said.Reply.Files[n].Handle == "" {
		return request.ErrUnknown
	}
	a := m.Said.Reply.Files[n]
	return media.Serve(w, r, srv.Media, media.File{
		Key: a.Handle, Name: a.Name, MediaType: a.Type, Size: a.Size, Tag: m.ID + "-" + strconv.Itoa(n), At: m.At, Own: true,
	})
}

// ServePreview serves what a running step has made so far.
func (srv *Server) ServePreview(w http.ResponseWriter, r *http.Request) error {
	thread, _, m, err := srv.Message(r)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || m.Progress == nil || n < 0 || n >= len(m.Progress.Progress.Steps) {
		return request.ErrUnknown
	}
	p := m.Progress.Progress.Steps[n].Preview
	if !strings.HasPrefix(p.Handle, srv.Media.Folder(chat.ThreadOf(thread))+"/") || media.KindOf(p.Type, false) != media.KindImage {
		return request.ErrUnknown
	}
	return media.Serve(w, r, srv.Media, media.File{
		Key: p.Handle, Name: "preview", MediaType: p.Type, Size: p.Size, Tag: m.ID + "-" + strconv.Itoa(n) + "-" + strconv.Itoa(p.Version), At: m.At, Own: true,
	})
}

// mayUpload rejects uploads to a full thread, and by somebody with too many unsent files.
func (srv *Server) mayUpload(ctx context.Context, thread, by string) error {
	all, entries, err := srv.Store.Threads.Uploads(ctx, thread)
	if err != nil {
		return err
	}
	if entries > maxUploads {
		return request.ErrThreadFull
	}
	waiting := 0
	for _, p := range all {
		if !p.Sent && p.By == by {
			waiting++
		}
	}
	if waiting >= MaxPending {
		return request.Refuse(http.StatusTooManyRequests, "Too many files are waiting to be sent. Send a message, or remove some.")
	}
	return nil
}

// keep stores the content and detects its type.
func (srv *Server) keep(w http.ResponseWriter, r *http.Request, p *store.Pending) error {
	ctx := r.Context()
	content := &counted{r: http.MaxBytesReader(w, r.Body, srv.MaxFile)}
	if err := srv.Media.Put(ctx, p.Key, content); err != nil {
		switch _, large := errors.AsType[*http.MaxBytesError](content.err); {
		case large:
			return srv.tooLarge()
		case content.err != nil:
			why := request.Refuse(http.StatusBadRequest, "The upload was interrupted. Try it again.")
			why.Ends = true
			return why
		}
		return err
	}
	if content.n == 0 {
		return request.Refuse(http.StatusBadRequest, "The file is empty.")
	}
	found, err := srv.Media.Look(ctx, p.Key, p.Name, request.Language(r))
	if f, ok := errors.AsType[*adapters.Fault](err); ok && adapters.Final(err) {
		return request.Refuse(http.StatusUnsupportedMediaType, "%s", f.Text())
	}
	if err != nil {
		return err
	}
	if p.For == store.ForMask && (media.KindOf(found.Type, false) != media.KindImage || found.Width == 0) {
		return request.Refuse(http.StatusUnsupportedMediaType, "A mask must be a picture.")
	}
	if p.Voice = p.For == store.ForVoice; p.Voice && !media.IsSound(found.Type) {
		return request.Refuse(http.StatusUnsupportedMediaType, "A voice message must be a sound.")
	}
	p.Size, p.Type, p.Width, p.Height = content.n, found.Type, found.Width, found.Height
	return nil
}

func (srv *Server) tooLarge() *request.Refusal {
	why := request.Refuse(http.StatusRequestEntityTooLarge, "The file is too large: the limit is %s.", markup.Size(srv.MaxFile))
	why.Ends = true
	return why
}
