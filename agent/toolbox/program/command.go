package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/sandbox"
)

// Commands is the make of the kind command: it runs the command lines of tool files. It is safe for
// concurrent use.
//
// Inputs of ffmpeg are read as [ffmpeg.FFmpeg] reads them; other programs get pictures as PNG. A
// video is written as H.264 with AAC, unless the command line names a codec, and "sound" and
// "picture" in the format of the input.
type Commands struct{ b *Backend }

var _ toolbox.Backend = Commands{}

// Commands is the make of the kind command, with the same sandbox and limits.
func (b *Backend) Commands() Commands { return Commands{b} }

// Probe tells whether the program is there.
func (m Commands) Probe(_ context.Context, c toolbox.Candidate) error {
	_, err := m.b.config.Sandbox.Find(c.Argv.Program(), c.Debian)
	if err != nil {
		return fmt.Errorf("look for what %s has: %w", c.Debian, err)
	}
	return nil
}

// Run runs the command line.
func (m Commands) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	if err := m.Probe(ctx, c); err != nil { // a program that is gone is no fault of the input
		return toolbox.Output{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	do := func(ctx context.Context, call toolbox.Call) (toolbox.Output, error) {
		known := facts.New(ctx, call, m.b.config.FFmpeg, m.b.config.Limits)
		r := &commandRun{Backend: m.b, ctx: ctx, call: call, known: known, isFFmpeg: c.Argv.Program() == "ffmpeg"}
		args, err := c.Argv.Expand(known.Of, r)
		if err != nil {
			return toolbox.Output{}, err
		}
		if r.isFFmpeg {
			return r.ffmpeg(args[1:])
		}
		return r.program(args, c.Debian)
	}
	return tidied(do)(ctx, call)
}

// commandRun is one run of a command line.
type commandRun struct {
	*Backend

	ctx      context.Context //nolint:containedctx // it lives as long as the run
	call     toolbox.Call
	known    *facts.Facts
	isFFmpeg bool
	ending   string   // of what is written
	texts    []string // files with people's words
	inputs   []string // files that are read
}

// In is the file of a resource: for ffmpeg a mark in its place.
func (r *commandRun) In(arg string) (string, error) {
	path, err := fileIn(r.call, arg)
	if err != nil || r.isFFmpeg {
		return inMark + arg, err
	}
	switch r.call.Args[arg][0].Type {
	case plan.Document:
		if _, err := r.document(r.ctx, r.call, path); err != nil {
			return "", err
		}
	case plan.Video, plan.Audio:
		if _, err := r.known.Look(arg); err != nil {
			return "", err
		}
	default:
		p, err := media.ReadPicture(r.ctx, path, r.config.Limits)
		if err != nil {
			return "", err
		}
		name := "in-" + arg + ".png"
		return name, media.EncodeImage(r.ctx, filepath.Join(r.call.Dir, name), p.Image, media.PNG)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("find a file: %w", err)
	}
	r.inputs = append(r.inputs, path)
	return path, nil
}

// inMark and outMark stand for files in the arguments of ffmpeg until the job is put together.
const inMark, outMark = "\x00in:", "\x00out"

// Words is a file with the text of an argument.
func (r *commandRun) Words(arg string) (string, error) {
	path := filepath.Join(r.call.Dir, "words-"+arg+".txt")
	if !slices.Contains(r.texts, path) {
		r.texts = append(r.texts, path)
		if err := os.WriteFile(path, []byte(r.call.Text(arg)), 0o600); err != nil {
			return "", &plan.Fault{Sentence: plan.Say("The text could not be handed over."), Err: err}
		}
	}
	return filepath.Base(path), nil
}

// Out is the file that is written.
func (r *commandRun) Out(ending string) (string, error) {
	r.ending = ending
	if r.isFFmpeg {
		return outMark, nil
	}
	return "out." + strings.Replace(ending, "picture", "png", 1), nil
}

// ffmpeg runs ffmpeg. Codecs and streams that the command line does not name are the usual ones.
func (r *commandRun) ffmpeg(args []string) (toolbox.Output, error) {
	job := ffmpeg.Job{Files: r.texts}
	first := ""
	for i := slices.Index(args, "-i"); i >= 0; i = slices.Index(args, "-i") {
		arg, ok := strings.CutPrefix(args[min(i+1, len(args)-1)], inMark)
		if !ok {
			return toolbox.Output{}, errors.New("-i of ffmpeg is not followed by a resource")
		}
		in, err := r.input(arg, args[:i])
		if err != nil {
			return toolbox.Output{}, err
		}
		if first == "" {
			first = arg
		}
		job.Inputs, args = append(job.Inputs, in), args[i+2:]
	}
	if first == "" {
		return toolbox.Output{}, errors.New("ffmpeg is given no -i")
	}
	job.Args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == outMark })
	names := func(options ...string) bool {
		return slices.ContainsFunc(job.Args, func(a string) bool { return slices.Contains(options, a) })
	}
	switch r.ending {
	case "mp4":
		l, err := r.known.Look(first)
		if err == nil {
			err = packable(l.Duration)
		}
		if err != nil {
			return toolbox.Output{}, err
		}
		if !names("-map", "-filter_complex") {
			job.Args = append([]string{"-map", "0:V:0", "-map", "0:a:0?"}, job.Args...)
		}
		if !names("-c", "-c:v") {
			job.Args = append(playing(job.Args), append(append(h264(), aac()...), faststart()...)...)
		}
	case "sound":
		l, err := r.known.Look(first)
		if err != nil {
			return toolbox.Output{}, err
		}
		rec := recording{r.call.Args[first][0].Path, l}
		if l.Audio() == nil {
			return toolbox.Output{}, rec.fault(errors.New("no stream of sound has samples"), plan.Say("holds no sound."))
		}
		f, _ := r.same(rec, l.Duration)
		if !names("-map", "-filter_complex") {
			job.Args = append([]string{"-map", rec.sound(0)}, job.Args...)
		}
		job.Args = append(job.Args, f.args...)
		return r.made(job, "sound."+f.ending, soundTime)
	case "picture", "png":
		job.Args = append(job.Args, "-frames:v", "1", "-update", "1")
		out, err := r.made(job, "made.png", filmTime)
		if err != nil || r.ending == "png" {
			return out, err
		}
		return r.asPicture(out.Path, first)
	}
	return r.made(job, "made."+r.ending, filmTime)
}

// input is a resource as ffmpeg reads it.
func (r *commandRun) input(arg string, before []string) (ffmpeg.Input, error) {
	v := r.call.Args[arg][0]
	if v.Type == plan.Video {
		l, err := r.known.Look(arg)
		if err != nil {
			return ffmpeg.Input{}, err
		}
		f, err := filmOf(v.Path, l)
		return f.input(before...), err
	}
	typ := plan.Image
	if v.Type == plan.Audio {
		typ = plan.Audio
	}
	return ffmpeg.Input{Path: v.Path, Type: typ, Before: before}, nil
}

// everywhere are the filters that make pictures of any size fit for all players.
const everywhere = `scale=trunc(iw*min(1\,min(3840/max(iw\,ih)\,2160/min(iw\,ih)))/2)*2:trunc(ih*min(1\,min(3840/max(iw\,ih)\,2160/min(iw\,ih)))/2)*2` +
	",setsar=1,format=yuv420p"

// playing adds the filters that make pictures fit for all players.
func playing(args []string) []string {
	if slices.Contains(args, "-filter_complex") { // its own output is mapped
		return args
	}
	if i := slices.Index(args, "-vf"); i >= 0 && i+1 < len(args) {
		args[i+1] += "," + everywhere
		return args
	}
	return append(args, "-vf", everywhere)
}

func (r *commandRun) made(job ffmpeg.Job, name string, timeout time.Duration) (toolbox.Output, error) {
	job.Output, job.Timeout = filepath.Join(r.call.Dir, name), timeout
	if err := r.config.FFmpeg.Do(r.ctx, job); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: job.Output}, nil
}

// asPicture writes a PNG in the format of the picture that it was made of.
func (r *commandRun) asPicture(png, arg string) (toolbox.Output, error) {
	v := r.call.Args[arg][0]
	info, err := media.InspectContext(r.ctx, v.Path, r.config.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	made, err := media.ReadPicture(r.ctx, png, r.config.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	out := toolbox.Output{}
	if info.Frames > 1 {
		out.Note = plan.Say("Only the first frame of the animation was used.")
	}
	format := media.FormatFor(info.Ext)
	if !made.Image.Opaque() {
		format = media.PNG
	}
	out.Path = filepath.Join(r.call.Dir, "picture."+string(format))
	return out, media.EncodeImage(r.ctx, out.Path, made.Image, format)
}

// mostText is the largest text that a program may write, in bytes.
const mostText = 1 << 20

// program runs another program.
func (r *commandRun) program(args []string, debian string) (toolbox.Output, error) {
	path, err := r.config.Sandbox.Find(args[0], debian)
	if err != nil {
		return toolbox.Output{}, err
	}
	dir, err := filepath.Abs(r.call.Dir)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("find the folder of a call: %w", err)
	}
	c := sandbox.Command{Program: path, Args: args[1:], Dir: dir, Read: r.inputs, File: r.config.Limits.Bytes}
	if r.ending == "txt" {
		c.File = mostText
	}
	if _, err := r.config.Sandbox.Run(r.ctx, c); err != nil {
		return toolbox.Output{}, err
	}
	made := filepath.Join(dir, "out."+strings.Replace(r.ending, "picture", "png", 1))
	if err := sandbox.Left(made); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The program %s wrote nothing.", args[0]), Err: err}
	}
	if r.ending == "txt" {
		text, err := os.ReadFile(made)
		return toolbox.Output{Value: strings.ToValidUTF8(strings.TrimSpace(string(text)), "?")}, err
	}
	return toolbox.Output{Path: made}, nil
}
