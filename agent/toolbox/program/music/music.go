// Package music plays pieces as MP3 with abc2midi and fluidsynth: those that [composer] composes, and those that a
// language model wrote.
package music

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/composer"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/program/sound"
	"atelier/agent/toolbox/sandbox"
)

// playTime is the timeout of abc2midi and of fluidsynth. The longest piece takes them seconds.
const playTime = 3 * time.Minute

// fade is the length of the fade-out.
const fade = 1500 * time.Millisecond

// Player composes music, and plays tunes that others wrote, such as a language model.
type Player struct{ sound.Sounds }

// Operations are those that make music.
func (p Player) Operations() map[string]machine.Operation {
	return map[string]machine.Operation{"text_to_music": {Needs: synthesizer(), Do: p.music}}
}

// synthesizer lists what is needed to play notes.
func synthesizer() []machine.Need {
	return append(machine.FFmpegNeeds(),
		machine.Need{Program: "abc2midi", Debian: "abcmidi"},
		machine.Need{Program: "fluidsynth", Debian: "fluidsynth"},
		machine.Need{Debian: "fluid-soundfont-gm", Find: soundfont},
	)
}

// music composes a piece from the prompt and plays it as an MP3: abc2midi converts the notes to MIDI,
// and fluidsynth to sound.
func (p Player) music(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	prompt := strings.TrimSpace(c.Text("prompt"))
	if prompt == "" {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("Please say what the music should be like.")}
	}
	piece, err := composer.Compose(prompt, c.Seed)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("compose: %w", err)
	}
	wave, printed, err := p.play(ctx, c, piece.ABC)
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case wave == "":
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The notes could not be played."), Err: fmt.Errorf("abc2midi wrote nothing: %s", printed)}
	}
	out, err := p.finish(ctx, c, wave, piece.Length)
	if err != nil {
		return toolbox.Output{}, err
	}
	out.Seed = c.Seed
	out.About = plan.Say("%s in %s, %d beats a minute, played by %s", piece.Style, piece.Key, piece.Tempo, plan.And(piece.Instruments...))
	out.Note = plan.Say("The music was put together by simple rules and played by a synthesizer.")
	if len(piece.Used) == 0 {
		out.Note = plan.Sentences(out.Note, plan.Say(
			"I found no mood, style or instrument in your request, so it is %s; say for example %q.", piece.Style, "a calm piano piece"))
	}
	if len(piece.Unplayed) > 0 {
		out.Note = plan.Sentences(out.Note, plan.Say("There is no sound for %s here, so other instruments play instead.", plan.And(piece.Unplayed...)))
	}
	if piece.Asked > composer.Longest || piece.Asked > 0 && piece.Asked < composer.Shortest {
		out.Note = plan.Sentences(out.Note, plan.Say("I can make pieces of %s to %s.", plan.Span(composer.Shortest), plan.Span(composer.Longest)))
	}
	return out, nil
}

// finish makes an MP3 of a sound: normalized, cut to the length, and faded out.
func (p Player) finish(ctx context.Context, c toolbox.Call, wave string, length time.Duration) (toolbox.Output, error) {
	r, err := p.Probe(ctx, wave)
	if err != nil {
		return toolbox.Output{}, err
	}
	even, level, err := p.ToLoudness(ctx, c, r, sound.Loudness)
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case level.Silent():
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("The music came out silent."),
			Err:      fmt.Errorf("%w: fluidsynth wrote silence", toolbox.ErrDown),
		}
	}
	filter := fmt.Sprintf("atrim=end=%s,%s,afade=t=out:st=%s:d=%s", ffmpeg.Seconds(length), even, ffmpeg.Seconds(length-fade), ffmpeg.Seconds(fade))
	return p.Render(ctx, c, r, format.MP3, filter, "sound")
}

// play plays a tune in ABC notation. The file is "" if abc2midi rejects the tune; its output
// then says why.
func (p Player) play(ctx context.Context, c toolbox.Call, tune string) (wave, printed string, err error) {
	font, err := soundfont("fluid-soundfont-gm")
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	notes, score, wave := filepath.Join(c.Dir, "music.abc"), filepath.Join(c.Dir, "music.mid"), filepath.Join(c.Dir, "music.wav")
	if err := errors.Join(os.RemoveAll(score), os.RemoveAll(wave), os.WriteFile(notes, []byte(tune), 0o600)); err != nil {
		return "", "", fmt.Errorf("write the notes: %w", err)
	}
	said, err := p.Run(ctx, sandbox.Command{Program: "abc2midi", Args: []string{notes, "-o", score, "-silent"}, Dir: c.Dir, Timeout: playTime})
	if err != nil {
		return "", "", err
	}
	if _, err := os.Stat(score); err != nil {
		return "", string(said), nil //nolint:nilerr // the tune was rejected
	}
	_, err = p.Run(ctx, sandbox.Command{
		Program: "fluidsynth", Dir: c.Dir, Read: []string{font}, Timeout: playTime,
		Args: []string{"-n", "-i", "-q", "-T", "wav", "-O", "s16", "-r", "44100", "-g", "0.4", "-F", wave, font, score},
	})
	return wave, string(said), err
}

// soundfonts are the usual paths of soundfonts, the best first.
var soundfonts = []string{
	"/usr/share/sounds/sf2/FluidR3_GM.sf2", "/usr/share/sounds/sf2/default-GM.sf2", "/usr/share/sounds/sf3/default-GM.sf3",
	"/usr/share/sounds/sf2/*.sf2", "/usr/share/sounds/sf3/*.sf3", "/usr/share/soundfonts/*.sf[23]",
}

// soundfont returns the path of a soundfont.
func soundfont(debian string) (string, error) {
	for _, pattern := range soundfonts {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", fmt.Errorf("look for a soundfont: %w", err)
		}
		for _, path := range found {
			whole, err := filepath.EvalSymlinks(path)
			if err != nil {
				continue
			}
			if info, err := os.Stat(whole); err == nil && info.Mode().IsRegular() {
				return whole, nil
			}
		}
	}
	return "", machine.Missing(plan.Say("the sounds of instruments (a soundfont)"), debian, errors.New("no soundfont"))
}
