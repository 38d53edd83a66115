package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

const (
	// maxSaid is how much of a program's complaints is kept, in bytes.
	maxSaid = 2 << 10
	// grace is how long the pipes of a killed program are waited for.
	grace = 5 * time.Second
)

// run runs a program and returns what it writes, at most that many bytes. When ctx
// ends, the program and all that it has started are killed.
func run(ctx context.Context, most int, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // the operator names the program, and no user an argument
	out := &bounded{most: most, strict: true}
	said := &bounded{most: maxSaid}
	cmd.Stdout, cmd.Stderr = out, said
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "AV_LOG_FORCE_NOCOLOR=1"}
	cmd.WaitDelay = grace
	inGroup(cmd)
	err := cmd.Run()
	if out.over {
		err = errTooMuch // and not how the program took that
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(program), err, oneLine(string(said.kept)))
	}
	return out.kept, nil
}

// bounded keeps the beginning of what is written, and drops the rest, or is strict and
// takes no more.
type bounded struct {
	kept   []byte
	most   int
	strict bool
	over   bool
}

var errTooMuch = errors.New("it wrote more than it should")

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - len(b.kept)
	b.over = b.over || len(p) > room
	if b.over && b.strict {
		return 0, errTooMuch
	}
	b.kept = append(b.kept, p[:min(len(p), room)]...)
	return len(p), nil
}

// oneLine is a program's complaint as it may stand in a log.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}
