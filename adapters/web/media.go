package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The kinds of files, by how a page shows them.
const (
	kindImage = "image"
	kindVideo = "video"
	kindAudio = "audio"
	kindPage  = "page"
	kindText  = "text"
	kindOther = "other"
)

// shownAs are the types that a browser is let to show in the channel's origin, since nothing
// in them can run, with their kind. All others are offered to be saved.
var shownAs = map[string]string{
	"image/png": kindImage, "image/jpeg": kindImage, "image/gif": kindImage, "image/webp": kindImage, "image/bmp": kindImage,
	"image/avif": kindImage, "image/x-icon": kindImage,
	"video/mp4": kindVideo, "video/webm": kindVideo, "video/ogg": kindVideo, "video/quicktime": kindVideo,
	"audio/mpeg": kindAudio, "audio/wav": kindAudio, "audio/x-wav": kindAudio, "audio/wave": kindAudio, "audio/vnd.wave": kindAudio,
	"audio/ogg": kindAudio, "audio/flac": kindAudio, "audio/x-flac": kindAudio, "audio/mp4": kindAudio, "audio/aac": kindAudio,
	"audio/webm": kindAudio, "audio/opus": kindAudio,
	"text/plain": kindText, "text/csv": kindText, "text/markdown": kindText, "application/json": kindText,
	"text/vtt": kindText,
}

// What a file may do that is opened by itself.
const (
	// mediaPolicy lets a picture, sound or video be shown and played by the browser's own
	// page for it.
	mediaPolicy = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
	// pagePolicy is for pages that a tool made: no script, no origin, no request to anybody,
	// in a frame of the channel.
	pagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src data:; " +
		"form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)

func essence(mediaType string) string {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return ""
	}
	return t
}

// kindOf is how a page shows a file; own tells that the bot made it.
func kindOf(mediaType string, own bool) string {
	t := essence(mediaType)
	if own && t == "text/html" {
		return kindPage
	}
	if kind, ok := shownAs[t]; ok {
		return kind
	}
	return kindOther
}

// isSound tells of a media type that is a sound's. Ogg may be told as no more than a container.
func isSound(mediaType string) bool {
	t := essence(mediaType)
	return strings.HasPrefix(t, "audio/") || t == "application/ogg"
}

// file is what is served.
type file struct {
	key, name, mediaType string
	size                 int64
	tag                  string // it stands for the content
	at                   time.Time
	own                  bool // the bot made it
}

// serveAttachment serves a file of an answer.
func (c *Channel) serveAttachment(w http.ResponseWriter, r *http.Request) error {
	_, _, m, err := c.message(r)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || m.said == nil || n < 0 || n >= len(m.said.Reply.Files) || m.said.Reply.Files[n].Handle == "" {
		return unknown()
	}
	a := m.said.Reply.Files[n]
	return c.serveFile(w, r, file{
		key: a.Handle, name: a.Name, mediaType: a.Type, size: a.Size, tag: m.id + "-" + strconv.Itoa(n), at: m.at, own: true,
	})
}

// serveFile serves a file by a type that runs nothing in the channel's origin.
func (c *Channel) serveFile(w http.ResponseWriter, r *http.Request, f file) error {
	probe, err := c.config.Media.GetRange(r.Context(), f.key, 0, 1)
	if err != nil {
		return err
	}
	if err := probe.Close(); err != nil {
		return err //nolint:wrapcheck // it is told by the log's route
	}
	kind := kindOf(f.mediaType, f.own)
	_, save := r.URL.Query()["download"]
	disposition, contentType, allowed := "inline", essence(f.mediaType), mediaPolicy
	switch {
	case save || kind == kindOther:
		disposition = "attachment"
		if kind == kindOther || kind == kindPage {
			contentType = "application/octet-stream"
		}
	case kind == kindPage:
		contentType, allowed = "text/html; charset=utf-8", pagePolicy
	}
	if kind == kindText {
		contentType = "text/plain; charset=utf-8"
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": cleanName(f.name)}))
	h.Set("Content-Security-Policy", allowed)
	h.Set("Cache-Control", "private, max-age=600")
	h.Set("ETag", strconv.Quote(f.tag))
	content := &ranged{ctx: r.Context(), media: c.config.Media, key: f.key, size: f.size}
	defer content.close()
	http.ServeContent(w, r, "", f.at, content)
	return nil
}

// ranged reads a file of Media from wherever it is to be read.
type ranged struct {
	ctx   context.Context //nolint:containedctx // it lives as long as one request
	media Media
	key   string
	size  int64
	at    int64
	body  io.ReadCloser // from at on, nil if it is not open
}

// Seek goes to a place; nothing is opened before it is read from.
func (r *ranged) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	if offset != r.at {
		r.close()
		r.at = offset
	}
	return offset, nil
}

func (r *ranged) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if r.body == nil {
		body, err := r.media.GetRange(r.ctx, r.key, r.at, r.size-r.at)
		if err != nil {
			return 0, err
		}
		r.body = body
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	return n, err //nolint:wrapcheck // a reader's error is what it is
}

func (r *ranged) close() {
	if r.body != nil {
		_ = r.body.Close() //nolint:errcheck // it was only read
		r.body = nil
	}
}

// longestName is how many characters of a file's name are kept.
const longestName = 200

// cleanName is what is kept of a file's name: without folders and control characters, not
// too long, and never empty.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.TrimSpace(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if all := []rune(name); len(all) > longestName {
		end := []rune(path.Ext(name))
		if len(end) > 16 {
			end = nil
		}
		name = string(all[:longestName-len(end)]) + string(end)
	}
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	return name
}
