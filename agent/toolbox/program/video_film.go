package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// videos edits videos.
type videos struct{ machine }

func (v videos) operations() map[string]operation {
	return map[string]operation{
		"add_subtitles":            {ffmpegs(), v.addSubtitles},
		"audio_facts":              {ffmpegs(), v.factsOf("audio")},
		"crop_black_bars":          {ffmpegs(), v.cropBars},
		"find_scenes":              {ffmpegs(), v.findScenes},
		"fit_video_size":           {ffmpegs(), v.fitVideoSize},
		"normalize_loudness_video": {ffmpegs(), v.normalizeLoudness},
		"shift_subtitles":          {ffmpegs(), shiftSubtitles},
		"split_video":              {ffmpegs(), v.splitVideo},
		"video_facts":              {ffmpegs(), v.factsOf("video")},
	}
}

const (
	// longestFilm is the maximum length of a video to encode.
	longestFilm = 30 * time.Minute
	// filmTime is the timeout of encoding it.
	filmTime = 20 * time.Minute
	// mostPictures is the maximum frame rate.
	mostPictures = 60
	// freeRate is a video bit rate above which there is no visible gain, in bits per second.
	freeRate = 40_000_000
)

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

// filmed probes the file of the argument "video".
func (v videos) filmed(ctx context.Context, c toolbox.Call) (film, error) {
	path, err := fileIn(c, "video")
	if err != nil {
		return film{}, err
	}
	look, err := v.FFmpeg.Look(ctx, path)
	if err != nil {
		return film{}, err
	}
	return filmOf(path, look)
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

// encode writes a video of the given length, under a name without extension. What the job's arguments do not say, the
// format does. f is the first input, or the zero film if that is no video.
func (v videos) encode(ctx context.Context, job ffmpeg.Job, f film, length time.Duration, format filmFormat, dir, name string) (toolbox.Output, error) {
	job.Timeout = filmTime
	if !has(job.Args, "-map", "-filter_complex") {
		job.Args = append([]string{"-map", "0:V:0", "-map", "0:a:0?"}, job.Args...)
	}
	tracks, lost := f.tracks(job, format)
	job.Args = append(job.Args, tracks...)
	if packing := format.pictures.lacking(job.Args, pictureStream); packing != nil {
		if err := packable(length); err != nil {
			return toolbox.Output{}, err
		}
		job.Args = slices.Concat(f.playing(job.Args, format), packing, unsaid(v.below(length), pictureStream.said(job.Args)))
	}
	job.Args = append(job.Args, format.sound.lacking(job.Args, soundStream)...)
	job.Args = append(job.Args, unsaid(format.more, soundStream.said(job.Args))...)
	out, err := v.write(ctx, job, dir, name+"."+format.ending)
	out.Note = lost
	return out, err
}

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
	rate := (float64(m.Limits.Bytes)*8*0.9)/max(length.Seconds(), 1) - soundRate
	if rate >= freeRate {
		return nil
	}
	return bounded(rate)
}
