package command

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/program/sound"
	"atelier/agent/toolbox/program/video"
	"atelier/agent/toolbox/template"
)

// ffmpeg runs ffmpeg, with default codecs and streams where the command line names none.
func (r *line) ffmpeg(args []string) (toolbox.Output, error) {
	args = args[1:] // without the program
	job := ffmpeg.Job{Files: r.texts, Timeout: video.Timeout}
	var given []string
	for i := slices.Index(args, "-i"); i >= 0; i = slices.Index(args, "-i") {
		arg, ok := strings.CutPrefix(args[min(i+1, len(args)-1)], inMark)
		if r.isText(arg) { // texts come after all resources
			break
		}
		if !ok {
			return toolbox.Output{}, errors.New("-i must be followed by a resource")
		}
		in, err := r.input(arg, args[:i])
		if err != nil {
			return toolbox.Output{}, err
		}
		job.Inputs, given, args = append(job.Inputs, in), append(given, arg), args[i+2:]
	}
	if len(given) == 0 {
		return toolbox.Output{}, errors.New("missing -i")
	}
	if "."+r.ending == motionEnding {
		return r.motion(job, args)
	}
	job.Args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == outMark })
	out, err := r.work(job, given)
	for i, arg := range given {
		if in := job.Inputs[i]; err == nil && in.Type == plan.Image && !in.Animated {
			var info media.Info
			info, err = media.Describe(r.ctx, r.known.Values(arg)[0].Path, r.Limits)
			out.Note = plan.Sentences(out.Note, info.LeftOut())
		}
	}
	return out, err
}

// work runs ffmpeg for the kind of output. It marks the inputs of which all frames are used.
func (r *line) work(job ffmpeg.Job, given []string) (toolbox.Output, error) {
	if to, ok := format.Videos()[r.ending]; ok {
		return r.film(job, given, to)
	}
	if to, ok := format.Sounds()[r.ending]; ok || r.ending == "sound" {
		return r.sound(job, given, to)
	}
	animated, err := r.animated(given[0])
	animated = animated && !r.many // several pictures are made of its first frame
	if err == nil && animated {
		err = r.whole(&job.Inputs[0])
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	switch {
	case r.ending == "gif", format.PictureStream.Said(job.Args)["c"]: // ffmpeg writes it itself
		return r.do(job, "made."+r.ending)
	case r.ending == "srt", r.ending == "vtt":
		return r.subtitles(job, given[0])
	case animated && !format.Has(job.Args, "-update"):
		return r.animation(job, given[0])
	case r.many && !format.Has(job.Args, "-update"):
		return r.pictures(job)
	}
	if !format.Has(job.Args, "-update") {
		job.Args = append(job.Args, "-frames:v", "1", "-update", "1")
	}
	if r.ending == "picture" {
		return r.picture(job, given[0])
	}
	if format, ok := media.FormatNamed(r.ending); ok && format != media.PNG {
		return r.encoded(job, format)
	}
	return r.do(job, "made.png")
}

// motion has a filter write the camera's motion to a file.
func (r *line) motion(job ffmpeg.Job, args []string) (toolbox.Output, error) {
	for _, a := range args {
		job.Args = append(job.Args, strings.ReplaceAll(a, outMark, ffmpeg.ByFilter+motionEnding))
	}
	job.ByFilter = true
	return r.do(job, r.base+motionEnding)
}

// isText reports whether a file holds a person's text.
func (r *line) isText(name string) bool {
	return slices.ContainsFunc(r.texts, func(path string) bool { return filepath.Base(path) == name })
}

// subtitles returns the video's subtitles as a text file named after the video.
func (r *line) subtitles(job ffmpeg.Job, arg string) (toolbox.Output, error) {
	made, err := r.do(job, "subtitles."+r.ending)
	if err != nil {
		return toolbox.Output{}, err
	}
	text, err := os.ReadFile(made.Path)
	if err = errors.Join(err, os.Remove(made.Path)); err != nil {
		return toolbox.Output{}, fmt.Errorf("read subtitles: %w", err)
	}
	video := filepath.Base(r.known.Values(arg)[0].Path)
	name := strings.TrimSuffix(video, filepath.Ext(video)) + "." + r.ending
	return toolbox.Output{Value: strings.ToValidUTF8(strings.TrimSpace(string(text)), "?"), File: name}, nil
}

// film writes a video.
func (r *run) film(job ffmpeg.Job, given []string, to format.Video) (toolbox.Output, error) {
	f := video.Film{}
	animated, err := r.animated(given[0])
	if err != nil {
		return toolbox.Output{}, err
	}
	if animated && len(job.Inputs[0].Before) == 0 { // "-framerate" is that of a still picture
		if err := r.whole(&job.Inputs[0]); err != nil {
			return toolbox.Output{}, err
		}
	}
	shrink(job.Inputs)
	if v := r.known.Values(given[0])[0]; v.Type == plan.Video {
		look, err := r.known.Look(v.Path)
		if err == nil {
			f, err = video.NewFilm(v.Path, look)
		}
		if err != nil {
			return toolbox.Output{}, err
		}
	}
	length := time.Duration(0)
	if to.Pictures.Lacking(job.Args, format.PictureStream) != nil { // otherwise the pictures are copied
		if length, err = r.lasts(given); err != nil {
			return toolbox.Output{}, err
		}
	}
	return video.Videos{Machine: r.Machine}.Encode(r.ctx, job, f, length, to, r.call.Dir, "video")
}

// stillPixels is the maximum number of pixels of all pictures in a video together: enough for 50 of 1280 × 720. ffmpeg
// decodes all pictures before it shows the first.
const stillPixels = 48 << 20

// shrink limits the pictures among the inputs of a video to the size of the largest video, and to their share of
// [stillPixels].
func shrink(inputs []ffmpeg.Input) {
	stills := 0
	for _, in := range inputs {
		if in.Type == plan.Image {
			stills++
		}
	}
	for i, in := range inputs {
		if in.Type == plan.Image {
			inputs[i].Pixels = min(ffmpeg.LongSide*ffmpeg.ShortSide, stillPixels/stills)
		}
	}
}

// lasts returns the length of the result.
func (r *run) lasts(given []string) (time.Duration, error) {
	if r.length != nil {
		n, err := r.length.Number(r.facts)
		return time.Duration(n * float64(time.Second)), err
	}
	arg, _, _ := strings.Cut(given[0], "#")
	v, err := r.facts(arg + ".duration")
	return time.Duration(v.Number * float64(time.Second)), err
}

// sound writes a sound. The zero format keeps the inputs' format, or uses MP3 if they differ, or if a bit rate is named
// and the format has none. If an uncompressed result would be too large, it becomes FLAC, unless the format was asked for.
func (r *line) sound(job ffmpeg.Job, given []string, to format.Sound) (toolbox.Output, error) {
	var note plan.Message
	job.Timeout = sound.Timeout
	asked, rate, channels := to.Ending != "", 0, 0
	for i, arg := range given {
		if arg == template.Made.Text || r.known.Values(arg)[0].Type == plan.Image {
			continue
		}
		rec, err := r.recordingIn(arg)
		if err != nil {
			return toolbox.Output{}, err
		}
		switch {
		case len(given) > 1:
			note = plan.Sentences(note, rec.Look.LeftOut())
		case !format.Has(job.Args, "-map_metadata"):
			note = rec.LeftOut()
		}
		rate, channels = max(rate, rec.Look.Audio().Frequency), max(channels, rec.Look.Audio().Channels)
		switch same := rec.Format(); {
		case asked:
		case i == 0:
			to = same
		case to.Name != same.Name:
			to = format.MP3
		}
		if i == 0 && !format.Has(job.Args, "-map", "-filter_complex") {
			job.Args = append([]string{"-map", "0:a:0"}, job.Args...)
		}
	}
	said := format.SoundStream.Said(job.Args)
	if !asked && said["b"] && to.Lossless() { // it has no bit rate
		to = format.MP3
	}
	if said["c"] {
		out, err := r.do(job, "sound."+to.Ending)
		out.Note = note
		return out, err
	}
	length, err := r.lasts(given)
	if err != nil {
		return toolbox.Output{}, err
	}
	fitting, larger := to.Fitting(r.Limits.Bytes, length, rate, channels)
	if asked && fitting.Name != to.Name {
		has, most := plan.Oversize(to.Size(length, rate, channels), r.Limits.Bytes)
		return toolbox.Output{}, plan.Refusal("As %s it would have %s, and the limit is %s; ask for MP3 or FLAC.", to.Name, has, most)
	}
	job.Args = append(job.Args, fitting.Coding.Lacking(job.Args, format.SoundStream)...)
	out, err := r.do(job, "sound."+fitting.Ending)
	out.Note = plan.Sentences(note, larger)
	return out, err
}

// recordingIn probes a sound argument.
func (r *run) recordingIn(arg string) (sound.Recording, error) {
	path := r.known.Values(arg)[0].Path
	look, err := r.known.Look(path)
	if err != nil {
		return sound.Recording{}, err
	}
	return sound.NewRecording(path, look)
}

// input returns a resource as an input of ffmpeg.
func (r *line) input(arg string, before []string) (ffmpeg.Input, error) {
	if arg == template.Made.Text {
		return ffmpeg.Input{Path: r.made, Before: before}, nil
	}
	v := r.known.Values(arg)[0]
	_, sound := format.Sounds()[r.ending]
	switch {
	case v.Type != plan.Video && v.Type != plan.Audio:
		return ffmpeg.Input{Path: v.Path, Type: plan.Image, Before: before}, nil
	case v.Type == plan.Audio, sound, r.ending == "sound":
		return ffmpeg.Input{Path: v.Path, Type: plan.Audio, Before: before}, nil
	}
	l, err := r.known.Look(v.Path)
	if err != nil {
		return ffmpeg.Input{}, err
	}
	f, err := video.NewFilm(v.Path, l)
	return f.Input(before...), err
}

func (r *run) do(job ffmpeg.Job, name string) (toolbox.Output, error) {
	return r.Write(r.ctx, job, r.call.Dir, name)
}

// pictures writes several pictures.
func (r *run) pictures(job ffmpeg.Job) (toolbox.Output, error) {
	job.Output = filepath.Join(r.call.Dir, "picture-%d.png")
	made, err := r.FFmpeg.Pictures(r.ctx, job, machine.MostFiles+1)
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case len(made) > machine.MostFiles:
		return toolbox.Output{}, plan.Refusal("That would be more than %d files, which is the limit.", machine.MostFiles)
	}
	all := make([]toolbox.Output, len(made))
	for i, path := range made {
		all[i].Path = path
	}
	all[0].More = all[1:]
	return all[0], nil
}

// animated reports whether the argument is an animated GIF or WebP. The output of an earlier program is not.
func (r *run) animated(arg string) (bool, error) {
	given := r.known.Values(arg)
	if len(given) == 0 || given[0].Type != plan.Image {
		return false, nil
	}
	v := given[0]
	info, err := media.Describe(r.ctx, v.Path, r.Limits)
	return info.Animated(), err
}

// whole makes ffmpeg read all frames of an animation. Since it only does so for GIF, other
// formats are converted.
func (r *run) whole(in *ffmpeg.Input) error {
	in.Animated = true
	if filepath.Ext(in.Path) == ".gif" {
		return nil
	}
	path := filepath.Join(r.call.Dir, "in.gif")
	err := media.EditAnimation(r.ctx, in.Path, path, r.Limits, func(frame *image.NRGBA) (*image.NRGBA, error) { return frame, nil })
	in.Path = path
	return err
}

// animation applies the job to each frame of an animation. The format is kept.
func (r *line) animation(job ffmpeg.Job, arg string) (toolbox.Output, error) {
	job.Args = append(job.Args, "-c:v", "ffv1", "-pix_fmt", "bgra", "-fps_mode", "passthrough", "-enc_time_base", "1/1000")
	all, err := r.do(job, "made.mkv")
	if err != nil {
		return toolbox.Output{}, err
	}
	out, err := r.reduced(all.Path)
	if err := errors.Join(err, os.Remove(all.Path)); err != nil {
		return toolbox.Output{}, err
	}
	info, err := media.Describe(r.ctx, r.known.Values(arg)[0].Path, r.Limits)
	if err != nil || info.MIME == "image/gif" {
		return out, err
	}
	gif := out.Path
	out.Path = filepath.Join(r.call.Dir, "picture"+info.Ext)
	same := func(frame *image.NRGBA) (*image.NRGBA, error) { return frame, nil }
	return out, errors.Join(media.EditAnimation(r.ctx, gif, out.Path, r.Limits, same), os.Remove(gif))
}

// reduced writes an animation as a GIF, with the 256 colours that suit it best. The colours are found in a run of their
// own: one run for both would keep all frames until then.
func (r *run) reduced(path string) (toolbox.Output, error) {
	in := ffmpeg.Input{Path: path, Type: plan.Video}
	palette, err := r.do(ffmpeg.Job{
		Timeout: video.Timeout, Inputs: []ffmpeg.Input{in},
		Args: []string{"-vf", "palettegen=reserve_transparent=1", "-frames:v", "1", "-update", "1"},
	}, "palette.png")
	if err != nil {
		return toolbox.Output{}, err
	}
	out, err := r.do(ffmpeg.Job{
		Timeout: video.Timeout, Inputs: []ffmpeg.Input{in, {Path: palette.Path, Type: plan.Image}},
		Args: []string{"-filter_complex", "[0:v:0][1:v:0]paletteuse", "-loop", "0", "-fps_mode", "passthrough", "-enc_time_base", "1/100"},
	}, "picture.gif")
	return out, errors.Join(err, os.Remove(palette.Path))
}

// picture writes a picture in the format of its input.
func (r *line) picture(job ffmpeg.Job, arg string) (toolbox.Output, error) {
	info, err := media.Describe(r.ctx, r.known.Values(arg)[0].Path, r.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	format := media.FormatFor(info.Ext)
	if format == media.PNG {
		return r.do(job, "picture.png")
	}
	return r.encoded(job, format)
}

// encoded writes a picture in a format for which we have a better encoder than ffmpeg's. A
// transparent picture becomes PNG unless the format was asked for.
func (r *line) encoded(job ffmpeg.Job, format media.Format) (toolbox.Output, error) {
	// The intermediate PNG is not compressed, so it may be larger than a result.
	limits := r.Limits
	limits.Bytes = max(limits.Bytes, plainPixel*limits.Pixels)
	job.Args, job.Most = append(job.Args, "-compression_level", "0"), limits.Bytes
	plain, err := r.do(job, "made.png")
	if err != nil {
		return toolbox.Output{}, err
	}
	return r.encodedFrom(plain.Path, format, limits)
}

// encodedFrom writes a PNG in another format, in its place.
func (r *line) encodedFrom(plain string, format media.Format, limits media.Limits) (toolbox.Output, error) {
	made, err := media.ReadPicture(r.ctx, plain, limits)
	if err := errors.Join(err, os.Remove(plain)); err != nil { // a further run writes it again
		return toolbox.Output{}, err
	}
	if !made.Image.Opaque() && r.ending == "picture" {
		format = media.PNG
	}
	out := toolbox.Output{Path: filepath.Join(r.call.Dir, "picture."+string(format))}
	return out, media.EncodeImage(r.ctx, out.Path, made.Image, format)
}

// plainPixel is an upper bound on the bytes per pixel of an uncompressed PNG.
const plainPixel = 9
