package program

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
	"atelier/agent/toolbox/sandbox"
)

// playTime is the timeout of abc2midi and of fluidsynth. The longest piece takes them seconds.
const playTime = 3 * time.Minute

// fade is the length of the fade-out.
const fade = 1500 * time.Millisecond

// musician composes and plays music.
type musician struct{ sounds }

func (m musician) operations() map[string]operation {
	return map[string]operation{"text_to_music": {synthesizer(), m.music}}
}

// synthesizer lists what is needed to play notes.
func synthesizer() []need {
	return append(ffmpegs(),
		need{program: "abc2midi", debian: "abcmidi"}, need{program: "fluidsynth", debian: "fluidsynth"}, need{debian: "fluid-soundfont-gm", find: soundfont})
}

// music composes a piece from the prompt and plays it as an MP3: abc2midi converts the notes to MIDI,
// and fluidsynth to sound.
func (m musician) music(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	prompt := strings.TrimSpace(c.Text("prompt"))
	if prompt == "" {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("Please say what the music should be like.")}
	}
	piece, err := composer.Compose(prompt, c.Seed)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("compose: %w", err)
	}
	sound, printed, err := m.play(ctx, c, piece.ABC)
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case sound == "":
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The notes could not be played."), Err: fmt.Errorf("abc2midi wrote nothing: %s", printed)}
	}
	out, err := m.finish(ctx, c, sound, piece.Length)
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
func (m musician) finish(ctx context.Context, c toolbox.Call, sound string, length time.Duration) (toolbox.Output, error) {
	r, err := m.recorded(ctx, sound)
	if err != nil {
		return toolbox.Output{}, err
	}
	even, level, err := m.evened(ctx, c, r, loudness)
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
	return m.render(ctx, c, r, mp3, filter, "sound")
}

// play plays a tune in ABC notation. The sound is "" if abc2midi rejects the tune; its output
// then says why.
func (m musician) play(ctx context.Context, c toolbox.Call, tune string) (sound, printed string, err error) {
	font, err := soundfont("fluid-soundfont-gm")
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	notes, score, sound := filepath.Join(c.Dir, "music.abc"), filepath.Join(c.Dir, "music.mid"), filepath.Join(c.Dir, "music.wav")
	if err := errors.Join(os.RemoveAll(score), os.RemoveAll(sound), os.WriteFile(notes, []byte(tune), 0o600)); err != nil {
		return "", "", fmt.Errorf("write the notes: %w", err)
	}
	said, err := m.run(ctx, sandbox.Command{Program: "abc2midi", Args: []string{notes, "-o", score, "-silent"}, Dir: c.Dir, Timeout: playTime})
	if err != nil {
		return "", "", err
	}
	if _, err := os.Stat(score); err != nil {
		return "", string(said), nil //nolint:nilerr // the tune was rejected
	}
	_, err = m.run(ctx, sandbox.Command{
		Program: "fluidsynth", Dir: c.Dir, Read: []string{font}, Timeout: playTime,
		Args: []string{"-n", "-i", "-q", "-T", "wav", "-O", "s16", "-r", "44100", "-g", "0.4", "-F", sound, font, score},
	})
	return sound, string(said), err
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
	return "", missing(plan.Say("the sounds of instruments (a soundfont)"), debian, errors.New("no soundfont"))
}
