// Package speech speaks texts with espeak-ng and transcribes English with pocketsphinx.
package speech

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
	"atelier/agent/toolbox/language"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/program/sound"
	"atelier/agent/toolbox/sandbox"
)

const (
	// maxSpoken is the maximum length of a text, in characters: about half an hour of speech.
	maxSpoken = 30_000
	// speakTime is the timeout of speaking it, which usually takes seconds.
	speakTime = 2 * time.Minute
)

// Speech synthesizes and recognises speech.
type Speech struct{ sound.Sounds }

// Operations are those from text to speech and back.
func (s Speech) Operations() map[string]machine.Operation {
	sphinx := []machine.Need{{Debian: "pocketsphinx", Find: recogniser}, {Debian: "pocketsphinx-en-us", Find: heardModel}}
	return map[string]machine.Operation{
		"speech_to_text": {Needs: append(sphinx, machine.FFmpegNeeds()...), Do: s.hear},
		"text_to_speech": {Needs: append([]machine.Need{{Program: "espeak-ng", Debian: "espeak-ng"}}, machine.FFmpegNeeds()...), Do: s.say},
	}
}

// say speaks a text with espeak-ng, in the named or detected language and the described voice, as an
// MP3. A note names a detected language other than English, and an unknown voice.
func (s Speech) say(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text := spoken(c.Text("text"))
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return toolbox.Output{}, plan.Refusal("There is nothing in the text to read aloud: no letters and no numbers.")
	}
	if n := utf8.RuneCountInString(text); n > maxSpoken {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say(
			"The text is too long to read aloud: it has %d characters, and the limit is about %d.", n, maxSpoken)}
	}
	in, _ := language.Guess(text)
	named := strings.TrimSpace(c.Text("language"))
	if named != "" {
		var err error
		if in, err = language.Named(named); err == nil && in.Voice == "" {
			err = plan.Refusal("I do not know the language %q; say for example %q, %q or %q.", toolbox.Shorten(named), "English", "German", "Chinese")
		}
		if err != nil {
			return toolbox.Output{}, err
		}
	}
	voice, known, err := voiceOf(c.Text("voice"))
	if err != nil {
		return toolbox.Output{}, err
	}
	words, wave := filepath.Join(c.Dir, "words.txt"), filepath.Join(c.Dir, "words.wav")
	if err := os.WriteFile(words, []byte(text+"\n"), 0o600); err != nil {
		return toolbox.Output{}, fmt.Errorf("write the text to speak: %w", err)
	}
	args := append(voice.args(in), "-b", "1", "-f", words, "-w", wave)
	if _, err := s.Run(ctx, sandbox.Command{Program: "espeak-ng", Args: args, Dir: c.Dir, Timeout: speakTime}); err != nil {
		return toolbox.Output{}, err
	}
	r, err := s.Probe(ctx, wave)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("The speech program cannot pronounce this text; say which language it is in."),
			Err:      errors.Join(errors.New("espeak-ng wrote no sound"), err),
		}
	}
	out, err := s.Render(ctx, c, r, format.MP3, "anull", "sound")
	if err != nil {
		return toolbox.Output{}, err
	}
	out.About = plan.Quote(toolbox.Shorten(text))
	if named == "" && in.ISO != "en" {
		out.Note = plan.Say("I assumed that the text is in %s; if it is in another language, say which one.", in.Title())
	}
	if said := toolbox.OneLine(c.Text("voice")); said != "" && !known {
		out.Note = plan.Sentences(out.Note, plan.Say("There is no voice for %q, so the usual one was used.", toolbox.Shorten(said)))
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
