package openaitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"testing"

	"github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client returns OpenAI's client for a new server.
func client(t *testing.T) *openai.Client {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	config := openai.DefaultConfig("key")
	config.BaseURL = New(t).URL()
	config.HTTPClient = &http.Client{Transport: own}
	return openai.NewClientWithConfig(config)
}

func redOnWhite(t *testing.T) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 60, 40))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(20, 10, 40, 30), image.NewUniform(color.NRGBA{220, 30, 30, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPicturesAreDescribed checks descriptions in words and in JSON.
func TestPicturesAreDescribed(t *testing.T) {
	t.Parallel()
	c := client(t)
	ask := func(format *openai.ChatCompletionResponseFormat) string {
		answer, err := c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{
			Model: Chat, ResponseFormat: format,
			Messages: []openai.ChatCompletionMessage{{Role: "user", MultiContent: []openai.ChatMessagePart{
				{Type: "text", Text: "What is it?"},
				{Type: "image_url", ImageURL: &openai.ChatMessageImageURL{URL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(redOnWhite(t))}},
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Choices[0].Message.Content
	}
	if got := ask(nil); got != "a red thing" {
		t.Errorf("described %q", got)
	}
	schema := json.RawMessage(`{"type":"object","properties":{"labels":{"type":"array","items":{"type":"object",
		"properties":{"label":{"type":"string"},"score":{"type":"number"}},"required":["label","score"],"additionalProperties":false}}},
		"required":["labels"],"additionalProperties":false}`)
	if got := ask(&openai.ChatCompletionResponseFormat{Type: "json_schema", JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
		Name: "labels", Strict: true, Schema: schema,
	}}); got != `{"labels":[{"label":"a red thing","score":0.5}]}` {
		t.Errorf("described %s", got)
	}
}

// TestPicturesAreDrawn checks that drawings have the requested size.
func TestPicturesAreDrawn(t *testing.T) {
	t.Parallel()
	answer, err := client(t).CreateImage(t.Context(), openai.ImageRequest{Model: Image, Prompt: "a dog", N: 1, Size: "256x128", ResponseFormat: "b64_json"})
	if err != nil {
		t.Fatal(err)
	}
	content, err := base64.StdEncoding.DecodeString(answer.Data[0].B64JSON)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(content)); err != nil || img.Bounds() != image.Rect(0, 0, 256, 128) {
		t.Errorf("drew %v, %v", img, err)
	}
}

// TestSpeechIsTranscribed checks that speech is transcribed word for word.
func TestSpeechIsTranscribed(t *testing.T) {
	t.Parallel()
	c := client(t)
	speech, err := c.CreateSpeech(t.Context(), openai.CreateSpeechRequest{Model: Speech, Input: "good morning", Voice: "alloy", ResponseFormat: "mp3"})
	if err != nil {
		t.Fatal(err)
	}
	sound, err := io.ReadAll(speech)
	if err != nil || speech.Close() != nil {
		t.Fatal(err)
	}
	answer, err := c.CreateTranscription(t.Context(), openai.AudioRequest{Model: Transcription, Reader: bytes.NewReader(sound), FilePath: "a.wav"})
	if err != nil || answer.Text != "good morning" {
		t.Errorf("transcribed %q, %v", answer.Text, err)
	}
}
