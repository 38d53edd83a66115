package localai

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newEndpoint returns an endpoint for a server, without delays between retries.
func newEndpoint(t *testing.T, url string, change ...func(*endpoint.Config)) *endpoint.Endpoint {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	c := endpoint.Config{
		BaseURL: url, Transport: own, MaxBody: 8 << 20, Retries: 1,
		Wait:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Names: endpoint.Names{Key: "LOCALAI_API_KEY", BaseURL: "LOCALAI_URL", Model: "BACKENDS_FILE"},
	}
	for _, f := range change {
		f(&c)
	}
	e, err := endpoint.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// newBackend returns a backend for a fake LocalAI server.
func newBackend(t *testing.T, c localaitest.Config, change ...func(*Config)) (*Backend, *localaitest.Server) {
	t.Helper()
	server := localaitest.New(t, c)
	return newBackendAt(t, newEndpoint(t, server.URL()), change...), server
}

func newBackendAt(t *testing.T, e *endpoint.Endpoint, change ...func(*Config)) *Backend {
	t.Helper()
	c := Config{Endpoint: e}
	for _, f := range change {
		f(&c)
	}
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func candidate(run, prompt string) toolbox.Candidate {
	return toolbox.Candidate{Backing: toolbox.Backing{Kind: "localai", Run: run, Device: "cpu", Prompt: prompt}}
}

type args map[string][]toolbox.Value

func call(t *testing.T, returns plan.Type, a args) toolbox.Call {
	t.Helper()
	return toolbox.Call{Tool: "some_tool", Request: "request-1", Returns: returns, Args: a, Dir: t.TempDir(), Seed: 7}
}

func text(s string) []toolbox.Value {
	return []toolbox.Value{{Resource: plan.Resource{Type: plan.Text, Value: s}}}
}

// file returns a value whose file has the given content.
func file(t *testing.T, typ plan.Type, name string, content []byte) []toolbox.Value {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return []toolbox.Value{{Resource: plan.Resource{Name: name, Type: typ, Blob: name}, Path: path}}
}

func points(t *testing.T, all ...plan.Point) []toolbox.Value {
	t.Helper()
	value, err := plan.EncodeValue(all)
	if err != nil {
		t.Fatal(err)
	}
	return []toolbox.Value{{Resource: plan.Resource{Type: plan.Points, Value: value}}}
}

// must runs a call that must succeed.
func must(t *testing.T, b *Backend, how toolbox.Candidate, c toolbox.Call) toolbox.Output {
	t.Helper()
	c, err := toolboxtest.Typed(t, how.Backing, c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Run(t.Context(), how, c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func said(err error) string { return plan.OperatorSentence(err, plan.Message{}).String() }

// Objects in the scene.
var (
	red   = color.NRGBA{220, 30, 30, 255}
	blue  = color.NRGBA{30, 30, 220, 255}
	big   = image.Rect(20, 30, 80, 90)   // red
	small = image.Rect(120, 50, 150, 90) // blue
)

// scene is a red object and a smaller blue one on white.
func scene() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 200, 120))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, big, image.NewUniform(red), image.Point{}, draw.Src)
	draw.Draw(img, small, image.NewUniform(blue), image.Point{}, draw.Src)
	return img
}

// covering returns a mask that is white in a part of a picture.
func covering(size image.Point, part image.Rectangle) *image.Gray {
	img := image.NewGray(image.Rectangle{Max: size})
	draw.Draw(img, part, image.White, image.Point{}, draw.Src)
	return img
}

func sceneFile(t *testing.T) []toolbox.Value {
	t.Helper()
	return file(t, plan.Image, "scene.png", mediatest.PNG(scene()))
}

func tone(t *testing.T) []toolbox.Value {
	t.Helper()
	return file(t, plan.Audio, "voice.wav", mediatest.Tone("hello", time.Second))
}
