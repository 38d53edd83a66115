package music

import (
	"context"
	"fmt"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/composer"
)

// Ready returns an error if something is missing to play tunes.
func (p Player) Ready() error { return p.Require(synthesizer()) }

// early is how much shorter a tune may be than asked for.
const early = 2 * time.Second

// Play makes an MP3 of a tune in ABC notation (https://abcnotation.com/wiki/abc:standard:v2.1), no
// longer than the prompt of the call asks for. If the tune cannot be played or is too short, the
// complaint tells its writer why.
func (p Player) Play(ctx context.Context, c toolbox.Call, tune string) (out toolbox.Output, complaint string, err error) {
	asked, err := composer.Asked(c.Text("prompt"))
	if err != nil {
		return toolbox.Output{}, "", fmt.Errorf("read the duration: %w", err)
	}
	wave, printed, err := p.play(ctx, c, tune)
	switch {
	case err != nil:
		return toolbox.Output{}, "", err
	case wave == "":
		return toolbox.Output{}, "abc2midi cannot read it:\n" + strings.TrimSpace(printed), nil
	}
	r, err := p.Probe(ctx, wave)
	if err != nil {
		return toolbox.Output{}, "", err
	}
	long := r.Look.Duration
	if least := min(max(asked, composer.Shortest), composer.Longest) - early; long < least {
		return toolbox.Output{}, fmt.Sprintf("it lasts %.0f seconds, and at least %.0f are wanted", long.Seconds(), least.Seconds()), nil
	}
	if asked > 0 {
		long = min(long, asked)
	}
	out, err = p.finish(ctx, c, wave, min(long, composer.Longest))
	if err != nil {
		return toolbox.Output{}, "", err
	}
	out.Note = plan.Say("A language model wrote the notes, and a synthesizer plays them.")
	if asked > composer.Longest {
		out.Note = plan.Sentences(out.Note, plan.Say("I can make pieces of %s to %s.", plan.Span(composer.Shortest), plan.Span(composer.Longest)))
	}
	return out, "", nil
}
