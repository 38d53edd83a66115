package media

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/container"
	"atelier/agent/toolbox/media/imagefile"
)

// kind is an entry of the allow-list.
type kind struct {
	mime string
	typ  plan.Type
	name plan.Message // for people: "a PNG picture"
	// endings lists the extensions of this kind, the usual one first.
	endings []string
}

func (k kind) info() Info { return Info{Type: k.typ, MIME: k.mime, Ext: "." + k.endings[0]} }

// kinds lists everything that is accepted. Containers that may hold audio or video with the same first
// bytes share their extensions.
var kinds = []kind{
	{"image/png", plan.Image, plan.Say("a PNG picture"), []string{"png", "apng"}},
	{"image/jpeg", plan.Image, plan.Say("a JPEG picture"), []string{"jpg", "jpeg", "jpe", "jfif"}},
	{"image/gif", plan.Image, plan.Say("a GIF picture"), []string{"gif"}},
	{"image/webp", plan.Image, plan.Say("a WebP picture"), []string{"webp"}},
	{"image/bmp", plan.Image, plan.Say("a BMP picture"), []string{"bmp", "dib"}},
	{"image/tiff", plan.Image, plan.Say("a TIFF picture"), []string{"tiff", "tif"}},
	{imagefile.AVIF, plan.Image, plan.Say("an AVIF picture"), []string{"avif", "avifs"}},
	{"image/heic", plan.Image, plan.Say("a HEIC picture"), []string{"heic", "heif", "hif"}},
	{"image/heif", plan.Image, plan.Say("a HEIC picture"), []string{"heif", "heic", "hif", "avif"}},
	{imagefile.JXL, plan.Image, plan.Say("a JPEG XL picture"), []string{"jxl"}},
	{"image/x-icon", plan.Image, plan.Say("an icon"), []string{"ico"}},

	{"video/mp4", plan.Video, plan.Say("an MP4 video"), []string{"mp4", "m4v", "mov", "m4a", "3gp", "f4v"}},
	{"video/x-m4v", plan.Video, plan.Say("an MP4 video"), []string{"m4v", "mp4"}},
	{"video/quicktime", plan.Video, plan.Say("a QuickTime video"), []string{"mov", "qt", "mp4"}},
	{"video/3gpp", plan.Video, plan.Say("a 3GP video"), []string{"3gp", "mp4"}},
	{"video/3gpp2", plan.Video, plan.Say("a 3GP video"), []string{"3g2", "3gp"}},
	{"video/webm", plan.Video, plan.Say("a WebM video"), []string{"webm", "mkv", "weba"}},
	{"video/x-matroska", plan.Video, plan.Say("a Matroska video"), []string{"mkv", "webm", "mka"}},
	{"video/x-msvideo", plan.Video, plan.Say("an AVI video"), []string{"avi"}},
	{"video/mpeg", plan.Video, plan.Say("an MPEG video"), []string{"mpeg", "mpg", "vob"}},
	{"video/mp2t", plan.Video, plan.Say("an MPEG stream"), []string{"ts", "mts", "m2ts"}},
	{"video/ogg", plan.Video, plan.Say("an Ogg video"), []string{"ogv", "ogg"}},
	{"video/x-flv", plan.Video, plan.Say("a Flash video"), []string{"flv"}},

	{"audio/mpeg", plan.Audio, plan.Say("an MP3 sound"), []string{"mp3", "mp2", "mpga"}},
	{"audio/wav", plan.Audio, plan.Say("a WAV sound"), []string{"wav", "wave"}},
	{"audio/flac", plan.Audio, plan.Say("a FLAC sound"), []string{"flac"}},
	{"audio/ogg", plan.Audio, plan.Say("an Ogg sound"), []string{"ogg", "oga", "opus"}},
	{"application/ogg", plan.Audio, plan.Say("an Ogg sound"), []string{"ogg", "oga", "opus", "ogv"}},
	{"audio/mp4", plan.Audio, plan.Say("an MP4 sound"), []string{"m4a", "m4r", "mp4", "m4b"}},
	{"audio/x-m4a", plan.Audio, plan.Say("an MP4 sound"), []string{"m4a", "m4r", "mp4", "m4b"}},
	{"audio/aac", plan.Audio, plan.Say("an AAC sound"), []string{"aac"}},
	{"audio/aiff", plan.Audio, plan.Say("an AIFF sound"), []string{"aiff", "aif"}},
	{"audio/amr", plan.Audio, plan.Say("an AMR sound"), []string{"amr"}},
	{"audio/midi", plan.Audio, plan.Say("a MIDI tune"), []string{"mid", "midi"}},

	{"application/pdf", plan.Document, plan.Say("a PDF document"), []string{"pdf"}},

	{"text/plain", plan.Text, plan.Say("a text"), textEndings},
	{"text/csv", plan.Text, plan.Say("a table of text"), textEndings},
	{"text/tab-separated-values", plan.Text, plan.Say("a table of text"), textEndings},
	{"text/vtt", plan.Text, plan.Say("subtitles"), textEndings},
	{"application/x-subrip", plan.Text, plan.Say("subtitles"), textEndings},
	{"application/json", plan.Text, plan.Say("JSON text"), textEndings},
	{"application/x-ndjson", plan.Text, plan.Say("JSON text"), textEndings},
}

var textEndings = []string{"txt", "text", "md", "markdown", "csv", "tsv", "json", "jsonl", "srt", "vtt", "log"}

// kindOf detects the kind by the first bytes. Variants of an accepted kind (an animated PNG, a script
// as plain text) count as that kind, unless they are foreign.
func kindOf(head []byte) (k kind, mime string, ok bool) {
	found := mimetype.Detect(head)
	mime, _, _ = strings.Cut(found.String(), ";")
	for m := found; m != nil; m = m.Parent() {
		if slices.ContainsFunc(foreign, func(f kind) bool { return m.Is(f.mime) }) {
			return kind{}, mime, false
		}
		for _, k := range kinds {
			if m.Is(k.mime) {
				if k.mime == "image/heif" && imagefile.IsAVIF(head) {
					k, _ = named("avif")
				}
				return k, mime, true
			}
		}
	}
	return kind{}, mime, false
}

// named returns the kind for an extension without its dot, if accepted; preferably one whose usual extension it is.
func named(ending string) (kind, bool) {
	usual := slices.IndexFunc(kinds, func(k kind) bool { return k.endings[0] == ending })
	if usual < 0 {
		usual = slices.IndexFunc(kinds, func(k kind) bool { return slices.Contains(k.endings, ending) })
	}
	if usual < 0 {
		return kind{}, false
	}
	return kinds[usual], true
}

const webPage = "text/html"

// page is the kind of the web pages made here.
var page = kind{webPage, plan.HTML, plan.Say("a web page"), []string{"html", "htm"}}

// offices are the kinds of office documents that are accepted with [Limits].Office.
var offices = []kind{
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", plan.Document, office, []string{"docx"}},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", plan.Document, office, []string{"xlsx"}},
	{"application/vnd.openxmlformats-officedocument.presentationml.presentation", plan.Document, office, []string{"pptx"}},
	{"application/vnd.oasis.opendocument.text", plan.Document, office, []string{"odt"}},
	{"application/vnd.oasis.opendocument.spreadsheet", plan.Document, office, []string{"ods"}},
	{"application/vnd.oasis.opendocument.presentation", plan.Document, office, []string{"odp"}},
}

// officeKind returns the kind of an office document by its first bytes.
func officeKind(head []byte) (kind, bool) {
	found := mimetype.Detect(head)
	at := slices.IndexFunc(offices, func(k kind) bool { return found.Is(k.mime) })
	if at < 0 {
		return kind{}, false
	}
	return offices[at], true
}

// IsOffice reports whether a file is an office document that is accepted with [Limits].Office.
func IsOffice(path string) (bool, error) {
	found, err := mimetype.DetectFile(path)
	if err != nil {
		return false, fmt.Errorf("look at a document: %w", err)
	}
	return slices.ContainsFunc(offices, func(k kind) bool { return found.Is(k.mime) }), nil
}

// foreign lists kinds that are recognized but not accepted, so that errors can name them. Some would
// otherwise match an accepted kind: an SVG drawing is also text, and a burst of phone pictures uses a
// video container.
var foreign = append([]kind{
	page,
	{mime: "image/svg+xml", name: plan.Say("an SVG drawing")},
	{mime: "image/heic-sequence", name: plan.Say("a HEIC picture")},
	{mime: "image/heif-sequence", name: plan.Say("a HEIC picture")},
	{mime: "image/jp2", name: plan.Say("a JPEG 2000 picture")},
	{mime: "image/vnd.adobe.photoshop", name: plan.Say("a Photoshop picture")},

	{mime: "application/msword", name: office},
	{mime: "application/vnd.ms-excel", name: office},
	{mime: "application/vnd.ms-powerpoint", name: office},
	{mime: "text/rtf", name: office},
	{mime: "application/epub+zip", name: plan.Say("a book")},
	{mime: "text/xml", name: plan.Say("an XML document")},

	{mime: "application/vnd.microsoft.portable-executable", name: program},
	{mime: "application/x-elf", name: program},
	{mime: "application/x-mach-binary", name: program},
	{mime: "application/x-ms-installer", name: program},
	{mime: "application/java-archive", name: program},
	{mime: "application/x-java-applet", name: program},
	{mime: "application/vnd.android.package-archive", name: program},
	{mime: "application/vnd.debian.binary-package", name: program},
	{mime: "application/x-rpm", name: program},
	{mime: "application/wasm", name: program},

	{mime: "application/zip", name: archive},
	{mime: "application/gzip", name: archive},
	{mime: "application/x-tar", name: archive},
	{mime: "application/x-7z-compressed", name: archive},
	{mime: "application/vnd.rar", name: archive},
	{mime: "application/x-bzip2", name: archive},
	{mime: "application/x-xz", name: archive},
	{mime: "application/zstd", name: archive},
	{mime: "application/vnd.ms-cab-compressed", name: archive},
}, offices...)

var (
	office  = plan.Say("an office document")
	program = plan.Say("a program")
	archive = plan.Say("an archive")
)

// foreignName returns the name of a foreign kind by the first bytes of a file.
func foreignName(head []byte) (plan.Message, bool) {
	for m := mimetype.Detect(head); m != nil; m = m.Parent() {
		for _, f := range foreign {
			if m.Is(f.mime) {
				return f.name, true
			}
		}
	}
	return plan.Message{}, false
}

// Detail is one fact about a file: "Duration: 0:12.4".
type Detail struct{ Name, Value string }

// Details formats the details that have a value, one per line.
func Details(all ...Detail) string {
	var lines []string
	for _, d := range all {
		if d.Value != "" {
			lines = append(lines, d.Name+": "+d.Value)
		}
	}
	return strings.Join(lines, "\n")
}

// KindName returns the common name of a MIME type: "JPEG picture".
func KindName(mime string) string {
	for _, k := range kinds {
		if k.mime == mime {
			_, name, _ := strings.Cut(k.name.String(), " ") // without the article
			return name
		}
	}
	return mime
}

// SizeOf formats a file size: "2.3 MB (2,345,678 bytes)".
func SizeOf(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	exact := digits + " bytes"
	switch {
	case n == 1:
		return "1 byte"
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f MB (%s)", float64(n)/1e6, exact)
	case n >= 1000:
		return fmt.Sprintf("%.1f kB (%s)", float64(n)/1e3, exact)
	}
	return exact
}

// mp4Audio is the kind of an MP4 file without video. Phones and recorders give it video extensions.
var mp4Audio = kind{"audio/mp4", plan.Audio, plan.Say("an MP4 sound"), []string{"m4a", "m4r", "mp4", "m4b", "m4v", "mov", "qt", "3gp", "3g2", "f4v"}}

// audioKinds maps the kind detected by the first bytes to the kind of a file with audio only.
var audioKinds = map[string]kind{
	"video/mp4":        mp4Audio,
	"video/x-m4v":      mp4Audio,
	"video/quicktime":  mp4Audio,
	"video/3gpp":       mp4Audio,
	"video/3gpp2":      mp4Audio,
	"video/webm":       {"audio/webm", plan.Audio, plan.Say("a WebM sound"), []string{"webm", "weba", "mkv", "mka"}},
	"video/x-matroska": {"audio/x-matroska", plan.Audio, plan.Say("a Matroska sound"), []string{"mka", "mkv", "webm", "weba"}},
}

// audioOnly returns the audio kind of a file that looks like k if its tracks are audio only. If the
// tracks are not found, it returns k: the validity of the file is checked elsewhere.
func audioOnly(r io.ReaderAt, size int64, k kind) (kind, bool) {
	sound, ok := audioKinds[k.mime]
	if !ok {
		return k, false
	}
	tracks := container.Matroska
	if sound.mime == mp4Audio.mime {
		tracks = container.MP4
	}
	if found, ok := tracks(r, size); !ok || found.Sound == 0 || found.Pictures > 0 {
		return k, false
	}
	return sound, true
}
