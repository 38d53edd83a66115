package machine

import (
	"fmt"
	"math"
	"os"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// FileIn returns the path of a media argument.
func FileIn(c toolbox.Call, arg string) (string, error) {
	vs := c.Args[arg]
	if len(vs) == 0 || vs[0].Path == "" {
		return "", &plan.Fault{Sentence: plan.Say("The file to work on is missing."), Err: fmt.Errorf("no file for the argument %q", arg)}
	}
	return vs[0].Path, nil
}

// Described describes a text by its beginning, and truncates it to the limit.
func Described(out toolbox.Output) toolbox.Output {
	out.About = plan.Quote(toolbox.Shorten(out.Value))
	if len(out.Value) > mostText {
		out.Value = strings.ToValidUTF8(out.Value[:mostText], "")
		out.Note = plan.Say("The text is long, so only the beginning is shown; ask for certain pages to read more.")
	}
	return out
}

const (
	// mostText is the maximum length of a resulting text, in bytes.
	mostText = 512 << 10
	// MostFiles is the maximum number of files that a command may write.
	MostFiles = 100
)

// SizeOf returns the size of a file, or MaxInt64 if it is unknown.
func SizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return math.MaxInt64
	}
	return info.Size()
}
