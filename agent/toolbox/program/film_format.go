package program

import "strconv"

// soundRate is the audio bit rate of videos, in bits per second.
const soundRate = 160_000

// filmFormat is a file format for video. MP4 plays everywhere: H.264 with 4:2:0 chroma subsampling and
// even sides of at most 3840 × 2160 pixels, and AAC.
type filmFormat struct {
	ending          string // without a dot
	filter          string // applied to the frames
	alpha           bool   // keeps transparency
	titles          string // the subtitle codec; "" if it supports none
	pictures, sound coding
	more            []string // options of the format
}

// filmFormats maps file extensions to formats.
func filmFormats() map[string]filmFormat {
	sound := func(codec, rate, frequency string) coding {
		return coding{[]string{"-c:a", codec}, []string{"-b:a", rate}, []string{"-ar", frequency, "-ac", "2"}}
	}
	stereo := func(codec string, quality ...string) coding {
		return coding{[]string{"-c:a", codec}, quality, []string{"-ac", "2"}}
	}
	pictures := func(codec string, quality ...string) coding {
		return coding{codec: []string{"-c:v", codec}, quality: quality}
	}
	vp9 := pictures("libvpx-vp9", "-crf", "31")
	vp9.more = []string{"-b:v", "0", "-deadline", "good", "-cpu-used", "5", "-row-mt", "1", "-fps_mode", "vfr"}
	xvid := pictures("mpeg4", "-q:v", "4")
	xvid.more = []string{"-vtag", "xvid"}
	formats := map[string]filmFormat{
		"mp4": {sound: aac(), more: faststart()}, "m4v": {sound: aac(), more: faststart()}, "mov": {sound: aac(), more: faststart()},
		"mkv": {sound: aac()}, "3gp": {sound: aac()},
		"flv":  {sound: sound("aac", "160k", "44100")},
		"webm": {alpha: true, sound: stereo("libopus", "-b:a", "128k"), pictures: vp9},
		"avi":  {filter: "fps=25,", pictures: xvid, sound: sound("libmp3lame", "160k", "48000")},
		"mpg":  {filter: "fps=25,", pictures: pictures("mpeg2video", "-q:v", "4"), sound: sound("mp2", "192k", "48000")},
		"ogv":  {pictures: pictures("libtheora", "-q:v", "7"), sound: stereo("libvorbis", "-q:a", "4")},
	}
	for ending, f := range formats {
		if f.ending = ending; f.pictures.codec == nil {
			f.pictures = h264()
		}
		f.titles = map[string]string{"mp4": movText, "m4v": movText, "mov": movText, "mkv": "srt", "webm": "webvtt"}[ending]
		formats[ending] = f
	}
	return formats
}

// h264 returns video options that play everywhere.
func h264() coding {
	return coding{
		codec: []string{"-c:v", "libx264"}, quality: []string{"-crf", "20"},
		more: []string{"-preset", "veryfast", "-pix_fmt", "yuv420p", "-fps_mode", "vfr"},
	}
}

// aac returns audio options that play everywhere.
func aac() coding {
	return coding{[]string{"-c:a", "aac"}, []string{"-b:a", strconv.Itoa(soundRate)}, []string{"-ar", "48000", "-ac", "2"}}
}

// faststart puts the index at the beginning, so that a video can play while it is loading.
func faststart() []string { return []string{"-movflags", "+faststart"} }

// bounded returns options that cap the video bit rate, in bits per second.
func bounded(rate float64) []string {
	r := strconv.Itoa(max(int(rate), 1000))
	return []string{"-maxrate", r, "-bufsize", r}
}

// movText is the subtitle codec of MP4.
const movText = "mov_text"
