package program

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/ffmpeg"
)

// videos edits videos.
type videos struct{ machine }

func (v videos) operations() map[string]operation {
	return map[string]operation{
		"add_subtitles":            {ffmpegs(), v.addSubtitles},
		"crop_black_bars":          {ffmpegs(), v.cropBars},
		"find_scenes":              {ffmpegs(), v.findScenes},
		"fit_video_size":           {ffmpegs(), v.fitVideoSize},
		"normalize_loudness_video": {ffmpegs(), v.normalizeLoudness},
		"shift_subtitles":          {ffmpegs(), shiftSubtitles},
		"split_video":              {ffmpegs(), v.splitVideo},
		"video_facts":              {ffmpegs(), v.factsOf("video")},
		"video_loudness":           {ffmpegs(), sounds(v).loudnessOf("video")},
	}
}

const (
	// longestFilm is the maximum length of a video to encode.
	longestFilm = 30 * time.Minute
	// filmTime is the timeout of encoding it.
	filmTime = 20 * time.Minute
	// mostPictures is the maximum frame rate.
	mostPictures = 60
	// soundRate is the audio bit rate of videos, in bits per second.
	soundRate = 160_000
	// freeRate is a video bit rate above which there is no visible gain, in bits per second.
	freeRate = 40_000_000
)

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

// film is a probed video file.
type film struct {
	path     string
	look     ffmpeg.Look
	pictures ffmpeg.Stream
}

// filmOf makes a film of a probed file. It rejects files without video or without a duration.
func filmOf(path string, look ffmpeg.Look) (film, error) {
	f := film{path: path, look: look}
	fault := func(err string, is plan.Message) error {
		return &plan.Fault{Sentence: plan.Say("%q %s", filepath.Base(path), is), Err: errors.New(err)}
	}
	v := look.Video()
	if v == nil {
		return film{}, fault("no video stream", plan.Say("has no video."))
	}
	if look.Duration <= 0 {
		return film{}, fault("no duration", plan.Say("does not contain its duration; please send it again as an ordinary MP4."))
	}
	f.pictures = *v
	return f, nil
}

// input is the film as an input of ffmpeg, with options before it. Only libvpx's decoders support
// transparency in VP8 and VP9.
func (f film) input(before ...string) ffmpeg.Input {
	if decoder := map[string]string{"vp8": "libvpx", "vp9": "libvpx-vp9"}[f.pictures.Codec]; f.pictures.Alpha && decoder != "" {
		before = append(before, "-c:v", decoder)
	}
	return ffmpeg.Input{Path: f.path, Type: plan.Video, Before: before}
}

// packable rejects videos that would take too long to encode.
func packable(length time.Duration) error {
	if length > longestFilm {
		return &plan.Fault{
			Sentence: plan.Say("That is %s of video, and the limit is %s; trim it to a shorter part first.",
				plan.Span(length), plan.Span(longestFilm)),
			Err: errors.New("too long to encode"),
		}
	}
	return nil
}

// canvas returns the output size: even, within the bounds, with the same aspect ratio.
func canvas(width, height int) (w, h int) {
	by := min(1, ffmpeg.LongSide/float64(max(width, height)), ffmpeg.ShortSide/float64(min(width, height)))
	even := func(side int) int { return max(2, int(float64(side)*by)/2*2) }
	return even(width), even(height)
}

// everywhere holds the filters that make pixels square and the size one that plays everywhere.
const everywhere = `scale=trunc(max(2\,iw*sar*min(1\,min(3840/max(iw*sar\,ih)\,2160/min(iw*sar\,ih))))/2+.01)*2` +
	`:trunc(max(2\,ih*min(1\,min(3840/max(iw*sar\,ih)\,2160/min(iw*sar\,ih))))/2+.01)*2,setsar=1,format=`

// playing adds the filters that make frames suit a format: transparency is replaced by black, and
// the frame rate limited.
func (f film) playing(args []string, format filmFormat) []string {
	if slices.Contains(args, "-filter_complex") && !slices.Contains(args, "0:V:0") { // the filter graph's own output is mapped
		return args
	}
	filter, pixels := f.opaque(), "yuv420p"
	if format.alpha && f.pictures.Alpha {
		filter, pixels = "", "yuva420p"
	}
	if i := slices.Index(args, "-vf"); i >= 0 && i+1 < len(args) {
		filter += args[i+1] + ","
		args = slices.Delete(args, i, i+2)
	}
	if filter += format.filter; f.pictures.Rate > mostPictures {
		filter += fmt.Sprintf("fps=%d,", mostPictures)
	}
	return append(args, "-vf", filter+everywhere+pixels)
}

// opaque returns the filter that puts transparent frames on black.
func (f film) opaque() string {
	if !f.pictures.Alpha {
		return ""
	}
	return "format=yuva444p,split[front][back];[back]drawbox=c=black:t=fill:replace=1[black];[black][front]overlay=format=yuv444,"
}

// below returns the options that keep a video of the given length below the size limit.
func (m machine) below(length time.Duration) []string {
	rate := (float64(m.config.Limits.Bytes)*8*0.9)/max(length.Seconds(), 1) - soundRate
	if rate >= freeRate {
		return nil
	}
	return bounded(rate)
}
