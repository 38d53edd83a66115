// Package command runs the command lines of tool files (kind: command).
//
// ffmpeg gets the inputs as they are; other programs get pictures as PNG. Video and sound get the default codecs of
// their format unless the command line names one. The endings "sound" and "picture" stand for the format of the input.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/letter"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/template"
)

// run is one run of a recipe.
type run struct {
	machine.Machine

	ctx     context.Context //nolint:containedctx // it lives as long as the run
	call    toolbox.Call
	known   *facts.Facts
	facts   template.Facts
	length  *template.Formula
	wrap    float64  // the width of people's texts in small letters; 0 leaves them as they are
	texts   []string // files that filters read: people's texts, and the first command line's output
	made    string   // the file that the first command line wrote
	written float64  // the length of the resulting text, in bytes
	bytes   float64  // the size of the resulting file; 0 before it is written
	result  string   // the resulting file; "" before it is written
}

// Run runs a recipe. Its programs must be installed.
func Run(ctx context.Context, m machine.Machine, recipe *template.Recipe, call toolbox.Call) (toolbox.Output, error) {
	return newRun(ctx, m, call).recipe(recipe)
}

func newRun(ctx context.Context, m machine.Machine, call toolbox.Call) *run {
	r := &run{Machine: m, ctx: ctx, call: call, written: math.MaxInt32}
	r.known = facts.New(ctx, call, Measurer{Machine: m, Call: call}, m.Limits)
	r.facts = r.fact
	return r
}

// recipe runs a recipe.
func (r *run) recipe(recipe *template.Recipe) (toolbox.Output, error) {
	r.facts, r.length, r.wrap = recipe.Of(r.fact), recipe.Length, recipe.Wrap
	if err := r.refused(recipe.Refuse); err != nil {
		return toolbox.Output{}, err
	}
	var first toolbox.Output
	if recipe.First != nil {
		var err error
		if first, _, err = r.line(recipe.First, "first"); err != nil {
			return toolbox.Output{}, err
		}
		if r.made, err = filepath.Abs(first.Path); err != nil {
			return toolbox.Output{}, fmt.Errorf("find a file: %w", err)
		}
	}
	out, ending, err := r.lines(recipe)
	if err != nil {
		return toolbox.Output{}, err
	}
	if template.IsText(ending) {
		r.written = float64(len(out.Value))
	} else {
		r.bytes, r.result = float64(machine.SizeOf(out.Path)), out.Path
	}
	if err := r.refused(recipe.Refuse); err != nil {
		return toolbox.Output{}, err
	}
	if template.IsText(ending) {
		out = machine.Described(out)
	}
	notes, err := recipe.Notes.Say(r.facts)
	out.Note = plan.Sentences(append(notes, first.Note, out.Note)...)
	for i := range 1 + len(out.More) {
		r.known.Item = i + 1
		about, failed := recipe.About.Say(r.facts)
		switch err = errors.Join(err, failed); {
		case len(about) == 0:
		case i == 0:
			out.About = about[0]
		default:
			out.More[i-1].About = about[0]
		}
	}
	return out, err
}

// lines runs the command line as many times as the recipe says. It also returns the output's
// extension.
func (r *run) lines(recipe *template.Recipe) (toolbox.Output, string, error) {
	if recipe.Times == nil {
		return r.line(recipe.Argv, "out")
	}
	times, err := recipe.Times.Number(r.facts)
	if err != nil {
		return toolbox.Output{}, "", err
	}
	if times <= 1 {
		return r.line(recipe.Argv, "out")
	}
	if times > machine.MostFiles {
		return toolbox.Output{}, "", plan.Refusal("Too many files (%d): at most %d can be made at once.", int(times), machine.MostFiles)
	}
	all, ending := make([]toolbox.Output, int(times)), ""
	for i := range all {
		r.known.Item = i + 1
		if err := r.refused(recipe.Refuse); err != nil {
			return toolbox.Output{}, "", err
		}
		if all[i], ending, err = r.line(recipe.Argv, "out"); err != nil {
			return toolbox.Output{}, "", err
		}
		path := filepath.Join(r.call.Dir, strconv.Itoa(i+1)+"-"+filepath.Base(all[i].Path))
		if err := os.Rename(all[i].Path, path); err != nil {
			return toolbox.Output{}, "", fmt.Errorf("name a file: %w", err)
		}
		all[i].Path = path
	}
	all[0].More = all[1:]
	return all[0], ending, nil
}

// refused returns the first of the recipe's refusals that applies, as an error.
func (r *run) refused(when *template.Remarks) error {
	said, err := when.Say(r.facts)
	if err == nil && len(said) > 0 {
		err = &plan.Fault{Sentence: said[0], Final: true}
	}
	return err
}

// fact returns a value known about the call or the run.
func (r *run) fact(name string) (template.Value, error) {
	switch {
	case name == "made" && r.made != "":
		return template.Made, nil
	case name == "made.width" && r.made == "":
		return template.Num(0), nil
	case name == "made.width":
		info, err := media.Describe(r.ctx, r.made, r.Limits)
		return template.Num(float64(info.Width)), err
	case name == "written":
		return template.Num(r.written), nil
	case name == "bytes":
		return template.Num(r.bytes), nil
	case name == "seconds", name == "hertz":
		return r.played(name)
	case name == "item":
		return template.Num(float64(r.known.Item)), nil
	}
	v, err := r.known.Of(name)
	if v.Kind == template.Words {
		v.Text = r.wrapped(v.Text)
	}
	return v, err
}

// wrapped wraps a person's text as the recipe says.
func (r *run) wrapped(text string) string {
	if r.wrap == 0 {
		return text
	}
	return letter.Wrap(text, r.wrap)
}

// played returns the duration or the sample rate of the resulting file, 0 before it is written.
func (r *run) played(fact string) (template.Value, error) {
	if r.result == "" {
		return template.Num(0), nil
	}
	look, err := Measurer{Machine: r.Machine, Call: r.call}.Look(r.ctx, r.result)
	if err != nil {
		return template.Value{}, fmt.Errorf("measure the result: %w", err)
	}
	sound := cmp.Or(look.Audio(), new(ffmpeg.Stream))
	return template.Num(map[string]float64{"seconds": look.Duration.Seconds(), "hertz": float64(sound.Frequency)}[fact]), nil
}

// line runs one command line. It also returns the output's extension.
func (r *run) line(argv *template.Argv, base string) (toolbox.Output, string, error) {
	l := &line{run: r, program: argv.Program(), base: base}
	args, err := argv.Expand(r.facts, l)
	if errors.Is(err, template.ErrNoValue) {
		err = &plan.Fault{Sentence: plan.Say("The file to work on is missing."), Err: err}
	}
	if err != nil {
		return toolbox.Output{}, "", err
	}
	run := l.other
	if l.program == "ffmpeg" {
		run = l.ffmpeg
	}
	out, err := run(args)
	if errors.Is(err, sandbox.ErrNotWritten) {
		err = &plan.Fault{
			Sentence: plan.Say("The program %s wrote nothing.", l.program),
			Err:      fmt.Errorf("{out:%s} in argv was not written by %s: %w", l.ending, l.program, err),
		}
	}
	return out, l.ending, err
}
