package llmtest

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// speechRequest has the fields that the bot sends (OpenAI API reference, create speech); others are rejected.
type speechRequest struct {
	Model          string `json:"model"`
	Input          string `json:"input"`
	Voice          string `json:"voice"`
	Instructions   string `json:"instructions"`
	ResponseFormat string `json:"response_format"`
}

// voices are the voices of OpenAI's own models; the older models, tts-1 and tts-1-hd, have the
// first nine.
var voices = []string{
	"alloy", "ash", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer",
	"ballad", "verse", "marin", "cedar",
}

// check checks the rules of all models, and those of OpenAI's own ones. Other models have other voices.
func (q speechRequest) check() error {
	old := strings.HasPrefix(q.Model, "tts-1")
	switch n := utf8.RuneCountInString(q.Input); {
	case q.Model == "":
		return errors.New("no model")
	case strings.TrimSpace(q.Input) == "":
		return errors.New("no input")
	case n > 4096:
		return fmt.Errorf("its input has %d characters, more than 4096", n)
	case q.Voice == "":
		return errors.New("no voice")
	case q.ResponseFormat != "mp3":
		return fmt.Errorf("response_format is %q, not mp3", q.ResponseFormat)
	case old && q.Instructions != "":
		return errors.New("tts-1 takes no instructions")
	case old:
		return oneOf("voice", q.Voice, voices[:9]...)
	case strings.HasPrefix(q.Model, "gpt-"):
		return oneOf("voice", q.Voice, voices...)
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
	a := s.config.Speech(SpeechRequest{Model: q.Model, Input: q.Input, Voice: q.Voice, Instructions: q.Instructions})
	return a.over(newReply("audio/mpeg", a.Audio))
}

// transcribeFiles are the accepted file extensions.
var transcribeFiles = []string{".flac", ".mp3", ".mp4", ".mpeg", ".mpga", ".m4a", ".ogg", ".wav", ".webm"}

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
	return a.over(jsonReply(map[string]string{"text": a.Text}))
}

// transcribeRequest parses a form with the fields that the bot sends (OpenAI API reference, create transcription).
func (c *call) transcribeRequest() (TranscribeRequest, error) {
	form, err := c.form([]string{"model", "prompt"}, "file")
	if err != nil {
		return TranscribeRequest{}, err
	}
	file := form.files["file"]
	r := TranscribeRequest{Model: c.model(form.texts["model"]), Prompt: form.texts["prompt"], Name: file.name, Audio: file.data}
	return r, r.check()
}

func (r *TranscribeRequest) check() error {
	sound := mimetype.Detect(r.Audio).String()
	switch {
	case r.Model == "":
		return errors.New("no model")
	case len(r.Audio) > 25<<20:
		return errors.New("the file is larger than 25 MB")
	case !slices.Contains(transcribeFiles, strings.ToLower(path.Ext(r.Name))):
		return fmt.Errorf("the file %q has none of the extensions %s", r.Name, strings.Join(transcribeFiles, " "))
	case !strings.HasPrefix(sound, "audio/") && !strings.HasPrefix(sound, "video/") && sound != "application/ogg":
		return fmt.Errorf("the file %q is %s, not audio", r.Name, sound)
	}
	return nil
}
