// Package openaitest is a fake server for tests with all of OpenAI's API that the tools use. It is the
// scripted server of llmtest, which validates requests against OpenAI's documented forms, with computed
// answers.
//
// Guarantees:
//   - Pictures are described by the coloured objects in them, drawn in colours derived from the prompt,
//     and edited within their mask only.
//   - Its speech can be transcribed.
//   - Answers fit the requested schema. Equal requests get equal answers.
package openaitest

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/mediatest"
)

// The models on the server.
const (
	Chat          = "gpt-test"
	Image         = "painter-test"
	Speech        = "voice-test"
	Transcription = "ear-test"
)

// New starts a server that is closed when the test ends.
func New(tb testing.TB) *llmtest.Server {
	tb.Helper()
	return llmtest.New(tb, Config())
}

// Config returns the script of the server, for tests that change parts of it.
func Config() llmtest.Config {
	return llmtest.Config{
		Models:     []string{Chat, Image, Speech, Transcription},
		Answer:     answer,
		Image:      paint,
		Speech:     speak,
		Transcribe: transcribe,
	}
}

func answer(r llmtest.Request) llmtest.Response {
	text := describe(r)
	switch r.Format {
	case "json_schema":
		var schema map[string]any
		if err := json.Unmarshal(r.Schema, &schema); err != nil {
			return llmtest.Response{Status: 400, ErrorMessage: err.Error()}
		}
		return llmtest.Response{JSON: valueOf(schema, text)}
	case "json_object":
		return llmtest.Response{JSON: map[string]any{"labels": []any{map[string]any{"label": text, "score": 0.5}}}}
	}
	return llmtest.Response{Text: text}
}

// describe describes the pictures in a request, or else repeats the start of its text.
func describe(r llmtest.Request) string {
	var seen []string
	for _, content := range pictures(r.Body) {
		img, err := mediatest.Decode(content)
		if err != nil {
			return err.Error()
		}
		for _, o := range mediatest.Objects(img) {
			seen = append(seen, o.Colour)
		}
	}
	if len(seen) > 0 {
		return "a " + strings.Join(seen, " thing and a ") + " thing"
	}
	words := strings.Fields(r.User())
	return strings.Join(words[:min(len(words), 12)], " ")
}

// pictures returns the pictures in a request.
func pictures(body []byte) [][]byte {
	var request struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &request) != nil {
		return nil
	}
	var all [][]byte
	for _, m := range request.Messages {
		var parts []struct {
			ImageURL struct {
				URL string `json:"url"`
			} `json:"image_url"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue // a text
		}
		for _, p := range parts {
			if _, spelled, ok := strings.Cut(p.ImageURL.URL, ";base64,"); ok {
				if content, err := base64.StdEncoding.DecodeString(spelled); err == nil {
					all = append(all, content)
				}
			}
		}
	}
	return all
}

// valueOf returns a value that fits a schema, with text as its strings.
func valueOf(schema map[string]any, text string) any {
	switch schema["type"] {
	case "object":
		object := map[string]any{}
		properties := as[map[string]any](schema["properties"])
		for name, of := range properties {
			object[name] = valueOf(as[map[string]any](of), text)
		}
		if _, box := object["right"]; box { // the whole picture
			object["left"], object["top"], object["right"], object["bottom"] = 0, 0, 1000, 1000
		}
		return object
	case "array":
		return []any{valueOf(as[map[string]any](schema["items"]), text)}
	case "number":
		return 0.5
	case "integer":
		return 1
	case "boolean":
		return true
	}
	if known, ok := schema["enum"].([]any); ok && len(known) > 0 {
		return known[0]
	}
	return text
}

// drawn is the default side of pictures, in pixels.
const drawn = 64

func paint(r llmtest.ImageRequest) llmtest.ImageResponse {
	w, h := drawn, drawn
	if r.Size != "" && r.Size != "auto" {
		if _, err := fmt.Sscanf(r.Size, "%dx%d", &w, &h); err != nil {
			return llmtest.ImageResponse{Fault: llmtest.Fault{Status: 400, ErrorMessage: err.Error()}}
		}
	}
	if !r.Edit {
		return llmtest.ImageResponse{Images: [][]byte{mediatest.PNG(mediatest.Picture(r.Prompt, w, h))}}
	}
	from, ink := r.Image, mediatest.Tint(r.Prompt)
	out := mediatest.Draw(w, h, func(x, y int) color.NRGBA {
		at := func(img image.Image) color.NRGBA {
			b := img.Bounds()
			return as[color.NRGBA](color.NRGBAModel.Convert(img.At(b.Min.X+x*b.Dx()/w, b.Min.Y+y*b.Dy()/h)))
		}
		switch {
		case r.Mask == nil:
			return mediatest.Mix(at(from), ink, 128)
		case at(r.Mask).A == 0:
			return ink
		}
		return at(from)
	})
	return llmtest.ImageResponse{Images: [][]byte{mediatest.PNG(out)}}
}

func speak(r llmtest.SpeechRequest) llmtest.SpeechResponse {
	return llmtest.SpeechResponse{Audio: mediatest.Tone(r.Input, time.Second)}
}

func transcribe(r llmtest.TranscribeRequest) llmtest.TranscribeResponse {
	return llmtest.TranscribeResponse{Text: cmp.Or(mediatest.Said(r.Audio), "a tone")}
}

// as returns v if it has type T, or else the zero value.
func as[T any](v any) T {
	if t, ok := v.(T); ok {
		return t
	}
	var zero T
	return zero
}
