package hftask

import (
	"context"
	"encoding/base64"
	"errors"
	"image"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
)

// TestAnswersAreBounded checks that an answer without a file has limits for its bytes and entries, and that reading it
// stops with the call.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	body := `{"summary_text":"short","more":"` + strings.Repeat("a", maxWordsBody) + `"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			say(200, body)(w)
			return
		}
		tasksOnly(w, r, "summarization")
	}))
	t.Cleanup(server.Close)
	b := backendAt(t, server.URL, func(c *Config) {
		c.Endpoint = endpointAt(t, server.URL, func(e *endpoint.Config) { e.MaxBody = 4 * maxWordsBody })
	})
	_, err := b.Run(t.Context(), candidate("summarization"), call(t, plan.Text, args{"text": text("a long text")}))
	blames(t, err, true, "could not be read")

	many := []byte("[[" + strings.Repeat(`{"label":"a","score":1},`, 1<<18) + "]]") // not valid JSON as a whole
	if _, err := entries[label](t.Context(), many); err == nil || !strings.Contains(plan.ForOperator(err), "more than 2000 entries") {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := entries[label](ended, many); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := (answer{header: jsonHeader(), body: []byte(`{"depth":"x"}`)}).content(ended, "depth"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

// TestFilesInAnswers checks that files are found in all known forms of answers.
func TestFilesInAnswers(t *testing.T) {
	t.Parallel()
	file := base64.StdEncoding.EncodeToString([]byte("file"))
	numbers := "[" + strings.Repeat("0,", 1<<16) + "0]"
	for body, found := range map[string]bool{
		`{"predicted_depth":[` + numbers + `],"depth":"` + file + `"}`: true,
		` [ { "image" : "` + file + `" } , 3 ] `:                       true,
		`{"url":null,"images":[{"b64_json":"` + file + `"}]}`:          true,
		`{"output":["` + file + `","x"]}`:                              true,
		`{"data":{"image":"` + file + `"}}`:                            true,
		`"` + file + `"`:                                               true,
		`["` + file + `"]`:                                             false,
		`{"other":"` + file + `"}`:                                     false,
		`{"image":"` + file + `"`:                                      false,
		`{"image":3}`:                                                  false,
		numbers:                                                        false,
		``:                                                             false,
	} {
		got, err := answer{header: jsonHeader(), body: []byte(body)}.content(t.Context(), "depth", "image")
		if (err == nil) != found || found && string(got) != "file" {
			t.Errorf("%.60s: %q, %v", body, got, err)
		}
	}
}

// TestModelFailure checks that a model's failure on an input is not blamed on the server, and is not retried.
func TestModelFailure(t *testing.T) {
	t.Parallel()
	for said, down := range map[string]bool{
		`{"error":"cannot identify image file"}`:                        false,
		`{"error":"Image is too small for this model"}`:                 false,
		`{"error":"Sizes of tensors must match except in dimension 1"}`: false,
		`{"error":"CUDA out of memory. Tried to allocate 20.00 MiB"}`:   true,
		`Internal Server Error`:                                         true,
	} {
		var posts atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posts.Add(1)
				say(500, said)(w)
				return
			}
			tasksOnly(w, r, "image-to-text")
		}))
		t.Cleanup(server.Close)
		_, err := backendAt(t, server.URL).Run(t.Context(), candidate("image-to-text"),
			call(t, plan.Text, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(20, 20)))}))
		blames(t, err, down, "failed on this")
		if posts.Load() != 1 {
			t.Errorf("sent %d times", posts.Load())
		}
	}
}

// TestJobsBelowPath checks that a server's base URL may have a path, and that a Location is resolved against the URL of
// the request.
func TestJobsBelowPath(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"", "/gpu/jobs/7", "../jobs/7"} {
		var polls atomic.Int32
		mux := http.NewServeMux()
		mux.HandleFunc("POST /gpu/pipeline/text-to-image", func(w http.ResponseWriter, _ *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			say(202, `{"id":"7","status":"queued"}`)(w)
		})
		mux.HandleFunc("GET /gpu/jobs/7", func(w http.ResponseWriter, _ *http.Request) {
			polls.Add(1)
			say(200, `{"id":"7","status":"done"}`)(w)
		})
		mux.HandleFunc("GET /gpu/jobs/7/result", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(mediatest.PNG(plain(8, 6, red))) //nolint:errcheck // the client may be gone
		})
		mux.HandleFunc("GET /gpu/healthz", func(w http.ResponseWriter, _ *http.Request) { say(200, `{}`)(w) })
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		must(t, backendAt(t, server.URL+"/gpu"), candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("x")}))
		if polls.Load() != 1 {
			t.Errorf("%q: asked after %d times", location, polls.Load())
		}
	}
}

// TestMapSize checks that a map is scaled to the photo's size; the server returns smaller ones, with sides in steps.
func TestMapSize(t *testing.T) {
	t.Parallel()
	_, b := serve(t)
	photo := fileWith(t, plan.Image, "a.jpg", mediatest.JPEG(scene(2600, 1700)))
	for run, returns := range map[string]plan.Type{"depth-estimation": plan.Depth, "image-to-image+edge": plan.Edge} {
		out := must(t, b, candidate(run), call(t, returns, args{"image": photo}))
		if got := pictureAt(t, out.Path).Bounds().Size(); got != image.Pt(2600, 1700) {
			t.Errorf("%s: %v", run, got)
		}
	}
	for _, c := range []struct {
		made, of image.Point
		same     bool
	}{
		{image.Pt(512, 384), image.Pt(4000, 3000), true},
		{image.Pt(512, 320), image.Pt(2600, 1700), true},
		{image.Pt(512, 256), image.Pt(3840, 2160), true},
		{image.Pt(512, 128), image.Pt(4000, 1000), true},
		{image.Pt(384, 512), image.Pt(3000, 4000), true},
		{image.Pt(120, 90), image.Pt(120, 90), true},
		{image.Pt(512, 512), image.Pt(4000, 3000), false},
		{image.Pt(384, 512), image.Pt(4000, 3000), false},
		{image.Pt(8, 8), image.Pt(8, 6), false},
		{image.Pt(0, 5), image.Pt(8, 6), false},
	} {
		if got := sameShape(c.made, c.of); got != c.same {
			t.Errorf("%v of %v: %v", c.made, c.of, got)
		}
	}
}

// TestSmallMasks checks that an area smaller than a pixel of the sent picture becomes one pixel.
func TestSmallMasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, at, want image.Point }{
		{image.Pt(40, 30), image.Pt(13, 17), image.Pt(1, 1)},
		{image.Pt(40, 30), image.Pt(399, 299), image.Pt(39, 29)},
		{image.Pt(400, 300), image.Pt(13, 17), image.Pt(13, 17)},
		{image.Pt(37, 29), image.Pt(200, 150), image.Pt(18, 14)},
	} {
		m := maskOver(400, 300, image.Rectangle{c.at, c.at.Add(image.Pt(1, 1))})
		j := &job{
			backend: backendAt(t, "http://localhost:1"), sent: sent{given: image.Pt(400, 300), size: c.size},
			call: call(t, plan.Image, args{"mask": fileWith(t, plan.Mask, "m.png", mediatest.PNG(m))}),
		}
		f, err := j.mask(t.Context())
		if err != nil {
			t.Errorf("%v: %v", c.size, err)
			continue
		}
		path := fileWith(t, plan.Mask, "sent.png", f.content)[0].Path
		got, err := media.ReadMask(t.Context(), path, media.Limits{}.OrDefault())
		if err != nil || got.Width != c.size.X || got.At(c.want.X, c.want.Y) == 0 {
			t.Errorf("%v: %v", c.size, err)
		}
	}
}
