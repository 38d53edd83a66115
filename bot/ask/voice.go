package ask

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"atelier/adapters"
	"atelier/adapters/terminal"
	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/bot/conversation"
	"atelier/bot/fault"
	"atelier/bot/workshop"
)

// checkVoice checks --voice against the other flags.
func (a *Command) checkVoice() error {
	switch {
	case a.Voice == nil:
		return nil
	case *a.Voice == "":
		return fault.Usage("--voice is empty: expected the name of a recording.")
	case len(a.Wish) > 0:
		return fault.Usage("--voice and a written request exclude each other: give one of them.")
	case len(a.files()) > MaxFiles:
		return fault.Usage("--file is given %d times: with --voice the limit is %d files.", len(a.File), MaxFiles-1)
	}
	return nil
}

// inspectVoice rejects a --voice file that is not a sound.
func (a *Command) inspectVoice(ctx context.Context, w workshop.Workshop) error {
	if a.Voice == nil {
		return nil
	}
	info, err := media.Inspect(ctx, *a.Voice, w.Limits())
	if err != nil {
		return err
	}
	if info.Type != plan.Audio {
		name := filepath.Base(*a.Voice)
		return &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("%q is not a sound: --voice expects a recording of your request.", name))}
	}
	return nil
}

// files are the paths of the message's files; the voice recording is the last.
func (a *Command) files() []string {
	if a.Voice == nil {
		return a.File
	}
	return append(slices.Clone(a.File), *a.Voice)
}

// message is the request as an event of the terminal.
func (a *Command) message(t *conversation.Thread, wish string) adapters.Event {
	if a.Voice == nil {
		return terminal.Message(t.Channel(), wish, a.File)
	}
	return terminal.Spoken(t.Channel(), a.files())
}
