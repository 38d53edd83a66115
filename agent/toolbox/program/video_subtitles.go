package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/subtitle"
)

// readSpeed is how many characters a second people read at most.
const readSpeed = 30

// addSubtitles draws subtitles into a video: at their times where the text has some, else
// spread over all of it.
func (b *Backend) addSubtitles(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := packable(f.look.Duration); err != nil {
		return toolbox.Output{}, err
	}
	text := c.Text("subtitles")
	if strings.TrimSpace(text) == "" {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("It does not say what the subtitles are to be; give their text, or a file of subtitles (SRT)."),
			Err:      errors.New("no text"),
		}
	}
	cues := subtitle.Of(text, f.look.Duration)
	if len(cues) == 0 {
		return toolbox.Output{}, refusal("None of the subtitles begins within the %s that the video lasts; check their times.", plan.Span(f.look.Duration))
	}
	w, h := canvas(f.pictures.Width, f.pictures.Height)
	script := filepath.Join(c.Dir, "subtitles.ass")
	if err := os.WriteFile(script, []byte(subtitle.Script(cues, w, h)), 0o600); err != nil {
		return toolbox.Output{}, unwritten(err)
	}
	j := ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.input()}, Files: []string{script},
		Args: []string{"-map", "0:V:0", "-map", "0:a:0?", "-vf", f.shown() + ",ass=subtitles.ass"},
	}
	return b.mp4(ctx, c, j, f.look.Duration, counted(cues), tooMuch(cues))
}

// counted says how many subtitles there are.
func counted(cues []subtitle.Cue) plan.Message {
	if len(cues) == 1 {
		return plan.Say("with one subtitle")
	}
	return plan.Say("with %d subtitles", len(cues))
}

// tooMuch says so where there is more text than time to read it.
func tooMuch(cues []subtitle.Cue) plan.Message {
	letters, seconds := 0, 0.0
	for _, c := range cues {
		letters += len([]rune(c.Text))
		seconds += (c.To - c.From).Seconds()
	}
	if float64(letters) > readSpeed*seconds {
		return plan.Say("There is more text than can be read in that time.")
	}
	return plan.Message{}
}
