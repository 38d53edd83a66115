package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// refusal is a problem with what a person asked for in so many words: nothing else may
// stand in for it.
func refusal(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Final: true}
}

// fileIn is the file of a media argument.
func fileIn(c toolbox.Call, arg string) (string, error) {
	vs := c.Args[arg]
	if len(vs) == 0 || vs[0].Path == "" {
		return "", &plan.Fault{Sentence: plan.Say("The file to work on is missing."), Err: fmt.Errorf("no file for the argument %q", arg)}
	}
	return vs[0].Path, nil
}

// tidied leaves nothing in the call's folder but the output.
func tidied(c toolbox.Call, out toolbox.Output, err error) (toolbox.Output, error) {
	var given []string
	if err == nil {
		for _, o := range append([]toolbox.Output{out}, out.More...) {
			given = append(given, filepath.Base(o.Path))
		}
	}
	entries, failed := os.ReadDir(c.Dir)
	for _, e := range entries {
		if !slices.Contains(given, e.Name()) {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(c.Dir, e.Name())))
		}
	}
	if err == nil && failed != nil {
		err = &plan.Fault{Sentence: plan.Say("What was left over could not be cleaned away."), Err: failed}
	}
	return out, err
}
