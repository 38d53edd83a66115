package program

import (
	"time"

	"atelier/agent/plan"
)

// soundFormat is a file format for sound.
type soundFormat struct {
	// name is the common name.
	name string
	// ending is the file extension, without the dot.
	ending string
	// coding holds the encoder options, at a transparent quality.
	coding coding
}

// The formats for writing sound.
var (
	mp3    = soundFormat{"MP3", "mp3", lossy("libmp3lame", "-q:a", "2")} // about 190 kbit/s
	wav    = soundFormat{"WAV", "wav", lossless("pcm_s16le")}
	wav24  = soundFormat{"WAV", "wav", lossless("pcm_s24le")}
	flac   = soundFormat{"FLAC", "flac", lossless("flac")}
	vorbis = soundFormat{"OGG", "ogg", lossy("libvorbis", "-q:a", "6")} // about 190 kbit/s
	opus   = soundFormat{"Opus", "opus", lossy("libopus", "-b:a", "128k")}
	m4a    = soundFormat{"M4A", "m4a", coding{[]string{"-c:a", "aac"}, []string{"-b:a", "192k"}, faststart()}}
	m4r    = soundFormat{"M4R", "m4r", coding{m4a.coding.codec, m4a.coding.quality, append(faststart(), "-f", "ipod")}} // ringtones of iPhones
	aiff   = soundFormat{"AIFF", "aiff", lossless("pcm_s16be")}
)

func lossy(codec string, quality ...string) coding {
	return coding{codec: []string{"-c:a", codec}, quality: quality}
}

func lossless(codec string) coding { return coding{codec: []string{"-c:a", codec}} }

// opusInOgg is Opus with the extension of voice messages.
var opusInOgg = soundFormat{opus.name, "ogg", opus.coding}

// size returns the file size of a sound in an uncompressed format, in bytes; 0 for compressed
// formats, whose size is unknown.
func (f soundFormat) size(length time.Duration, rate, channels int) int64 {
	const head = 200 // an upper bound on the header, in bytes
	bytes := map[string]float64{"pcm_s16le": 2, "pcm_s16be": 2, "pcm_s24le": 3}[f.coding.codec[1]]
	if bytes == 0 {
		return 0
	}
	return head + int64(length.Seconds()*float64(rate)*float64(channels)*bytes)
}

// fitting returns the format, or FLAC, which is lossless too, with a note if the file would have
// more than most bytes.
func (f soundFormat) fitting(most int64, length time.Duration, rate, channels int) (soundFormat, plan.Message) {
	size := f.size(length, rate, channels)
	if size <= most {
		return f, plan.Message{}
	}
	has, limit := plan.Oversize(size, most)
	return flac, plan.Say("As %s it would have %s, and the limit is %s, so it is saved as FLAC.", f.name, has, limit)
}

// soundFormats maps the catalogue's names to formats.
func soundFormats() map[string]soundFormat {
	return map[string]soundFormat{"aiff": aiff, "flac": flac, "m4a": m4a, "m4r": m4r, "mp3": mp3, "ogg": vorbis, "opus": opus, "wav": wav}
}
