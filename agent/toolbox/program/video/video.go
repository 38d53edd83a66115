// Package video encodes videos that play everywhere, and does what takes more than one command line: subtitles, scenes,
// black bars, a limit of size, parts, and facts about a file.
package video

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/machine"
)

// Videos edits videos.
type Videos struct{ machine.Machine }

// Operations are those on videos.
func (v Videos) Operations() map[string]machine.Operation {
	return map[string]machine.Operation{
		"add_subtitles":            {Needs: machine.FFmpegNeeds(), Do: v.addSubtitles},
		"audio_facts":              {Needs: machine.FFmpegNeeds(), Do: v.factsOf("audio")},
		"boomerang_video":          {Needs: machine.FFmpegNeeds(), Do: v.boomerang},
		"crop_black_bars":          {Needs: machine.FFmpegNeeds(), Do: v.cropBars},
		"find_scenes":              {Needs: machine.FFmpegNeeds(), Do: v.findScenes},
		"fit_video_size":           {Needs: machine.FFmpegNeeds(), Do: v.fitVideoSize},
		"normalize_loudness_video": {Needs: machine.FFmpegNeeds(), Do: v.normalizeLoudness},
		"reverse_video":            {Needs: machine.FFmpegNeeds(), Do: v.reverse},
		"split_video":              {Needs: machine.FFmpegNeeds(), Do: v.splitVideo},
		"video_facts":              {Needs: machine.FFmpegNeeds(), Do: v.factsOf("video")},
	}
}

// Encode writes a video of the given length, under a name without extension. What the job's arguments do not say, the
// format does. f is the first input, or the zero film if that is no video.
func (v Videos) Encode(ctx context.Context, job ffmpeg.Job, f Film, length time.Duration, to format.Video, dir, name string) (toolbox.Output, error) {
	job.Timeout = Timeout
	if !format.Has(job.Args, "-map", "-filter_complex") {
		job.Args = append([]string{"-map", "0:V:0", "-map", "0:a:0?"}, job.Args...)
	}
	tracks, lost := f.tracks(job, to)
	job.Args = append(job.Args, tracks...)
	if packing := to.Pictures.Lacking(job.Args, format.PictureStream); packing != nil {
		if err := packable(length); err != nil {
			return toolbox.Output{}, err
		}
		job.Args = slices.Concat(f.playing(job.Args, to), packing, format.PictureStream.Unsaid(v.below(length), job.Args))
	}
	if a := f.look.Audio(); a != nil && a.Channels == 1 && len(job.Inputs) == 1 && !format.Has(job.Args, "-filter_complex") {
		job.Args = append(job.Args, format.SoundStream.Unsaid([]string{"-ac", "1"}, job.Args)...) // on two it would be 3 dB quieter
	}
	job.Args = append(job.Args, to.Sound.Lacking(job.Args, format.SoundStream)...)
	job.Args = append(job.Args, format.SoundStream.Unsaid(to.More, job.Args)...)
	out, err := v.Write(ctx, job, dir, name+"."+to.Ending)
	out.Note = lost
	return out, err
}

const (
	// Longest is the maximum length of a video to encode.
	Longest = 30 * time.Minute
	// Timeout is the timeout of encoding it.
	Timeout = 20 * time.Minute
	// mostPictures is the maximum frame rate.
	mostPictures = 60
	// freeRate is a video bit rate above which there is no visible gain, in bits per second.
	freeRate = 40_000_000
)

// Film is a probed video file.
type Film struct {
	path     string
	look     ffmpeg.Look
	pictures ffmpeg.Stream
}

// NewFilm makes a film of a probed file. It rejects files without video or without a duration.
func NewFilm(path string, look ffmpeg.Look) (Film, error) {
	f := Film{path: path, look: look}
	fault := func(err string, is plan.Message) error {
		return &plan.Fault{Sentence: plan.Say("%q %s", filepath.Base(path), is), Err: errors.New(err)}
	}
	v := look.Video()
	if v == nil {
		return Film{}, fault("no video stream", plan.Say("has no video."))
	}
	if look.Duration <= 0 {
		return Film{}, fault("no duration", plan.Say("does not contain its duration; please send it again as an ordinary MP4."))
	}
	f.pictures = *v
	return f, nil
}

// filmed probes the file of the argument "video".
func (v Videos) filmed(ctx context.Context, c toolbox.Call) (Film, error) {
	path, err := machine.FileIn(c, "video")
	if err != nil {
		return Film{}, err
	}
	look, err := v.FFmpeg.Look(ctx, path)
	if err != nil {
		return Film{}, err
	}
	return NewFilm(path, look)
}

// Input is the film as an input of ffmpeg, with options before it. Only libvpx's decoders support
// transparency in VP8 and VP9.
func (f Film) Input(before ...string) ffmpeg.Input {
	if decoder := map[string]string{"vp8": "libvpx", "vp9": "libvpx-vp9"}[f.pictures.Codec]; f.pictures.Alpha && decoder != "" {
		before = append(before, "-c:v", decoder)
	}
	return ffmpeg.Input{Path: f.path, Type: plan.Video, Before: before}
}

// packable rejects videos that would take too long to encode.
func packable(length time.Duration) error {
	if length > Longest {
		return &plan.Fault{
			Sentence: plan.Say("That is %s of video, and the limit is %s; trim it to a shorter part first.",
				plan.Span(length), plan.Span(Longest)),
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

// everywhere holds the filters that make the size one that plays everywhere.
const everywhere = `scale=trunc(max(2\,iw*min(1\,min(3840/max(iw\,ih)\,2160/min(iw\,ih))))/2+.01)*2` +
	`:trunc(max(2\,ih*min(1\,min(3840/max(iw\,ih)\,2160/min(iw\,ih))))/2+.01)*2,setsar=1,format=`

// unknownRate is used if a file does not state its frame rate, as animations and recordings of browsers do not.
const unknownRate = 25

// playing adds the filters that make frames suit a format: transparency is replaced by black, and
// the frame rate limited unless the arguments choose one.
func (f Film) playing(args []string, to format.Video) []string {
	if slices.Contains(args, "-filter_complex") && !slices.Contains(args, "0:V:0") { // the filter graph's own output is mapped
		return args
	}
	filter, pixels := f.opaque(), "yuv420p"
	if to.Alpha && f.pictures.Alpha {
		filter, pixels = "", "yuva420p"
	}
	if i := slices.Index(args, "-vf"); i >= 0 && i+1 < len(args) {
		filter += args[i+1] + ","
		args = slices.Delete(args, i, i+2)
	}
	rate := min(f.pictures.Rate, mostPictures)
	switch {
	case to.Rate != nil:
		filter += fmt.Sprintf("fps=%v,", to.Rate(cmp.Or(rate, unknownRate)))
	case f.pictures.Rate > mostPictures && !strings.Contains(filter, "fps="):
		filter += fmt.Sprintf("fps=%d,", mostPictures)
	}
	return append(args, "-vf", filter+everywhere+pixels)
}

// opaque returns the filter that puts transparent frames on black.
func (f Film) opaque() string {
	if !f.pictures.Alpha {
		return ""
	}
	return "format=yuva444p,split[front][back];[back]drawbox=c=black:t=fill:replace=1[black];[black][front]overlay=format=yuv444,"
}

// below returns the options that keep a video of the given length below the size limit.
func (v Videos) below(length time.Duration) []string {
	rate := (float64(v.Limits.Bytes)*8*0.9)/max(length.Seconds(), 1) - format.SoundRate
	if rate >= freeRate {
		return nil
	}
	return format.Bounded(rate)
}
