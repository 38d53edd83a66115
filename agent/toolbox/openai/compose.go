package openai

import (
	"context"
	"strings"

	"atelier/agent/toolbox"
)

// Player plays tunes in ABC notation.
type Player interface {
	// Ready returns why it cannot play, or nil.
	Ready() error
	// Play renders a tune as sound. If the tune is invalid, complaint says why.
	Play(ctx context.Context, c toolbox.Call, tune string) (out toolbox.Output, complaint string, err error)
}

// playable returns why no tune can be played, or nil.
func (b *Backend) playable() error {
	if b.config.Player == nil {
		return fault(nil, "No program that plays music is installed here.")
	}
	return b.config.Player.Ready()
}

// compose asks a model for a tune, and plays it.
func (b *Backend) compose(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (out toolbox.Output, err error) {
	f := form{about: aboutTunes, read: func(answer string) (string, error) {
		tune, err := readTune(answer)
		if err != nil {
			return "", err
		}
		var why string
		if out, why, err = b.config.Player.Play(ctx, c, tune); why != "" {
			return "", complaint(clip(why))
		}
		return "", err
	}}
	_, err = b.texts.askForm(ctx, r, f, backing, c)
	return out, err
}

const aboutTunes = "A tune in ABC notation alone, which begins with the field X: and has the field K:, without a remark."

// longestTune is the longest tune in bytes: several minutes with several voices are shorter.
const longestTune = 30_000

// readTune extracts a tune from an answer, which may have a remark before it or a code block around it.
func readTune(answer string) (string, error) {
	tune := "\n" + strings.ReplaceAll(answer, "\r\n", "\n")
	start := strings.Index(tune, "\nX:")
	if start < 0 {
		return "", complaint("there is no line that begins with X:")
	}
	tune, _, _ = strings.Cut(tune[start+1:], "\n```")
	switch {
	case !strings.Contains(tune, "\nK:"):
		return "", complaint("there is no line that begins with K:")
	case len(tune) > longestTune:
		return "", complaint("it is too long")
	}
	return strings.TrimSpace(tune) + "\n", nil
}
