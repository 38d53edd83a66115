package command

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/magick"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/template"
)

// mostRuns is the maximum number of frames of an animation for each of which a program is run.
const mostRuns = 200

// other runs a program other than ffmpeg. Since it gets pictures of one frame, it is run for each frame of an
// animation if its result is a picture of any format or a GIF.
func (r *line) other(args []string) (toolbox.Output, error) {
	if len(r.plain) == 0 {
		return r.once(args)
	}
	arg := r.plain[0]
	from := r.known.Values(arg)[0].Path
	info, err := media.Describe(r.ctx, from, r.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	if info.Animated() && info.Frames <= mostRuns && !r.many && (r.ending == "picture" || r.ending == "gif") {
		return r.eachFrame(args, from, info.Ext)
	}
	out, err := r.once(args)
	if format := media.FormatFor(info.Ext); err == nil && r.ending == "picture" && format != media.PNG {
		out, err = r.encodedFrom(out.Path, format, r.Limits)
	}
	out.Note = plan.Sentences(out.Note, info.LeftOut())
	return out, err
}

// eachFrame runs the program for each frame of an animation, and keeps its format unless a GIF is wanted.
func (r *line) eachFrame(args []string, from, ext string) (toolbox.Output, error) {
	plain := filepath.Join(r.call.Dir, plainName(r.plain[0]))
	if r.ending == "gif" {
		ext = ".gif"
	}
	out := toolbox.Output{Path: filepath.Join(r.call.Dir, "animation"+ext)}
	return out, media.EditAnimation(r.ctx, from, out.Path, r.Limits, func(frame *image.NRGBA) (*image.NRGBA, error) {
		if err := errors.Join(os.Remove(plain), media.EncodePlainPNG(r.ctx, plain, frame)); err != nil { // the first frame is there already
			return nil, err
		}
		made, err := r.once(args)
		if err != nil {
			return nil, err
		}
		p, err := media.ReadPicture(r.ctx, made.Path, r.Limits)
		return p.Image, errors.Join(err, os.Remove(made.Path))
	})
}

// once runs the program.
func (r *line) once(args []string) (toolbox.Output, error) {
	c := sandbox.Command{
		Program: args[0], Args: args[1:], Dir: r.call.Dir, Read: r.inputs, File: r.Limits.Bytes,
		Memory: machine.OtherMemory, Timeout: machine.OtherTime,
	}
	if template.IsText(r.ending) {
		c.File, c.Most = machine.MostTold, machine.MostTold
	}
	if magick.IsCommand(c.Program) {
		env, err := magick.WritePolicy(c.Dir)
		if err != nil {
			return toolbox.Output{}, fmt.Errorf("write ImageMagick's policy: %w", err)
		}
		c.Env = []string{env}
	}
	said, err := r.Run(r.ctx, c)
	switch {
	case err != nil:
		return toolbox.Output{}, kept(err, c.Program)
	case r.printed:
		return r.said(said)
	case r.many:
		return r.several()
	}
	made := filepath.Join(c.Dir, r.outName())
	if err := sandbox.Left(made); err != nil {
		return toolbox.Output{}, err
	}
	if template.IsText(r.ending) {
		text, err := os.ReadFile(made)
		return toolbox.Output{Value: clean(text)}, err
	}
	return toolbox.Output{Path: made}, nil
}

// said returns what a program printed as its result, without the folders of the files, which are private.
func (r *line) said(printed []byte) (toolbox.Output, error) {
	text := clean(printed)
	for _, path := range append([]string{filepath.Join(r.call.Dir, "x")}, r.inputs...) {
		folder := filepath.Dir(path)
		text = strings.ReplaceAll(strings.ReplaceAll(text, folder+string(filepath.Separator), ""), folder, ".")
	}
	if text == "" {
		return toolbox.Output{}, sandbox.ErrNotWritten
	}
	return toolbox.Output{Value: text}, nil
}

// clean returns the text of a program.
func clean(text []byte) string { return strings.ToValidUTF8(strings.TrimSpace(string(text)), "?") }

// kept turns an error of ImageMagick's policy into a sentence that says what was forbidden.
func kept(err error, program string) error {
	failed, ok := errors.AsType[*sandbox.FailedError](err)
	if !ok || !magick.IsCommand(program) {
		return err
	}
	if why := magick.ExplainRefusal(failed.Said); !why.IsZero() {
		return &plan.Fault{Sentence: why, Err: err, Final: true}
	}
	return err
}

// several returns the numbered files that a program wrote, in order.
func (r *line) several() (toolbox.Output, error) {
	found, err := filepath.Glob(filepath.Join(r.call.Dir, "out-*."+r.ending))
	switch {
	case err != nil:
		return toolbox.Output{}, fmt.Errorf("find the files of a program: %w", err)
	case len(found) == 0:
		return toolbox.Output{}, sandbox.ErrNotWritten
	case len(found) > machine.MostFiles:
		return toolbox.Output{}, plan.Refusal("Too many files (%d): at most %d can be made at once.", len(found), machine.MostFiles)
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	all := make([]toolbox.Output, len(found))
	for i, path := range found {
		all[i].Path = filepath.Join(r.call.Dir, "page-"+strconv.Itoa(i+1)+"."+r.ending)
		if err := errors.Join(sandbox.Left(path), os.Rename(path, all[i].Path)); err != nil {
			return toolbox.Output{}, fmt.Errorf("take over a file of a program: %w", err)
		}
	}
	all[0].More = all[1:]
	return all[0], nil
}
