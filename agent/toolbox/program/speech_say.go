package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/sandbox"
)

const (
	// maxSpoken is the maximum length of a text, in characters: about half an hour of speech.
	maxSpoken = 30_000
	// speakTime is the timeout of speaking it, which usually takes seconds.
	speakTime = 2 * time.Minute
)

// speech synthesizes and recognises speech.
type speech struct{ sounds }

func (s speech) operations() map[string]operation {
	return map[string]operation{
		"speech_to_text": {append([]need{{debian: "pocketsphinx", find: recogniser}, {debian: "pocketsphinx-en-us", find: heardModel}}, ffmpegs()...), s.hear},
		"text_to_speech": {append([]need{{program: "espeak-ng", debian: "espeak-ng"}}, ffmpegs()...), s.say},
	}
}

// say speaks a text with espeak-ng, in the named or detected language and the described voice, as an
// MP3. A note names a detected language other than English, and an unknown voice.
func (s speech) say(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text := spoken(c.Text("text"))
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return toolbox.Output{}, refusal("There is nothing in the text to read aloud: no letters and no numbers.")
	}
	if n := utf8.RuneCountInString(text); n > maxSpoken {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say(
			"The text is too long to read aloud: it has %d characters, and the limit is about %d.", n, maxSpoken)}
	}
	all, err := languages()
	if err != nil {
		return toolbox.Output{}, err
	}
	in, guessed := detected(all, text), true
	if said := c.Text("language"); strings.TrimSpace(said) != "" {
		if in, err = named(all, said); err != nil {
			return toolbox.Output{}, err
		}
		guessed = false
	}
	voice, known, err := voiceOf(c.Text("voice"))
	if err != nil {
		return toolbox.Output{}, err
	}
	words, sound := filepath.Join(c.Dir, "words.txt"), filepath.Join(c.Dir, "words.wav")
	if err := os.WriteFile(words, []byte(text+"\n"), 0o600); err != nil {
		return toolbox.Output{}, fmt.Errorf("write the text to speak: %w", err)
	}
	args := append(voice.args(in), "-b", "1", "-f", words, "-w", sound)
	if _, err := s.run(ctx, sandbox.Command{Program: "espeak-ng", Args: args, Dir: c.Dir, Timeout: speakTime}); err != nil {
		return toolbox.Output{}, err
	}
	r, err := s.recorded(ctx, sound)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("The speech program cannot pronounce this text; say which language it is in."),
			Err:      errors.Join(errors.New("espeak-ng wrote no sound"), err),
		}
	}
	out, err := s.render(ctx, c, r, mp3, "anull", "sound")
	if err != nil {
		return toolbox.Output{}, err
	}
	out.About = plan.Quote(shorten(text))
	if guessed && in.Voice != all[0].Voice {
		out.Note = plan.Say("I assumed that the text is in %s; if it is in another language, say which one.", in.title())
	}
	if said := oneLine(c.Text("voice")); said != "" && !known {
		out.Note = plan.Sentences(out.Note, plan.Say("There is no voice for %q, so the usual one was used.", shorten(said)))
	}
	if in.Voice == "ja" && strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		out.Note = plan.Sentences(out.Note, plan.Say("This voice can read kana, but not kanji."))
	}
	return out, nil
}

// spoken removes what espeak-ng would not read as text: control characters, which are commands, and
// double brackets, which enclose phonemes (espeak-ng, docs/markup.md).
func spoken(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	for strings.Contains(text, "[[") || strings.Contains(text, "]]") {
		text = strings.NewReplacer("[[", "[", "]]", "]").Replace(text)
	}
	return strings.TrimSpace(text)
}
