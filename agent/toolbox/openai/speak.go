package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

const (
	// maxSpoken is the longest text per request, in characters. OpenAI's limit is 4096, or 2000 tokens for
	// some models (OpenAI API reference, create speech).
	maxSpoken = 1500
	// maxSpokenParts is how many requests one text may take.
	maxSpokenParts = 20
)

// speech runs the tasks that read texts aloud and transcribe recordings.
type speech struct{ config *Config }

// speechInstructions returns the instructions on voice and language, as far as the call gives them. OpenAI's first
// two models accept no instructions (OpenAI API reference, create speech).
func speechInstructions(model string, c toolbox.Call) string {
	if strings.HasPrefix(model, "tts-1") {
		return ""
	}
	var how []string
	if language := strings.TrimSpace(c.Text("language")); language != "" {
		how = append(how, "Language: "+language+".")
	}
	if voice := strings.TrimSpace(c.Text("voice")); voice != "" {
		how = append(how, "Voice: "+voice+".")
	}
	return strings.Join(how, " ")
}

// speak reads a text aloud. A long text is spoken in parts, which are joined.
func (sp *speech) speak(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(promptText(backing, c), ""))
	parts := spokenParts(text)
	switch {
	case len(parts) == 0:
		return toolbox.Output{}, fault(nil, "There is no text to read aloud.")
	case len(parts) > maxSpokenParts:
		return toolbox.Output{}, fault(nil, "The text is too long to read aloud: it has %d characters, and the limit is about %d.",
			utf8.RuneCountInString(text), maxSpoken*maxSpokenParts)
	}
	path := filepath.Join(c.Dir, "speech")
	info, err := sp.speakInto(ctx, r, c, path, parts[:1])
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(parts) > 1 {
		rest := parts[1:]
		if info.MIME != joinable { // a server that ignores the format has no limit either
			rest = []string{text}
			path += "-whole"
		}
		if info, err = sp.speakInto(ctx, r, c, path, rest); err != nil {
			return toolbox.Output{}, err
		}
	}
	named := filepath.Join(c.Dir, "speech"+info.Ext)
	if err := os.Rename(path, named); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: named, About: plan.Quote(toolbox.Shorten(text))}, nil
}

// joinable is the media type whose files can be joined by concatenation.
const joinable = "audio/mpeg"

// speakInto reads texts aloud, appends the sound to a file, and inspects the file.
func (sp *speech) speakInto(ctx context.Context, r run, c toolbox.Call, path string, texts []string) (_ media.Info, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return media.Info{}, err
	}
	for i, text := range texts {
		if err := sp.speakOnce(endpoint.Label(ctx, c.Request, "act."+c.Tool, i+1), r, text, speechInstructions(r.model, c), file); err != nil {
			return media.Info{}, errors.Join(err, file.Close())
		}
	}
	if err := file.Close(); err != nil {
		return media.Info{}, err
	}
	info, err := media.Inspect(ctx, path, sp.config.Limits)
	if err != nil || info.Type != plan.Audio {
		return media.Info{}, fault(down(errors.Join(err, fmt.Errorf("the answer is %q", info.MIME))), "The model server sent no playable sound.")
	}
	return info, nil
}

func (sp *speech) speakOnce(ctx context.Context, r run, text, how string, to io.Writer) error {
	response, err := sp.config.Endpoint.Client().CreateSpeech(ctx, api.CreateSpeechRequest{
		Model: api.SpeechModel(r.model), Input: text, Voice: api.SpeechVoice(sp.config.Voice),
		ResponseFormat: api.SpeechResponseFormatMp3, Instructions: how,
	})
	if err != nil {
		return r.asFault(err)
	}
	r.spent.Calls++
	n, err := io.Copy(to, response)
	if err = errors.Join(err, response.Close()); err != nil {
		return fmt.Errorf("receive the sound: %w", err)
	}
	if n == 0 {
		return fault(down(errors.New("the answer is empty")), "The model server sent no sound.")
	}
	return nil
}

// spokenParts splits a text into parts of at most maxSpoken characters, at the ends of paragraphs or
// sentences if possible, or else between words.
func spokenParts(text string) []string {
	var parts []string
	for rest := strings.TrimSpace(text); rest != ""; {
		end := len(rest)
		if utf8.RuneCountInString(rest) > maxSpoken {
			end = splitPoint(rest)
		}
		if part := strings.TrimSpace(rest[:end]); part != "" {
			parts = append(parts, part)
		}
		rest = strings.TrimSpace(rest[end:])
	}
	return parts
}

// splitPoint returns where to split a text, as late as possible: after a sentence in the second half of
// maxSpoken, else after a word, else anywhere.
func splitPoint(text string) int {
	var sentence, space, at, n int
	before := ' '
	for i, r := range text {
		if n == maxSpoken {
			at = i
			break
		}
		switch {
		case r == '\n', unicode.IsSpace(r) && strings.ContainsRune(".!?…", before), strings.ContainsRune("。！？", before):
			if n > maxSpoken/2 {
				sentence = i
			}
		case unicode.IsSpace(r):
			space = i
		}
		before = r
		n++
	}
	for _, end := range []int{sentence, space} {
		if end > 0 {
			return end
		}
	}
	return at
}
