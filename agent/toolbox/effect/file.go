package effect

import (
	"context"
	"slices"
	"strings"

	"atelier/agent/plan"
)

// fileFormat is a file format as people name it.
type fileFormat struct {
	name string
	// words are its names, mimes its MIME types, and codec its codec, if that is part of the format.
	words, mimes []string
	codec        string
}

// iconSide is the maximum side of an icon, in pixels.
const (
	iconMIME = "image/x-icon"
	iconSide = 256
)

var imageFormats = []fileFormat{
	{"PNG", []string{"png", "apng"}, []string{"image/png"}, ""},
	{"JPEG", []string{"jpg", "jpeg", "jpe", "jfif"}, []string{"image/jpeg"}, ""},
	{"GIF", []string{"gif"}, []string{"image/gif"}, ""},
	{"BMP", []string{"bmp", "bitmap"}, []string{"image/bmp"}, ""},
	{"TIFF", []string{"tiff", "tif"}, []string{"image/tiff"}, ""},
	{"WebP", []string{"webp"}, []string{"image/webp"}, ""},
	{"AVIF", []string{"avif"}, []string{"image/avif"}, ""},
	{"JPEG XL", []string{"jxl", "jpegxl"}, []string{"image/jxl"}, ""},
	{"HEIC", []string{"heic", "heif"}, []string{"image/heic", "image/heif"}, ""},
	{"ICO", []string{"ico", "icon", "favicon"}, []string{iconMIME}, ""},
}

var audioFormats = []fileFormat{
	{"MP3", []string{"mp3"}, []string{"audio/mpeg"}, "mp3"},
	{"WAV", []string{"wav", "wave", "pcm"}, []string{"audio/wav"}, ""},
	{"FLAC", []string{"flac", "lossless"}, []string{"audio/flac", "audio/ogg", "application/ogg"}, "flac"},
	{"OGG", []string{"ogg", "oga", "vorbis"}, []string{"audio/ogg", "application/ogg"}, ""},
	{"Opus", []string{"opus"}, []string{"audio/ogg", "application/ogg", "audio/webm", "audio/x-matroska"}, "opus"},
	{"M4A", []string{"m4a", "mp4", "m4b", "m4r"}, []string{"audio/mp4", "audio/x-m4a"}, ""},
	{"AAC", []string{"aac"}, []string{"audio/mp4", "audio/x-m4a", "audio/aac"}, "aac"},
	{"AIFF", []string{"aiff", "aif"}, []string{"audio/aiff"}, ""},
}

var (
	likeMP4      = []string{"video/mp4", "video/x-m4v", "video/3gpp", "video/3gpp2"}
	videoFormats = []fileFormat{
		{"MP4", []string{"mp4", "mpeg4", "mpeg-4", "m4v", "3gp"}, likeMP4, ""},
		{"H.264", []string{"h264", "h.264", "x264"}, slices.Concat(likeMP4, []string{"video/quicktime", "video/x-matroska"}), "h264"},
		{"MOV", []string{"mov", "quicktime"}, []string{"video/quicktime"}, ""},
		{"MKV", []string{"mkv", "matroska"}, []string{"video/x-matroska"}, ""},
		{"WebM", []string{"webm"}, []string{"video/webm"}, ""},
		{"VP9", []string{"vp9"}, []string{"video/webm", "video/x-matroska", "video/mp4"}, "vp9"},
		{"AVI", []string{"avi"}, []string{"video/x-msvideo"}, ""},
		{"MPEG", []string{"mpg", "mpeg", "mpeg2", "mpeg-2"}, []string{"video/mpeg"}, ""},
		{"OGV", []string{"ogv", "ogg", "theora"}, []string{"video/ogg"}, ""},
		{"FLV", []string{"flv"}, []string{"video/x-flv"}, ""},
	}
)

// named returns the first known format that a text names; false if there is none.
func named(of plan.Type, text string) (fileFormat, bool) {
	all, ok := map[plan.Type][]fileFormat{plan.Video: videoFormats, plan.Audio: audioFormats}[of]
	if !ok {
		all = imageFormats
	}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		word = strings.Trim(word, ".,;:!?\"'()“”")
		for _, f := range all {
			if slices.Contains(f.words, word) {
				return f, true
			}
		}
	}
	return fileFormat{}, false
}

func format(_ context.Context, c *Case, rule map[string]string) plan.Message {
	said := rule[lone]
	if rule["named_by"] != "" {
		said, _ = setting[string](c, rule, "named_by")
	}
	want, ok := named(c.Returns, said)
	if !ok || c.Result.MIME == "" {
		return plan.Message{}
	}
	packed := true
	if clip := c.Result.Clip; clip != nil && want.codec != "" {
		packed = slices.Contains([]string{clip.PicturesCodec, clip.SoundCodec}, want.codec)
	}
	if packed && slices.Contains(want.mimes, c.Result.MIME) {
		return plan.Message{}
	}
	return plan.Say("%s should be in the format %s, but it is in another one.", c.subject(), want.name)
}

func bytes(_ context.Context, c *Case, rule map[string]string) plan.Message {
	for _, m := range c.Args[rule["below"]] {
		if m.Bytes > 0 && c.Result.Bytes >= m.Bytes {
			return plan.Say("%s should have fewer bytes than before, which were %d, but it has %d.", c.subject(), m.Bytes, c.Result.Bytes)
		}
	}
	most, ok := c.limit(rule)
	if !ok || c.Result.Bytes <= most {
		return plan.Message{}
	}
	has, limit := plan.Oversize(c.Result.Bytes, most)
	return plan.Say("%s should have at most %s, but it has %s.", c.subject(), limit, has)
}

func files(_ context.Context, c *Case, rule map[string]string) plan.Message {
	if want := int(number64(rule[lone])); want > 0 && c.Results != want {
		return plan.Say("The number of results should be %d, but it is %d.", want, c.Results)
	}
	if most, ok := c.entries(rule["most"]); ok && c.Results > most {
		return plan.Say("The number of results should be at most %d, but it is %d.", most, c.Results)
	}
	return plan.Message{}
}

func items(_ context.Context, c *Case, rule map[string]string) plan.Message {
	most, ok := c.entries(rule["most"])
	got, read := entriesOf(c.Result)
	if ok && read && got > most {
		return plan.Say("There were at most %d to choose from, but %d were chosen.", most, got)
	}
	return plan.Message{}
}

// entries counts the entries in the lists of an argument.
func (c *Case) entries(arg string) (int, bool) {
	all := 0
	for _, m := range c.Args[arg] {
		n, ok := entriesOf(m)
		if !ok {
			return 0, false
		}
		all += n
	}
	return all, len(c.Args[arg]) > 0
}

// entriesOf counts the entries of a list.
func entriesOf(m Measured) (int, bool) {
	var n int
	var err error
	r := plan.Resource{Value: m.Value}
	switch m.Type {
	case plan.BBox:
		n, err = count[plan.Box](r)
	case plan.Points:
		n, err = count[plan.Point](r)
	case plan.Category:
		n, err = count[plan.Class](r)
	default:
		return 0, false
	}
	return n, err == nil
}

func count[T plan.Box | plan.Point | plan.Class](r plan.Resource) (int, error) {
	all, err := plan.DecodeValue[T](r)
	return len(all), err
}
