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
		err = &plan.Fault{Sentence: plan.Say("Temporary files could not be removed."), Err: failed}
	}
	return out, err
}

// shorten is a text for people, on one line and not long.
func shorten(s string) string {
	const most = 80
	line := []rune(oneLine(s))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}

// oneLine is a text without breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// told says what a text is about, and gives no more of it than the limit.
func told(out toolbox.Output) toolbox.Output {
	out.About = plan.Quote(shorten(out.Value))
	if len(out.Value) > mostText {
		out.Value = strings.ToValidUTF8(out.Value[:mostText], "")
		out.Note = plan.Say("The text is long, so only the beginning is shown; ask for certain pages to read more.")
	}
	return out
}
