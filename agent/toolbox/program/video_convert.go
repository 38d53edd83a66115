package program

import (
	"context"
	"fmt"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// filmFormat is a kind of file that a video is written as.
type filmFormat struct {
	// name is what people call it.
	name string
	// ending is that of its files, without a dot.
	ending string
	// filter is put before what all pictures go through.
	filter string
	// args are the codecs'.
	args []string
	// alpha tells that transparent pictures stay transparent.
	alpha bool
}

// filmFormats are the formats by the names that the catalogue gives them.
func filmFormats() map[string]filmFormat {
	usual := append(append(h264(), aac()...), faststart()...)
	mp4 := filmFormat{name: "MP4", ending: "mp4", args: usual}
	mpeg2 := []string{"-c:v", "mpeg2video", "-q:v", "4", "-c:a", "mp2", "-b:a", "192k", "-ar", "48000", "-ac", "2"}
	mpeg := filmFormat{name: "MPEG", ending: "mpg", filter: "fps=25,", args: mpeg2}
	ogv := filmFormat{name: "OGV", ending: "ogv", args: []string{"-c:v", "libtheora", "-q:v", "7", "-c:a", "libvorbis", "-q:a", "4", "-ac", "2"}}
	return map[string]filmFormat{
		"mp4":  mp4,
		"m4v":  {name: "M4V", ending: "m4v", args: usual},
		"mov":  {name: "MOV", ending: "mov", args: usual},
		"mkv":  {name: "MKV", ending: "mkv", args: usual[:len(usual)-2]},
		"webm": webm(),
		"avi": {name: "AVI", ending: "avi", filter: "fps=25,", args: []string{
			"-c:v", "mpeg4", "-vtag", "xvid", "-q:v", "4", "-c:a", "libmp3lame", "-b:a", "160k", "-ar", "48000", "-ac", "2",
		}},
		"mpg": mpeg, "ogv": ogv,
		"flv": {name: "FLV", ending: "flv", args: append(h264(), "-c:a", "aac", "-b:a", "160k", "-ar", "44100", "-ac", "2")},
		"3gp": {name: "3GP", ending: "3gp", args: append(h264(), aac()...)},
	}
}

func webm() filmFormat {
	return filmFormat{name: "WebM", ending: "webm", alpha: true, args: []string{
		"-c:v", "libvpx-vp9", "-crf", "31", "-b:v", "0", "-deadline", "good", "-cpu-used", "5", "-row-mt", "1", "-fps_mode", "vfr",
		"-c:a", "libopus", "-b:a", "128k", "-ac", "2",
	}}
}

// convertVideo writes a video as another kind of file. Pictures that an MP4 or MOV takes
// as they are stay as they are.
func (b *Backend) convertVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	name, err := toolbox.Need[string](c, "format")
	if err != nil {
		return toolbox.Output{}, err
	}
	format, ok := filmFormats()[name]
	if !ok {
		return toolbox.Output{}, fmt.Errorf("no video is written as %q", name)
	}
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	args := []string{"-map", "0:V:0", "-map", "0:a:0?"}
	switch apple := format.ending == "mp4" || format.ending == "mov" || format.ending == "m4v"; {
	case apple && f.plays():
		args = append(append(args, "-c:v", "copy"), append(aac(), faststart()...)...)
	default:
		if err := packable(f.look.Duration); err != nil {
			return toolbox.Output{}, err
		}
		args = append(append(args, "-vf", format.filter+f.in(format)), format.args...)
		args = append(args, b.below(f.look.Duration)...)
	}
	path, err := b.packed(ctx, c, ffmpeg.Job{Inputs: []ffmpeg.Input{f.input()}, Args: args}, "video."+format.ending)
	return toolbox.Output{Path: path, About: plan.Say("as %s", format.name)}, err
}

// in are the filters for a format.
func (f film) in(format filmFormat) string {
	if !format.alpha || !f.pictures.Alpha {
		return f.shown()
	}
	w, h := canvas(f.pictures.Width, f.pictures.Height)
	return f.paced() + fmt.Sprintf("scale=%d:%d,setsar=1,format=yuva420p", w, h)
}
