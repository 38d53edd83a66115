package storage

import (
	"mime"
	"path"
	"strings"
)

// Content is how a browser handles a blob that it gets by a [Blobs.Link].
type Content struct {
	// Type is a media type.
	Type string
	// Inline means that a browser may display it. Everything else is offered for download, since
	// pages and drawings may contain scripts.
	Inline bool
}

// ContentOf returns the content by the file extension of a key.
func ContentOf(key string) Content {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(key), "."))
	if c, ok := contents[ending]; ok {
		return c
	}
	return Content{Type: "application/octet-stream"}
}

// Disposition returns the Content-Disposition header for the blob of a key, which includes the file
// name.
func (c Content) Disposition(key string) string {
	kind := "attachment"
	if c.Inline {
		kind = "inline"
	}
	return mime.FormatMediaType(kind, map[string]string{"filename": path.Base(key)})
}

// contents are the known contents by file extension. The system's table is not used, since it
// differs between machines.
var contents = map[string]Content{
	"png": {"image/png", true}, "apng": {"image/png", true},
	"jpg": {"image/jpeg", true}, "jpeg": {"image/jpeg", true},
	"gif":  {"image/gif", true},
	"webp": {"image/webp", true},
	"bmp":  {"image/bmp", true},
	"avif": {"image/avif", true},
	"jxl":  {"image/jxl", false},
	"ico":  {"image/x-icon", true},
	"heic": {"image/heic", false}, "heif": {"image/heif", false},
	"tiff": {"image/tiff", true}, "tif": {"image/tiff", true},
	"svg": {"image/svg+xml", false},

	"mp3":  {"audio/mpeg", true},
	"wav":  {"audio/wav", true},
	"flac": {"audio/flac", true},
	"ogg":  {"audio/ogg", true}, "oga": {"audio/ogg", true}, "opus": {"audio/ogg", true},
	"m4a":  {"audio/mp4", true},
	"aac":  {"audio/aac", true},
	"weba": {"audio/webm", true},
	"mid":  {"audio/midi", true}, "midi": {"audio/midi", true},

	"mp4": {"video/mp4", true}, "m4v": {"video/mp4", true},
	"mov":  {"video/quicktime", true},
	"webm": {"video/webm", true},
	"mkv":  {"video/x-matroska", true},
	"avi":  {"video/x-msvideo", true},
	"ogv":  {"video/ogg", true},
	"mpeg": {"video/mpeg", true}, "mpg": {"video/mpeg", true},

	"txt": {"text/plain; charset=utf-8", true}, "md": {"text/plain; charset=utf-8", true}, "log": {"text/plain; charset=utf-8", true},
	"srt": {"text/plain; charset=utf-8", true},
	"vtt": {"text/vtt; charset=utf-8", true},
	"csv": {"text/csv; charset=utf-8", false}, "tsv": {"text/tab-separated-values; charset=utf-8", false},
	"json": {"application/json", false},
	"html": {"text/html; charset=utf-8", false}, "htm": {"text/html; charset=utf-8", false},
	"pdf": {"application/pdf", false},
	"zip": {"application/zip", false},
}
