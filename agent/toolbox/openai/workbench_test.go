package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections() //nolint:forcetypeassert,errcheck // it is one
		os.Exit(code)
	}))
}

// transport returns a transport whose connections close with the test.
func transport(t *testing.T) http.RoundTripper {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	return own
}

// newBackend returns a backend for a scripted server, with a model for everything.
func newBackend(t *testing.T, script llmtest.Config, change ...func(*Config)) (*Backend, *llmtest.Server) {
	t.Helper()
	server := llmtest.New(t, script)
	e, err := endpoint.New(endpoint.Config{
		BaseURL: server.URL(), Key: "test-key", Transport: transport(t), MaxBody: 64 << 20,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return newBackendAt(t, e, change...), server
}

func newBackendAt(t *testing.T, e *endpoint.Endpoint, change ...func(*Config)) *Backend {
	t.Helper()
	c := Config{
		Endpoint: e, Chat: "talker", Vision: "seer", Image: "painter", Speech: "gpt-4o-mini-tts", Transcription: "whisper-1",
		Frames: func(_ context.Context, _, dir string, most int) ([]media.Frame, error) {
			frames := make([]media.Frame, 3)
			for i := range frames {
				path := filepath.Join(dir, string(rune('a'+i))+".jpg")
				if err := os.WriteFile(path, mediatest.JPEG(plain(40, 30, color.NRGBA{uint8(80 * i), 0, 0, 255})), 0o600); err != nil {
					return nil, err
				}
				frames[i] = media.Frame{Path: path, At: time.Duration(i) * 61 * time.Second}
			}
			return frames[:min(most, 3)], nil
		},
	}
	for _, f := range change {
		f(&c)
	}
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if c.Image == "painter" { // not OpenAI's, and fast
		b.pictures.canvases = func(string) []image.Point { return []image.Point{{96, 64}, {64, 64}, {64, 96}} }
	}
	return b
}

// cloud returns an endpoint that counts as outside your network, but uses the transport.
func cloud(t *testing.T, through http.RoundTripper) *endpoint.Endpoint {
	t.Helper()
	e, err := endpoint.New(endpoint.Config{BaseURL: "https://models.example.com/v1", Key: "test-key", Transport: through, Retries: -1, MaxBody: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

type args map[string][]toolbox.Value

func text(s string) []toolbox.Value {
	return []toolbox.Value{{Resource: plan.Resource{Type: plan.Text, Value: s}}}
}

// file returns a value whose file has the given content.
func file(t *testing.T, typ plan.Type, name string, content []byte) []toolbox.Value {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return []toolbox.Value{{Resource: plan.Resource{Name: name, Type: typ, Blob: name}, Path: path}}
}

func call(t *testing.T, returns plan.Type, a args) toolbox.Call {
	t.Helper()
	return toolbox.Call{Tool: "some_tool", Request: "request-1", Returns: returns, Args: a, Dir: t.TempDir()}
}

func backing(run, prompt string) toolbox.Candidate {
	return toolbox.Candidate{Backing: toolbox.Backing{Kind: "openai", Run: run, Device: "cpu", Prompt: prompt}}
}

// must runs a call that must succeed.
func must(t *testing.T, b *Backend, how toolbox.Candidate, c toolbox.Call) toolbox.Output {
	t.Helper()
	out, err := b.Run(t.Context(), how, c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plain returns a picture of one colour.
func plain(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// speckled returns a picture in which every pixel differs from its neighbours.
func speckled(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 37 % 251)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// withComment adds a secret comment to a JPEG.
func withComment(jpeg []byte, secret string) []byte {
	segment := append([]byte{0xFF, 0xFE, 0, byte(len(secret) + 2)}, secret...)
	return append(append(append([]byte{}, jpeg[:2]...), segment...), jpeg[2:]...)
}

// mp3 returns a number of silent frames.
func mp3(frames int) []byte {
	frame := append([]byte{0xFF, 0xFB, 0x90, 0x00}, make([]byte, 413)...)
	return bytes.Repeat(frame, frames)
}

// seen returns the pictures in a request as they were sent.
func seen(t *testing.T, r llmtest.Request) (pictures [][]byte) {
	t.Helper()
	var body struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, m := range body.Messages {
		var parts []struct {
			ImageURL *struct {
				URL string `json:"url"`
			} `json:"image_url"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue // a text
		}
		for _, p := range parts {
			if p.ImageURL == nil {
				continue
			}
			content, ok := strings.CutPrefix(p.ImageURL.URL, "data:image/jpeg;base64,")
			b, err := base64.StdEncoding.DecodeString(content)
			if !ok || err != nil {
				t.Fatalf("a picture is sent as %.40q: %v", p.ImageURL.URL, err)
			}
			pictures = append(pictures, b)
		}
	}
	return pictures
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// animation returns a GIF with two frames.
func animation(t *testing.T) []byte {
	t.Helper()
	frame := image.NewPaletted(image.Rect(0, 0, 20, 20), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{5, 5}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
