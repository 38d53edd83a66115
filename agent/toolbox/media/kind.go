package media

import (
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"atelier/agent/plan"
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
