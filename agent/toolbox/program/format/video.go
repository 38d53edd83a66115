package format

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// SoundRate is the audio bit rate of videos, in bits per second.
const SoundRate = 160_000

// Video is a file format for video. MP4 plays everywhere: H.264 with 4:2:0 chroma subsampling and
// even sides of at most 3840 × 2160 pixels, and AAC.
type Video struct {
	Ending          string                // without a dot
	Rate            func(float64) float64 // the frame rate that comes nearest; nil if each frame has a time of its own
	Alpha           bool                  // keeps transparency
	Titles          string                // the subtitle codec; "" if it supports none
	Pictures, Sound Coding
	More            []string // options of the format
}

// Videos maps file extensions to formats.
func Videos() map[string]Video {
	sound := func(codec, rate, frequency string) Coding {
		return Coding{[]string{"-c:a", codec}, []string{"-b:a", rate}, []string{"-ar", frequency, "-ac", "2"}}
	}
	stereo := func(codec string, quality ...string) Coding {
		return Coding{[]string{"-c:a", codec}, quality, []string{"-ac", "2"}}
	}
	pictures := func(codec string, quality ...string) Coding {
		return Coding{Codec: []string{"-c:v", codec}, Quality: quality}
	}
	vp9 := pictures("libvpx-vp9", "-crf", "31")
	vp9.More = []string{"-b:v", "0", "-deadline", "good", "-cpu-used", "5", "-row-mt", "1", "-fps_mode", "vfr"}
	xvid := pictures("mpeg4", "-q:v", "4")
	xvid.More = []string{"-vtag", "xvid"}
	formats := map[string]Video{
		"mp4": {Sound: AAC(), More: FastStart()}, "m4v": {Sound: AAC(), More: FastStart()}, "mov": {Sound: AAC(), More: FastStart()},
		"mkv": {Sound: AAC()}, "3gp": {Sound: AAC()},
		"flv":  {Sound: sound("aac", "160k", "44100")},
		"webm": {Alpha: true, Sound: stereo("libopus", "-b:a", "128k"), Pictures: vp9},
		"avi":  {Rate: hundredths, Pictures: xvid, Sound: sound("libmp3lame", "160k", "48000")},
		"mpg":  {Rate: broadcast, Pictures: pictures("mpeg2video", "-q:v", "4"), Sound: sound("mp2", "192k", "48000")},
		"ogv":  {Pictures: pictures("libtheora", "-q:v", "7"), Sound: stereo("libvorbis", "-q:a", "4")},
	}
	for ending, f := range formats {
		if f.Ending = ending; f.Pictures.Codec == nil {
			f.Pictures = H264()
		}
		f.Titles = map[string]string{"mp4": MovText, "m4v": MovText, "mov": MovText, "mkv": "srt", "webm": "webvtt"}[ending]
		formats[ending] = f
	}
	return formats
}

// hundredths rounds a frame rate: an MPEG-4 stream counts in at most 65535ths of a second.
func hundredths(rate float64) float64 { return max(0.01, math.Round(rate*100)/100) }

// broadcast returns the nearest of the frame rates that MPEG-2 has.
func broadcast(rate float64) float64 {
	return slices.MinFunc([]float64{24000. / 1001, 24, 25, 30000. / 1001, 30, 50, 60000. / 1001, 60}, func(a, b float64) int {
		return cmp.Compare(math.Abs(a-rate), math.Abs(b-rate))
	})
}

// H264 returns video options that play everywhere.
func H264() Coding {
	return Coding{
		Codec: []string{"-c:v", "libx264"}, Quality: []string{"-crf", "20"},
		More: []string{"-preset", "veryfast", "-pix_fmt", "yuv420p", "-fps_mode", "vfr"},
	}
}

// AAC returns audio options that play everywhere.
func AAC() Coding {
	return Coding{[]string{"-c:a", "aac"}, []string{"-b:a", strconv.Itoa(SoundRate)}, []string{"-ar", "48000", "-ac", "2"}}
}

// FastStart puts the index at the beginning, so that a video can play while it is loading.
func FastStart() []string { return []string{"-movflags", "+faststart"} }

// Bounded returns options that cap the video bit rate, in bits per second.
func Bounded(rate float64) []string {
	r := strconv.Itoa(max(int(rate), 1000))
	return []string{"-maxrate", r, "-bufsize", r}
}

// MovText is the subtitle codec of MP4.
const MovText = "mov_text"
