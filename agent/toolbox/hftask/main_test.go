package hftask

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
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/toolboxtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	// secret is a token in the hub's form.
	secret = "hf_Abc123Def456Ghi789Jkl" //nolint:gosec // not a real one
	// enough is the size limit for answers; the pictures of tests are small.
	enough = 8 << 20
)

// endpointAt returns an endpoint for a test server, whose connections close with the test.
func endpointAt(t *testing.T, base string, change ...func(*endpoint.Config)) *endpoint.Endpoint {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	c := endpoint.Config{
		BaseURL: base, Key: secret, Transport: own, MaxBody: enough,
		Wait:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Names: endpoint.Names{Key: "TOOL_SERVER_TOKEN", BaseURL: "TOOL_SERVER_URL", Model: "BACKENDS_FILE"},
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

// backendAt returns a backend for your own tool server, which waits without delay.
func backendAt(t *testing.T, base string, change ...func(*Config)) *Backend {
	t.Helper()
	c := Config{
		Endpoint: endpointAt(t, base),
		Wait:     func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, f := range change {
		f(&c)
	}
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// serve starts the fake server, and returns a backend for it.
func serve(t *testing.T) (*hftasktest.Server, *Backend) {
	t.Helper()
	s := hftasktest.New(t, hftasktest.Config{})
	return s, backendAt(t, s.URL())
}

// onHub returns a backend that treats the server as the hub, outside your network.
func onHub(t *testing.T, s *hftasktest.Server) *Backend {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	away := func(c *endpoint.Config) {
		c.Transport = toolboxtest.Through{To: s.URL(), With: own}
		c.Names = endpoint.Names{Key: "HF_TOKEN"}
	}
	return backendAt(t, "https://router.example.com", func(c *Config) {
		c.Endpoint = endpointAt(t, "https://router.example.com", away)
		c.Hub = &Hub{Models: endpointAt(t, "https://hub.example.com", away), BillTo: "workshop"}
		c.AllowMedia = true
	})
}

type args map[string][]toolbox.Value

func value(typ plan.Type, s string) []toolbox.Value {
	return []toolbox.Value{{Resource: plan.Resource{Type: typ, Value: s}}}
}

func text(s string) []toolbox.Value { return value(plan.Text, s) }

// file returns a value whose file has the given content.
func fileWith(t *testing.T, typ plan.Type, name string, content []byte) []toolbox.Value {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return []toolbox.Value{{Resource: plan.Resource{Name: name, Type: typ, Blob: name}, Path: path}}
}

func call(t *testing.T, returns plan.Type, a args) toolbox.Call {
	t.Helper()
	return toolbox.Call{Tool: "some_tool", Request: "request-1", Returns: returns, Args: a, Dir: t.TempDir(), Seed: 7}
}

func candidate(run string) toolbox.Candidate {
	return toolbox.Candidate{Backing: toolbox.Backing{Kind: "hftask", Run: run, Device: "gpu"}}
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

var (
	red   = color.NRGBA{220, 20, 20, 255}
	blue  = color.NRGBA{20, 40, 220, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// scene is a red square on white, with a blue one beside it.
func scene(w, h int) *image.NRGBA {
	img := plain(w, h, white)
	draw.Draw(img, redAt(w, h), image.NewUniform(red), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(w*7/10, h*6/10, w*8/10, h*8/10), image.NewUniform(blue), image.Point{}, draw.Src)
	return img
}

func redAt(w, h int) image.Rectangle { return image.Rect(w/10, h/10, w/2, h/2) }

// plain returns a picture of one colour.
func plain(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// maskOver returns a mask that covers a rectangle, white on black.
func maskOver(w, h int, r image.Rectangle) *image.NRGBA {
	img := plain(w, h, color.Black)
	draw.Draw(img, r, image.White, image.Point{}, draw.Src)
	return img
}

// pictureAt decodes an output picture.
func pictureAt(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was read
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// promisedNothing checks that a failed call has left no files.
func promisedNothing(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("the folder contains %v, %v", left, err)
	}
}
