package program

import (
	"fmt"
	"math"
	"os"
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

const (
	// mostText is the maximum length of a resulting text, in bytes.
	mostText = 512 << 10
	// mostFiles is the maximum number of files that a command may write.
	mostFiles = 100
)

// sizeOf returns the size of a file, or MaxInt64 if it is unknown.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return math.MaxInt64
	}
	return info.Size()
}
