package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// audioExtensions are the accepted file extensions, and heardBytes is the largest file for a server on the
// internet (OpenAI API reference, create transcription).
var audioExtensions = []string{".flac", ".mp3", ".mp4", ".mpeg", ".mpga", ".m4a", ".ogg", ".wav", ".webm"}

const maxRecording = 25 << 20

// transcribe returns the transcript of a recording.
func (sp *speech) transcribe(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (_ toolbox.Output, err error) {
	path, err := fileOf(c, plan.Audio)
	if err != nil {
		return toolbox.Output{}, err
	}
	info, err := media.Inspect(ctx, path, sp.config.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	if info.Type != plan.Audio || !slices.Contains(audioExtensions, info.Ext) {
		return toolbox.Output{}, fault(nil, "I cannot transcribe a recording of type %s; send it as MP3, WAV, FLAC, Ogg or M4A.", info.MIME)
	}
	file, err := os.Open(path)
	if err != nil {
		return toolbox.Output{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	about, err := file.Stat()
	if err != nil {
		return toolbox.Output{}, err
	}
	if about.Size() > maxRecording && !sp.config.Endpoint.Private() {
		has, most := plan.Oversize(about.Size(), maxRecording)
		return toolbox.Output{}, fault(nil, "The recording is too large: it has %s, and the model server accepts at most %s; trim it or save it as MP3.",
			has, most)
	}
	response, err := sp.config.Endpoint.Client().CreateTranscription(endpoint.Label(ctx, c.Request, "act."+c.Tool, 1), api.AudioRequest{
		Model: r.model, Prompt: promptText(backing, c), Reader: file, FilePath: "recording" + info.Ext, // not its own name, which is private
	})
	if err != nil {
		return toolbox.Output{}, r.asFault(err)
	}
	r.spent.Calls++
	text := strings.TrimSpace(response.Text)
	if text == "" {
		return toolbox.Output{}, fault(nil, "I heard no speech in the recording.")
	}
	return toolbox.Output{Value: text}, nil
}

// transcriptions is the name of the run that transcribes recordings.
const transcriptions = "audio-transcriptions"

// listen asks a model about a recording by its transcript, since many language models accept no sound.
func (b *Backend) listen(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	transcriber, err := b.transcriber(ctx)
	if err != nil {
		return toolbox.Output{}, err
	}
	transcriber.spent = r.spent
	c.Args = maps.Clone(c.Args)
	for name, values := range c.Args {
		if len(values) != 1 || values[0].Type != plan.Audio {
			continue
		}
		heard, err := b.speech.transcribe(ctx, transcriber, toolbox.Candidate{}, c)
		if err != nil {
			return toolbox.Output{}, err
		}
		c.Args[name] = []toolbox.Value{{Resource: plan.Resource{Type: plan.Text, Value: heard.Value}}}
	}
	return b.texts.chat(ctx, r, backing, c)
}

// transcriber returns the run that transcribes recordings, with its model.
func (b *Backend) transcriber(ctx context.Context) (run, error) {
	backing := toolbox.Candidate{Backing: toolbox.Backing{Run: transcriptions}}
	w, err := b.find(backing)
	if err != nil {
		return run{}, err
	}
	if !w.known() {
		return run{}, fault(nil, "It needs a model: set %s to one that the model server has.", w.variable)
	}
	if w.model == "" {
		if w.model, err = b.choose(ctx, backing, w); err != nil {
			return run{}, fmt.Errorf("%s: %w", transcriptions, media.WithSentence(ctx, err))
		}
	}
	return w, nil
}

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
