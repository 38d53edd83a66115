package hftasktest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	white = color.NRGBA{255, 255, 255, 255}
	red   = color.NRGBA{220, 30, 30, 255}
	blue  = color.NRGBA{40, 70, 220, 255}
)

// discs returns a picture of w×h with discs of radius 20 on white.
func discs(w, h int, c color.NRGBA, places ...image.Point) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(white), image.Point{}, draw.Src)
	for _, p := range places {
		for y := -20; y <= 20; y++ {
			for x := -20; x <= 20; x++ {
				if x*x+y*y <= 400 {
					img.SetNRGBA(p.X+x, p.Y+y, c)
				}
			}
		}
	}
	return img
}

// three returns a picture of three red discs.
func three() *image.NRGBA {
	return discs(240, 100, red, image.Pt(40, 50), image.Pt(120, 50), image.Pt(200, 50))
}

// in64 encodes a picture for JSON.
func in64(t *testing.T, img image.Image) string {
	t.Helper()
	return base64.StdEncoding.EncodeToString(mediatest.PNG(img))
}

// reply is a response.
type reply struct {
	status int
	kind   string
	header http.Header
	body   []byte
}

// send posts a body, maps as JSON.
func send(t *testing.T, s *hftasktest.Server, path, kind string, body any) reply {
	t.Helper()
	b, ok := body.([]byte)
	if !ok {
		var err error
		if b, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
		kind = "application/json"
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	return do(t, req)
}

// fetch requests a path.
func fetch(t *testing.T, s *hftasktest.Server, method, path string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) reply {
	t.Helper()
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header, b}
}

// into decodes a JSON answer with status 200.
func into[T any](t *testing.T, r reply) T {
	t.Helper()
	var v T
	if r.status != http.StatusOK || r.kind != "application/json" {
		t.Fatalf("%d %s %s", r.status, r.kind, r.body)
	}
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return v
}

// shown decodes a picture in an answer with status 200.
func shown(t *testing.T, r reply) image.Image {
	t.Helper()
	if r.status != http.StatusOK || r.kind != "image/png" {
		t.Fatalf("%d %s %s", r.status, r.kind, r.body)
	}
	img, err := png.Decode(bytes.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// masked decodes a picture in JSON.
func masked(t *testing.T, encoded string) image.Image {
	t.Helper()
	img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(encoded)))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// same reports whether a pixel has about the colour.
func same(img image.Image, x, y int, want color.NRGBA) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	near := func(a uint32, b uint8) bool { d := int(a>>8) - int(b); return d < 12 && d > -12 }
	return near(r, want.R) && near(g, want.G) && near(b, want.B)
}
