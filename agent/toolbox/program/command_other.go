package program

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/magick"
	"atelier/agent/toolbox/sandbox"
)

const (
	// mostText is the maximum length of a resulting text, in bytes.
	mostText = 512 << 10
	// mostFiles is the maximum number of files that a command may write.
	mostFiles = 100
)

// other runs a program other than ffmpeg.
func (r *commandLine) other(args []string) (toolbox.Output, error) {
	c := sandbox.Command{
		Program: args[0], Args: args[1:], Dir: r.call.Dir, Read: r.inputs, File: r.config.Limits.Bytes,
		Memory: otherMemory, Timeout: otherTime,
	}
	if textual(r.ending) {
		c.File = mostTold
	}
	if magick.Is(c.Program) {
		env, err := magick.Lay(c.Dir)
		if err != nil {
			return toolbox.Output{}, fmt.Errorf("lay out the policy of ImageMagick: %w", err)
		}
		c.Env = []string{env}
	}
	if _, err := r.run(r.ctx, c); err != nil {
		return toolbox.Output{}, kept(err, c.Program)
	}
	if r.many {
		return r.several(args[0])
	}
	made := filepath.Join(c.Dir, r.outName())
	if err := sandbox.Left(made); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The program %s wrote nothing.", args[0]), Err: err}
	}
	if textual(r.ending) {
		text, err := os.ReadFile(made)
		return toolbox.Output{Value: strings.ToValidUTF8(strings.TrimSpace(string(text)), "?")}, err
	}
	return toolbox.Output{Path: made}, nil
}

// kept turns an error of ImageMagick's policy into a sentence that says what was forbidden.
func kept(err error, program string) error {
	failed, ok := errors.AsType[*sandbox.FailedError](err)
	if !ok || !magick.Is(program) {
		return err
	}
	if why := magick.Refused(failed.Said); !why.IsZero() {
		return &plan.Fault{Sentence: why, Err: err, Final: true}
	}
	return err
}

// several returns the numbered files that a program wrote, in order.
func (r *commandLine) several(program string) (toolbox.Output, error) {
	found, err := filepath.Glob(filepath.Join(r.call.Dir, "out-*."+r.ending))
	switch {
	case err != nil || len(found) == 0:
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The program %s wrote nothing.", program), Err: err}
	case len(found) > mostFiles:
		return toolbox.Output{}, refusal("%d files are too many; at most %d can be made at once.", len(found), mostFiles)
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	all := make([]toolbox.Output, len(found))
	for i, path := range found {
		all[i].Path = filepath.Join(r.call.Dir, "page-"+strconv.Itoa(i+1)+"."+r.ending)
		if err := errors.Join(sandbox.Left(path), os.Rename(path, all[i].Path)); err != nil {
			return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The program %s wrote nothing.", program), Err: err}
		}
	}
	all[0].More = all[1:]
	return all[0], nil
}
