package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"time"

	"atelier/adapters"
)

const (
	// uploadsAtOnce is how many files are taken at once, uploadsOfOne how many of one
	// person. Others wait for a while.
	uploadsAtOnce, uploadsOfOne = 16, 6
	uploadPatience              = 10 * time.Second
	// maxPending is how many files of a thread may wait to be sent.
	maxPending = 2 * adapters.MaxFiles
	// maxUploads is after how many entries a thread takes no more files.
	maxUploads = 10_000
	// forMask is what an upload is for that is laid over a picture, forVoice one in which
	// somebody says what they do not write.
	forMask, forVoice = "mask", "voice"
)

// uploaded is what a browser is told of its upload.
type uploaded struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Type   string `json:"type"`
	Kind   string `json:"kind"`
	URL    string `json:"url"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
}

// serveUpload takes a file, which is the body of the request.
func (c *Channel) serveUpload(w http.ResponseWriter, r *http.Request) error {
	thread, err := threadID(r)
	if err != nil {
		return err
	}
	if r.ContentLength > c.config.MaxFile {
		return c.tooLarge()
	}
	ctx, me := r.Context(), c.me(r)
	leave, ok := c.uploads.enter(ctx, me.ID, uploadPatience)
	if !ok {
		why := refuse(http.StatusTooManyRequests, "Too many files are being uploaded. Try again in a moment.")
		why.after, why.ends = uploadPatience, true
		return why
	}
	defer leave()
	if err := c.mayUpload(ctx, thread, me.ID); err != nil {
		return err
	}
	id := newID()
	p := pending{By: me.ID, For: r.URL.Query().Get("for"), upload: upload{
		ID: id, Name: cleanName(r.URL.Query().Get("name")), Key: path.Join(c.config.Media.Folder(threadOf(thread)), "upload-"+id),
	}}
	if err := c.keep(w, r, &p); err != nil {
		if gone := c.config.Media.Delete(context.WithoutCancel(ctx), p.Key); gone != nil {
			c.log.WarnContext(ctx, "what is left of an upload could not be removed", "error", forOperator(gone))
		}
		return err
	}
	if err := c.noteUpload(ctx, thread, uploading{File: &p}); err != nil {
		return errors.Join(err, c.config.Media.Delete(context.WithoutCancel(ctx), p.Key))
	}
	v := uploadView(thread, p.upload)
	writeJSON(w, http.StatusCreated, uploaded{p.ID, p.Name, p.Size, p.Type, v.Kind, v.URL, p.Width, p.Height})
	return nil
}

// mayUpload refuses what would only lie around.
func (c *Channel) mayUpload(ctx context.Context, thread, by string) error {
	all, entries, err := c.threads.uploads(ctx, thread)
	if err != nil {
		return err
	}
	if entries > maxUploads {
		return refuse(http.StatusConflict, "This thread is full. Begin a new one.")
	}
	waiting := 0
	for _, p := range all {
		if !p.sent && p.By == by {
			waiting++
		}
	}
	if waiting >= maxPending {
		return refuse(http.StatusTooManyRequests, "Many files wait here to be sent. Send a message, or remove some of them.")
	}
	return nil
}

// keep puts the content into Media, and finds out what it is.
func (c *Channel) keep(w http.ResponseWriter, r *http.Request, p *pending) error {
	ctx := r.Context()
	content := &counted{r: http.MaxBytesReader(w, r.Body, c.config.MaxFile)}
	if err := c.config.Media.Put(ctx, p.Key, content); err != nil {
		switch _, large := errors.AsType[*http.MaxBytesError](content.err); {
		case large:
			return c.tooLarge()
		case content.err != nil:
			why := refuse(http.StatusBadRequest, "The upload was broken off. Try it again.")
			why.ends = true
			return why
		}
		return err
	}
	if content.n == 0 {
		return refuse(http.StatusBadRequest, "The file is empty.")
	}
	found, err := c.config.Media.Look(ctx, p.Key, p.Name, c.language(r))
	if f, ok := errors.AsType[*adapters.Fault](err); ok && adapters.Final(err) {
		return refuse(http.StatusUnsupportedMediaType, "%s", f.Told())
	}
	if err != nil {
		return err
	}
	if p.For == forMask && (kindOf(found.Type, false) != kindImage || found.Width == 0) {
		return refuse(http.StatusUnsupportedMediaType, "A mask is a picture.")
	}
	if p.Voice = p.For == forVoice; p.Voice && !isSound(found.Type) {
		return refuse(http.StatusUnsupportedMediaType, "A voice message is a sound.")
	}
	p.Size, p.Type, p.Width, p.Height = content.n, found.Type, found.Width, found.Height
	return nil
}

func (c *Channel) tooLarge() *refusal {
	why := refuse(http.StatusRequestEntityTooLarge, "The file is too large: at most %s are taken.", size(c.config.MaxFile))
	why.ends = true
	return why
}

// counted counts what is read, and remembers why it ended.
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

// serveTakeBack removes an upload that was not sent.
func (c *Channel) serveTakeBack(w http.ResponseWriter, r *http.Request) error {
	thread, err := threadID(r)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.Context()), patience)
	defer stop()
	if err := c.takeBack(ctx, thread, r.PathValue("id"), c.me(r).ID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// serveUploaded serves a file that somebody sent, or is about to.
func (c *Channel) serveUploaded(w http.ResponseWriter, r *http.Request) error {
	thread, err := threadID(r)
	if err != nil {
		return err
	}
	ctx, id := r.Context(), r.PathValue("id")
	t, err := c.threads.read(ctx, thread, now)
	if err != nil && !errors.Is(err, adapters.ErrGone) {
		return err
	}
	f, ok := t.file(id)
	if !ok {
		all, _, err := c.threads.uploads(ctx, thread)
		if err != nil {
			return err
		}
		p, ok := all[id]
		if !ok {
			return unknown()
		}
		f = p.upload
	}
	return c.serveFile(w, r, file{key: f.Key, name: f.Name, mediaType: f.Type, size: f.Size, tag: f.ID})
}
