package format

import (
	"strings"
	"time"

	"atelier/agent/plan"
)

// Sound is a file format for sound.
type Sound struct {
	// Name is the common name.
	Name string
	// Ending is the file extension, without the dot.
	Ending string
	// Coding holds the encoder options, at a transparent quality.
	Coding Coding
}

// The formats for writing sound.
var (
	MP3    = Sound{"MP3", "mp3", lossy("libmp3lame", "-q:a", "2")} // about 190 kbit/s
	WAV    = Sound{"WAV", "wav", lossless("pcm_s16le")}
	WAV24  = Sound{"WAV", "wav", lossless("pcm_s24le")}
	FLAC   = Sound{"FLAC", "flac", lossless("flac")}
	Vorbis = Sound{"OGG", "ogg", lossy("libvorbis", "-q:a", "6")} // about 190 kbit/s
	opus   = Sound{"Opus", "opus", lossy("libopus", "-b:a", "128k")}
	M4A    = Sound{"M4A", "m4a", Coding{[]string{"-c:a", "aac"}, []string{"-b:a", "192k"}, FastStart()}}
	m4r    = Sound{"M4R", "m4r", Coding{M4A.Coding.Codec, M4A.Coding.Quality, append(FastStart(), "-f", "ipod")}} // ringtones of iPhones
	AIFF   = Sound{"AIFF", "aiff", lossless("pcm_s16be")}
)

func lossy(codec string, quality ...string) Coding {
	return Coding{Codec: []string{"-c:a", codec}, Quality: quality}
}

// Lossless reports whether the format keeps all of the sound, so that it has no bit rate.
func (f Sound) Lossless() bool { return f.Coding.Quality == nil }

func lossless(codec string) Coding { return Coding{Codec: []string{"-c:a", codec}} }

// OpusInOgg is Opus with the extension of voice messages.
var OpusInOgg = Sound{opus.Name, "ogg", opus.Coding}

// OfFile returns the format of a sound file, by its MIME type and codec, and whether its sound can be copied to a new
// file of that format. The sound of videos, phones and old programs becomes MP3.
func OfFile(mime, codec string) (f Sound, copies bool) {
	switch mime {
	case "audio/mpeg":
		return MP3, codec == "mp3"
	case "audio/wav":
		if strings.Contains(codec, "24") || strings.Contains(codec, "32") || strings.Contains(codec, "64") {
			return WAV24, true
		}
		return WAV, true
	case "audio/flac":
		return FLAC, true
	case "audio/aiff":
		return AIFF, true
	case "audio/ogg", "application/ogg":
		switch codec {
		case "opus":
			return OpusInOgg, true
		case "flac":
			return FLAC, false
		}
		return Vorbis, codec == "vorbis"
	case "audio/mp4", "audio/x-m4a":
		return M4A, codec == "aac" || codec == "alac"
	case "audio/aac":
		return M4A, codec == "aac"
	}
	return MP3, false
}

// Size returns the file size of a sound in an uncompressed format, in bytes; 0 for compressed
// formats, whose size is unknown.
func (f Sound) Size(length time.Duration, rate, channels int) int64 {
	const head = 200 // an upper bound on the header, in bytes
	bytes := map[string]float64{"pcm_s16le": 2, "pcm_s16be": 2, "pcm_s24le": 3}[f.Coding.Codec[1]]
	if bytes == 0 {
		return 0
	}
	return head + int64(length.Seconds()*float64(rate)*float64(channels)*bytes)
}

// Fitting returns the format, or FLAC, which is lossless too, with a note if the file would have
// more than most bytes.
func (f Sound) Fitting(most int64, length time.Duration, rate, channels int) (Sound, plan.Message) {
	size := f.Size(length, rate, channels)
	if size <= most {
		return f, plan.Message{}
	}
	has, limit := plan.Oversize(size, most)
	return FLAC, plan.Say("As %s it would have %s, and the limit is %s, so it is saved as FLAC.", f.Name, has, limit)
}

// Sounds maps the catalogue's names to formats.
func Sounds() map[string]Sound {
	return map[string]Sound{"aiff": AIFF, "flac": FLAC, "m4a": M4A, "m4r": m4r, "mp3": MP3, "ogg": Vorbis, "opus": opus, "wav": WAV}
}
