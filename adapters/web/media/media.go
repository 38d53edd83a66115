// Package media serves files so that nothing in them runs in the channel's origin.
package media

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/adapters"
)

// Media stores files by key. Missing files are [adapters.ErrGone].
type Media interface {
	// Put stores everything that r returns, or nothing if it fails.
	Put(ctx context.Context, key string, r io.Reader) error
	// Get opens a file.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// GetRange opens n bytes from offset, or as many as there are; the rest of the file if n is negative.
	GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)
	// Delete removes a file, if it exists.
	Delete(ctx context.Context, key string) error
	// Folder returns the key prefix of a thread's files, which are deleted with the thread.
	Folder(t adapters.Thread) string
	// Look detects the type of a file, whatever its name says, and rejects files that tools must not get with an
	// [adapters.Fault]. Its sentence is in the language, a BCP 47 tag.
	Look(ctx context.Context, key, name, language string) (Found, error)
}

// Found is what Look detected.
type Found struct {
	Type string // its media type
	// Width and Height are the size of a picture in pixels, after its EXIF orientation; otherwise 0.
	Width, Height int
}

// The kinds of files, by how a page shows them.
const (
	KindImage = "image"
	kindVideo = "video"
	kindAudio = "audio"
	kindPage  = "page"
	kindText  = "text"
	KindOther = "other"
)

// shownAs are the types that cannot run code, with their kind. All others are downloads.
var shownAs = map[string]string{
	"image/png": KindImage, "image/jpeg": KindImage, "image/gif": KindImage, "image/webp": KindImage, "image/bmp": KindImage,
	"image/avif": KindImage, "image/x-icon": KindImage,
	"video/mp4": kindVideo, "video/webm": kindVideo, "video/ogg": kindVideo, "video/quicktime": kindVideo,
	"audio/mpeg": kindAudio, "audio/wav": kindAudio, "audio/x-wav": kindAudio, "audio/wave": kindAudio, "audio/vnd.wave": kindAudio,
	"audio/ogg": kindAudio, "audio/flac": kindAudio, "audio/x-flac": kindAudio, "audio/mp4": kindAudio, "audio/aac": kindAudio,
	"audio/webm": kindAudio, "audio/opus": kindAudio,
	"text/plain": kindText, "text/csv": kindText, "text/markdown": kindText, "application/json": kindText,
	"text/vtt": kindText,
}

// The content security policies of files.
const (
	// MediaPolicy is for a picture, sound or video opened by itself.
	MediaPolicy = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
	// PagePolicy is for pages made by tools, in a frame of the channel: no scripts, no origin, no requests.
	PagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src data:; " +
		"form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)

func essence(mediaType string) string {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return ""
	}
	return t
}

// KindOf returns how a page shows a file; own means that the bot made it.
func KindOf(mediaType string, own bool) string {
	t := essence(mediaType)
	if own && t == "text/html" {
		return kindPage
	}
	if kind, ok := shownAs[t]; ok {
		return kind
	}
	return KindOther
}

// IsSound reports whether a media type is audio. Ogg may be detected only as a container.
func IsSound(mediaType string) bool {
	t := essence(mediaType)
	return strings.HasPrefix(t, "audio/") || t == "application/ogg"
}

// File is a file to serve.
type File struct {
	Key, Name, MediaType string
	Size                 int64
	Tag                  string // of the content
	At                   time.Time
	Own                  bool // the bot made it
}

// ranger opens parts of files.
type ranger interface {
	GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)
}

// Serve serves a file so that it cannot run code in the channel's origin.
func Serve(w http.ResponseWriter, r *http.Request, media ranger, f File) error {
	probe, err := media.GetRange(r.Context(), f.Key, 0, 1)
	if err != nil {
		return err
	}
	if err := probe.Close(); err != nil {
		return err //nolint:wrapcheck // the log names the route
	}
	kind := KindOf(f.MediaType, f.Own)
	_, save := r.URL.Query()["download"]
	disposition, contentType, allowed := "inline", essence(f.MediaType), MediaPolicy
	switch {
	case save || kind == KindOther:
		disposition = "attachment"
		if kind == KindOther || kind == kindPage {
			contentType = "application/octet-stream"
		}
	case kind == kindPage:
		contentType, allowed = "text/html; charset=utf-8", PagePolicy
	}
	if kind == kindText {
		contentType = "text/plain; charset=utf-8"
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": CleanName(f.Name)}))
	h.Set("Content-Security-Policy", allowed)
	h.Set("Cache-Control", "private, max-age=600")
	h.Set("ETag", strconv.Quote(f.Tag))
	content := &ranged{ctx: r.Context(), media: media, key: f.Key, size: f.Size}
	defer content.close()
	http.ServeContent(w, r, "", f.At, content)
	return nil
}

// ranged is a file as an io.ReadSeeker.
type ranged struct {
	ctx   context.Context //nolint:containedctx // it lives as long as one request
	media ranger
	key   string
	size  int64
	at    int64
	body  io.ReadCloser // from at on, nil if it is not open
}

// Seek sets the offset at which the next Read opens the file.
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

// LongestName is the maximum number of characters of a file name.
const LongestName = 200

// CleanName removes folders and control characters from a file name, and shortens it. The result is never empty.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.TrimSpace(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if all := []rune(name); len(all) > LongestName {
		end := []rune(path.Ext(name))
		if len(end) > 16 {
			end = nil
		}
		name = string(all[:LongestName-len(end)]) + string(end)
	}
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	return name
}

// FileURL returns the URL of a file that a person sent.
func FileURL(thread, id, name string) string {
	return path.Join("/t", thread, "files", id) + "/" + url.PathEscape(CleanName(name))
}

// AttachmentURL returns the URL of the nth file of an answer.
func AttachmentURL(thread, message string, n int, name string) string {
	return path.Join("/t", thread, "messages", message, "media", strconv.Itoa(n)) + "/" + url.PathEscape(CleanName(name))
}

// PreviewURL returns the URL of a version of the preview of a step, which its progress message has as the nth.
func PreviewURL(thread, message string, n, version int) string {
	return path.Join("/t", thread, "messages", message, "preview", strconv.Itoa(n)) + "?v=" + strconv.Itoa(version)
}
