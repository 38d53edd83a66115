package ffmpeg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
)

// Input is an input file.
type Input struct {
	Path string
	// Type is the required type: image, video or audio; "" accepts all. A video with sound is also accepted as audio.
	Type plan.Type
	// Before holds ffmpeg options before the input, such as "-ss", "1.5" or "-loop", "1". They must
	// not contain user text.
	Before []string
	// Animated passes all frames of a GIF. Otherwise only the first is used.
	Animated bool
	// Pixels is the maximum number of pixels of a picture, which is scaled down to it; 0 means no limit.
	Pixels int
}

// Job is one run of ffmpeg.
type Job struct {
	Inputs []Input
	// Args are all arguments after the inputs except the output: filters, maps and codecs. They must
	// not contain user text. Metadata and chapters are dropped unless they are mapped here.
	Args []string
	// Output is the file to write, which must not exist; its extension selects the format. It is in
	// the call's folder, and so are Files.
	Output string
	// Files are further files that filters read, written by us: subtitles, texts. Filters use their
	// base names, relative to the working directory.
	Files []string
	// ByFilter means that a filter writes the output, as [ByFilter] plus its extension in Args. Such a
	// file is only for the program, and its contents are not checked. ffmpeg's own output is
	// discarded.
	ByFilter bool
	// Most is the maximum size of the output, in bytes; 0 means [Config].Limits. A larger limit is for
	// intermediate files, which the caller reads itself.
	Most int64
	// Timeout limits the job; 0 means the sandbox's default.
	Timeout time.Duration
}

// ByFilter is the base name of an output written by a filter.
const ByFilter = "out"

// Do runs a job. Inputs are checked first (see Look), and so is the output. Pictures are passed
// upright, in 8-bit sRGB with alpha; of an animation, the first frame. The frames of a video that are
// filtered have square pixels and no high dynamic range. After an error no output is left.
func (f *FFmpeg) Do(ctx context.Context, j Job) error {
	if _, err := os.Lstat(j.Output); !errors.Is(err, fs.ErrNotExist) {
		return unwritten(j.Output, errors.Join(err, fs.ErrExist))
	}
	return f.inFolder(ctx, j, func(b *workFolder) error {
		made := filepath.Join(b.dir, ByFilter+filepath.Ext(j.Output))
		if err := b.work(ctx, j, made); err != nil {
			return err
		}
		return b.handOver(ctx, j, made, j.Output)
	})
}

// Pictures runs a job that writes a limited number of pictures and returns their paths in order. The job's
// output is their path, with %d for the number.
func (f *FFmpeg) Pictures(ctx context.Context, j Job, most int) (all []string, err error) {
	return all, f.inFolder(ctx, j, func(b *workFolder) error {
		pattern := filepath.Join(b.dir, "out-%d"+filepath.Ext(j.Output))
		j.Args = append([]string{"-frames:v", strconv.Itoa(most)}, j.Args...)
		if err := b.work(ctx, j, pattern); err != nil {
			return err
		}
		for i := 1; i <= most; i++ {
			made, output := fmt.Sprintf(pattern, i), fmt.Sprintf(j.Output, i)
			if _, err := os.Lstat(made); i > 1 && errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err := b.handOver(ctx, j, made, output); err != nil {
				return err
			}
			all = append(all, output)
		}
		return nil
	})
}

// inFolder runs a job in a folder of its own that contains its inputs.
func (f *FFmpeg) inFolder(ctx context.Context, j Job, do func(*workFolder) error) (err error) {
	found, err := f.programs()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(j.Output), "ffmpeg-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return unwritten(j.Output, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &workFolder{f: f, programs: found, dir: dir, most: cmp.Or(j.Most, f.limits.Bytes)}
	if err := b.lay(ctx, j); err != nil {
		return err
	}
	return do(b)
}

func unwritten(path string, err error) error { return fault(path, err, "could not be written.") }

// workFolder is the folder of a job: the program sees the inputs there under our names, and writes there.
type workFolder struct {
	f        *FFmpeg
	programs programs
	dir      string
	most     int64    // maximum size of the output
	args     []string // arguments for the inputs
	looks    []Look   // of the inputs; zero for pictures
	read     []string // real paths of the inputs
	pixels   int64    // pixels of one picture of each input
}

// bytesOfPixel is the memory of ffmpeg per pixel of a picture: about thirty pictures when encoding a
// video (measured: 70 bytes at 3840 × 2160), and more in other formats.
const bytesOfPixel = 128

// lay links or writes the inputs and files into the folder.
func (b *workFolder) lay(ctx context.Context, j Job) error {
	for i, in := range j.Inputs {
		name := filepath.Join(b.dir, fmt.Sprintf("in-%d", i+1))
		demuxer, look, err := b.input(ctx, in, name)
		if err != nil {
			return err
		}
		b.looks = append(b.looks, look)
		b.args = append(b.args, in.Before...)
		b.args = append(b.args, reading(demuxer, name)...)
	}
	for _, file := range j.Files {
		if err := b.link(file, filepath.Join(b.dir, filepath.Base(file))); err != nil {
			return fault(file, err, "cannot be opened.")
		}
	}
	return nil
}

// input adds an input to the folder and returns its demuxer, and what is in it.
func (b *workFolder) input(ctx context.Context, in Input, name string) (demuxer string, look Look, err error) {
	if _, err := place(in.Path); err != nil {
		return "", Look{}, err
	}
	info, err := media.Describe(ctx, in.Path, b.f.limits)
	if err != nil {
		return "", Look{}, err
	}
	if in.Animated && info.MIME == "image/gif" {
		b.pixels += int64(info.Width) * int64(info.Height)
		return "gif", Look{}, b.link(in.Path, name)
	}
	if info.Type == plan.Image && (in.Type == "" || in.Type == plan.Image) {
		return "png_pipe", Look{}, b.picture(ctx, in, name)
	}
	s, err := b.f.open(ctx, b.programs, in.Path, false)
	if err == nil {
		err = s.is(in.Type)
	}
	if err != nil {
		return "", Look{}, err
	}
	if v := s.look.Video(); v != nil {
		b.pixels += int64(v.Width) * int64(v.Height)
	}
	if err := b.link(s.path, name); err != nil {
		return "", Look{}, fault(in.Path, err, "cannot be opened.")
	}
	return s.demuxer, s.look, nil
}

// picture writes a picture into the folder as a PNG.
func (b *workFolder) picture(ctx context.Context, in Input, name string) error {
	giveBack, err := b.f.limits.Memory.Take(ctx, media.Weigh(in.Path, b.f.limits).Bytes(8))
	if err != nil {
		return err
	}
	defer giveBack()
	p, err := media.ReadPicture(ctx, in.Path, b.f.limits)
	if err != nil {
		return err
	}
	size := p.Image.Rect.Size()
	if most := cmp.Or(in.Pixels, math.MaxInt); size.X*size.Y > most {
		size = media.SizeIn(float64(size.X)/float64(size.Y), most, 1)
		if p.Image, err = media.Scaled(ctx, p.Image, size.X, size.Y); err != nil {
			return err
		}
	}
	b.pixels += int64(size.X) * int64(size.Y)
	return media.EncodePlainPNG(ctx, name, p.Image)
}

// link makes a file visible to the program under another name, read-only.
func (b *workFolder) link(path, name string) error {
	at, err := place(path)
	if err != nil {
		return err
	}
	b.read = append(b.read, at)
	return os.Symlink(at, name)
}

// work runs the program.
func (b *workFolder) work(ctx context.Context, j Job, made string) error {
	args := append([]string{"-hide_banner", "-v", "error", "-nostdin", "-threads", "2", "-filter_complex_threads", "2"}, b.args...)
	args = append(args, b.addressed(j.Args)...)
	args = append(args, "-threads", "2", "-filter_threads", "2", "-map_metadata", "-1")
	if !slices.Contains(j.Args, "-map_chapters") {
		args = append(args, "-map_chapters", "-1")
	}
	args = append(args, "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")
	if j.ByFilter {
		args = append(args, "-f", "null", "-")
	} else {
		args = append(args, "file:"+made)
	}
	_, err := b.f.sandbox.Run(ctx, sandbox.Command{
		Program: b.programs.ffmpeg, Args: args, Dir: b.dir, Read: b.read, Env: environment(), File: b.most, Timeout: j.Timeout,
		Memory: sandbox.UsualMemory + bytesOfPixel*b.pixels,
	})
	if errors.Is(err, sandbox.ErrLarge) {
		return &plan.Fault{
			Sentence: plan.Say("The result would be larger than %s, which is the limit; ask for a shorter part, "+
				"or for a smaller format such as MP3 or MP4.", plan.FileSize(b.most)),
			Err: err,
		}
	}
	failed, gaveUp := errors.AsType[*sandbox.FailedError](err)
	switch {
	case !gaveUp || ctx.Err() != nil:
		return err
	case rejected.MatchString(failed.Said):
		return &plan.Fault{Sentence: plan.Say("This tool does not work here: ffmpeg rejects its options."), Err: err}
	case len(j.Inputs) == 1:
		return fault(j.Inputs[0].Path, err, "is damaged or in an unsupported format; please send it again in another format.")
	}
	return &plan.Fault{
		Sentence: plan.Say("One of the files is damaged or in an unsupported format; please send them again in another format."),
		Err:      err,
	}
}

// rejected matches ffmpeg's errors about its options, which do not depend on the files.
var rejected = lazyregexp.New(`No such filter|Unrecognized option|Option not found|Option '[^']*' not found|No option name near` +
	`|Unknown encoder|Error setting option|Error applying option|Error parsing|Undefined constant|Unable to parse|Expected number for` +
	`|Invalid (?:duration specification|framerate value)|does not exist in any defined filter graph|suitable output format`)

// handOver moves a valid output to its place.
func (b *workFolder) handOver(ctx context.Context, j Job, made, output string) error {
	if err := b.examine(ctx, j, made); err != nil {
		return err
	}
	if err := os.Rename(made, output); err != nil {
		return unwritten(output, err)
	}
	return nil
}

// examine checks that the output is a valid regular file, and whether audio or video plays. The pixels of a
// picture are left to its reader, and to the check of a tool's result.
func (b *workFolder) examine(ctx context.Context, j Job, made string) error {
	if err := sandbox.Left(made); err != nil {
		return unfit(err)
	}
	if j.ByFilter {
		return nil
	}
	f := *b.f
	f.limits.Bytes = b.most
	info, err := media.Describe(ctx, made, f.limits)
	if err == nil && (info.Type == plan.Video || info.Type == plan.Audio) {
		s := &source{f: &f, programs: b.programs, path: made, demuxer: demuxers[info.MIME], plays: true}
		var background sync.WaitGroup
		if slices.Contains(j.Args, "copy") { // copied streams may not play, such as those that begin without a key frame
			background.Go(func() { s.plays = s.begin(ctx, "-map", "0:V?", "-map", "0:a?") == nil })
		}
		s.look, err = f.lookAt(ctx, b.programs, made, true)
		background.Wait()
		if err == nil {
			f.looks.remember(f.looks.content(made), found{s.look, s.plays})
		}
	}
	if err != nil && ctx.Err() == nil {
		return unfit(err)
	}
	return err
}

func unfit(err error) error {
	return &plan.Fault{Sentence: plan.Say("ffmpeg's result is not valid; please try another file."), Err: err}
}

// is returns an error unless the source has the wanted type.
func (s *source) is(want plan.Type) error {
	switch {
	case want == plan.Video && s.look.Video() == nil:
		return fault(s.path, nil, "has no video.")
	case want == plan.Audio && s.look.Audio() == nil:
		return fault(s.path, nil, "has no sound.")
	case want == plan.Image:
		return fault(s.path, nil, "is of type %s, but a picture is needed.", s.look.MIME)
	}
	return nil
}
