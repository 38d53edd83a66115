package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// refusal is an error about what the person asked for explicitly. It is final: no fallback is
// tried.
func refusal(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Final: true}
}

// fileIn returns the path of a media argument.
func fileIn(c toolbox.Call, arg string) (string, error) {
	vs := c.Args[arg]
	if len(vs) == 0 || vs[0].Path == "" {
		return "", &plan.Fault{Sentence: plan.Say("The file to work on is missing."), Err: fmt.Errorf("no file for the argument %q", arg)}
	}
	return vs[0].Path, nil
}

// tidied deletes everything in the call's folder except the outputs.
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
		err = &plan.Fault{Sentence: plan.Say("Temporary files could not be removed."), Err: failed}
	}
	return out, err
}

// shorten puts a text on one line, cut to 80 characters.
func shorten(s string) string {
	const most = 80
	line := []rune(oneLine(s))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}

// oneLine replaces line breaks and runs of spaces by single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// told describes a text by its beginning, and truncates it to the limit.
func told(out toolbox.Output) toolbox.Output {
	out.About = plan.Quote(shorten(out.Value))
	if len(out.Value) > mostText {
		out.Value = strings.ToValidUTF8(out.Value[:mostText], "")
		out.Note = plan.Say("The text is long, so only the beginning is shown; ask for certain pages to read more.")
	}
	return out
}
