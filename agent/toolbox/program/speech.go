package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/sandbox"
)

// run runs a program in the call's folder. What is the program's own trouble counts
// against it.
func (b *Backend) run(ctx context.Context, c sandbox.Command) ([]byte, error) {
	out, err := b.config.Sandbox.Run(ctx, c)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() == nil && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrPermission)):
		return nil, fmt.Errorf("%s: %w: %w", filepath.Base(c.Program), toolbox.ErrDown, err)
	}
	return nil, fmt.Errorf("%s: %w", filepath.Base(c.Program), err)
}

// missing is a part that is not there, by the name that people know it by.
func missing(what plan.Message, debian string, err error) error {
	return &plan.Fault{
		Sentence: plan.Say("It needs %s, which is not there; install it, on Debian with: apt-get install %s.", what, debian),
		Err:      err,
	}
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

// seconds is a time as ffmpeg takes it.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
