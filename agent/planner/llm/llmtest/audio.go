package llmtest

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// speechRequest has every documented field (OpenAI API reference, create speech).
type speechRequest struct {
	Model          string   `json:"model"`
	Input          string   `json:"input"`
	Voice          string   `json:"voice"`
	Instructions   string   `json:"instructions"`
	ResponseFormat string   `json:"response_format"`
	Speed          *float64 `json:"speed"`
	StreamFormat   *string  `json:"stream_format"`
}

// voices are the voices of OpenAI's own models; the older models, tts-1 and tts-1-hd, have the
// first nine.
var voices = []string{
	"alloy", "ash", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer",
	"ballad", "verse", "marin", "cedar",
}

// speechTypes are the content types of the speech formats.
var speechTypes = map[string]string{
	"": "audio/mpeg", "mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac",
	"flac": "audio/flac", "wav": "audio/wav", "pcm": "audio/pcm",
}

func (q speechRequest) check() error {
	_, known := speechTypes[q.ResponseFormat]
	switch n := utf8.RuneCountInString(q.Input); {
	case q.Model == "":
		return errors.New("no model")
	case strings.TrimSpace(q.Input) == "":
		return errors.New("no input")
	case n > 4096:
		return fmt.Errorf("its input has %d characters, more than 4096", n)
	case q.Voice == "":
		return errors.New("no voice")
	case !known:
		return fmt.Errorf("response_format is %q, not one of mp3, opus, aac, flac, wav, pcm", q.ResponseFormat)
	}
	if err := q.checkVoice(); err != nil {
		return err
	}
	return errors.Join(
		within("speed", q.Speed, 0.25, 4),
		oneOf("stream_format", q.StreamFormat, "audio"), // no streaming
	)
}

// checkVoice checks the rules of OpenAI's own models. Other models have other voices.
func (q speechRequest) checkVoice() error {
	switch {
	case strings.HasPrefix(q.Model, "tts-1") && q.Instructions != "":
		return errors.New("tts-1 takes no instructions")
	case strings.HasPrefix(q.Model, "tts-1"):
		return oneOf("voice", &q.Voice, voices[:9]...)
	case strings.HasPrefix(q.Model, "gpt-"):
		return oneOf("voice", &q.Voice, voices...)
	}
	return nil
}

func (s *Server) speak(c *call) reply {
	var q speechRequest
	if err := c.json(&q); err != nil {
		return c.illFormed(err)
	}
	q.Model = c.model(q.Model)
	if err := q.check(); err != nil {
		return c.illFormed(err)
	}
	if refused := s.admit(c); refused != nil {
		return *refused
	}
	if s.config.Speech == nil {
		return failure(http.StatusNotFound, "", "", "Not found")
	}
	a := s.config.Speech(SpeechRequest{
		Model: q.Model, Input: q.Input, Voice: q.Voice, Instructions: q.Instructions,
		Format: q.ResponseFormat, Speed: value(q.Speed), Header: c.Header.Clone(),
	})
	return a.over(newReply(speechTypes[q.ResponseFormat], a.Audio))
}

// transcribeFields are the documented fields (OpenAI API reference, create
// transcription).
var transcribeFields = []string{
	"model", "language", "prompt", "response_format", "temperature", "timestamp_granularities[]",
	"include[]", "chunking_strategy", "stream", "known_speaker_names[]", "known_speaker_references[]",
}

// transcribeFiles are the accepted file extensions.
var transcribeFiles = []string{".flac", ".mp3", ".mp4", ".mpeg", ".mpga", ".m4a", ".ogg", ".wav", ".webm"}

var language = regexp.MustCompile(`^[a-z]{2}$`)

func (s *Server) transcribe(c *call) reply {
	r, err := c.transcribeRequest()
	if err != nil {
		return c.illFormed(err)
	}
	if refused := s.admit(c); refused != nil {
		return *refused
	}
	if s.config.Transcribe == nil {
		return failure(http.StatusNotFound, "", "", "Not found")
	}
	a := s.config.Transcribe(r)
	return a.over(a.in(r.Format))
}

func (c *call) transcribeRequest() (TranscribeRequest, error) {
	form, err := c.form(transcribeFields, "file")
	if err != nil {
		return TranscribeRequest{}, err
	}
	r := TranscribeRequest{
		Model: c.model(form.text("model")), Language: form.text("language"), Prompt: form.text("prompt"),
		Format: form.text("response_format"), Granularities: form.texts["timestamp_granularities[]"],
		Header: c.Header.Clone(),
	}
	if text := form.text("temperature"); text != "" {
		if r.Temperature, err = strconv.ParseFloat(text, 64); err != nil {
			return TranscribeRequest{}, fmt.Errorf("temperature is %q, not a number", text)
		}
	}
	files := form.files["file"]
	if len(files) != 1 {
		return TranscribeRequest{}, fmt.Errorf("%d files, not one", len(files))
	}
	r.Name, r.Audio = files[0].name, files[0].data
	if form.text("stream") == "true" {
		return TranscribeRequest{}, errors.New("streaming is not supported")
	}
	return r, r.check()
}

func (r *TranscribeRequest) check() error {
	sound := mimetype.Detect(r.Audio).String()
	formats := []string{"json", "text", "srt", "verbose_json", "vtt"}
	if strings.HasPrefix(r.Model, "gpt-4o-") {
		formats = []string{"json"}
	}
	switch {
	case r.Model == "":
		return errors.New("no model")
	case len(r.Audio) > 25<<20:
		return errors.New("the file is larger than 25 MB")
	case !slices.Contains(transcribeFiles, strings.ToLower(path.Ext(r.Name))):
		return fmt.Errorf("the file %q has none of the extensions %s", r.Name, strings.Join(transcribeFiles, " "))
	case !strings.HasPrefix(sound, "audio/") && !strings.HasPrefix(sound, "video/") && sound != "application/ogg":
		return fmt.Errorf("the file %q is %s, not audio", r.Name, sound)
	case r.Language != "" && !language.MatchString(r.Language):
		return fmt.Errorf("language is %q, not an ISO 639-1 code", r.Language)
	case len(r.Granularities) > 0 && r.Format != "verbose_json":
		return errors.New("timestamp_granularities requires the response_format verbose_json")
	}
	for _, g := range r.Granularities {
		if err := oneOf("timestamp_granularities", &g, "word", "segment"); err != nil {
			return err
		}
	}
	return errors.Join(
		oneOfSome("response_format", r.Format, formats),
		within("temperature", &r.Temperature, 0, 1),
	)
}

// in returns the transcription in a format.
func (a TranscribeResponse) in(format string) reply {
	switch format {
	case "text":
		return newReply("text/plain; charset=utf-8", []byte(a.Text+"\n"))
	case "srt", "vtt":
		return newReply("text/plain; charset=utf-8", []byte(a.Text))
	case "verbose_json":
		type segment struct {
			ID    int     `json:"id"`
			Start float64 `json:"start"`
			End   float64 `json:"end"`
			Text  string  `json:"text"`
		}
		answer := struct {
			Task     string    `json:"task"`
			Language string    `json:"language"`
			Duration float64   `json:"duration"`
			Text     string    `json:"text"`
			Segments []segment `json:"segments"`
		}{"transcribe", a.Language, a.Duration, a.Text, []segment{}}
		for i, s := range a.Segments {
			answer.Segments = append(answer.Segments, segment{i, s.Start, s.End, s.Text})
		}
		return jsonReply(answer)
	default:
		return jsonReply(map[string]string{"text": a.Text})
	}
}
