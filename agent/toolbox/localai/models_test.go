package localai

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/localai/localaitest"
)

// TestModelChoice checks which of the installed models is used.
func TestModelChoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run, models, want string
	}{
		{"detection", "sam3:detection rfdetr-base:detection yolo11:detection", "rfdetr-base"},
		{"detection", "my-own:detection", "my-own"},
		{"detection", "insightface-buffalo:detection,face_recognition sam3:detection", ""},
		{"detection", "rfdetr-base:chat", ""},
		{"grounding", "rfdetr-base:detection sam3:detection", "sam3"},
		{"grounding", "edgetam:detection rfdetr-base:detection", "rfdetr-base"},
		{"segmentation", "rfdetr-base:detection rfdetr-cpp-seg-nano:detection", "rfdetr-cpp-seg-nano"},
		{"segmentation", "rfdetr-base:detection", ""},
		{"segmentation-by-points", "rfdetr-base:detection edgetam:detection", "edgetam"},
		{"segmentation-by-points", "rfdetr-base:detection", ""},
		{"segmentation-by-mask", "rfdetr-base:detection sam2.1-hiera:detection", "sam2.1-hiera"},
		{"depth", "something:depth depth-anything-3-base:depth", "depth-anything-3-base"},
		{"sound-generation", "kokoro:tts musicgen-small:sound_generation", "musicgen-small"},
		{"video", "wan-2.1-i2v-14b:video wan-2.1-t2v-1.3b:video", "wan-2.1-t2v-1.3b"},
		{"video", "wan-2.1-i2v-14b:video", ""},
		{"video-from-image", "wan-2.1-i2v-14b:video wan-2.1-t2v-1.3b:video", "wan-2.1-i2v-14b"},
		{"video-from-image", "wan2.2-ti2v-5b:video", "wan2.2-ti2v-5b"},
		{"video-from-image", "wan-2.1-t2v-1.3b:video longcat-avatar:video", ""},
		{"images-inpainting", "z-image-turbo:image", ""},
		{"images-inpainting", "z-image-turbo:image dreamshaper-8-inpainting:image", "dreamshaper-8-inpainting"},
		{"images-reference", "z-image-turbo:image flux.1-kontext-dev:image", "flux.1-kontext-dev"},
		{"images-upscale", "stable-diffusion-x4-upscaler:upscale", "stable-diffusion-x4-upscaler"},
		{"audio-denoise", "voice-changer:audio_transform", ""},
		{"audio-transform", "voice-changer:audio_transform", "voice-changer"},
	} {
		b, _ := newBackend(t, localaitest.Config{Models: models(c.models)})
		r := b.runs[c.run]
		got, err := b.models.choose(t.Context(), r.need, "")
		if told := b.ModelOf(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Run: c.run}}); told != c.want {
			t.Errorf("%s of %s is reported as %q", c.run, c.models, told)
		}
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s of %s: %q, %v", c.run, c.models, got, err)
		}
		if err != nil && (!strings.Contains(said(err), r.need.purpose.String()) || !strings.Contains(said(err), r.need.example) || errors.Is(err, toolbox.ErrDown)) {
			t.Errorf("%s: %v", c.run, err)
		}
	}
}

// models parses "id:capability,capability id:…".
func models(list string) []localaitest.Model {
	all := []localaitest.Model{}
	for entry := range strings.FieldsSeq(list) {
		id, capabilities, _ := strings.Cut(entry, ":")
		all = append(all, localaitest.Model{ID: id, Capabilities: strings.Split(capabilities, ",")})
	}
	return all
}

// TestModelChoiceForOpenAI checks which of the installed models is used for OpenAI's runs.
func TestModelChoiceForOpenAI(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		b, _ := newBackend(t, localaitest.Config{Old: old})
		for run, want := range map[string]string{
			"chat": "qwen3-vl-4b-instruct", "chat-vision": "qwen3-vl-4b-instruct", "chat-video": "qwen3-vl-4b-instruct",
			"images-generations": "z-image-turbo", "audio-speech": "kokoro", "audio-transcriptions": "whisper-large-turbo",
		} {
			if old && run == "chat" {
				continue // any name may be a chat model's
			}
			if got, err := b.Find(t.Context(), run); err != nil || got != want {
				t.Errorf("%s: %q, %v", run, got, err)
			}
		}
		if _, err := b.Find(t.Context(), "images-edits"); !strings.Contains(said(err), "OpenAI's API") {
			t.Errorf("edits: %v", err)
		}
	}
}

// TestNamedModel checks that a named model is used, whatever its family.
func TestNamedModel(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, localaitest.Config{})
	how := candidate("detection", "")
	how.Model = "rfdetr-cpp-seg-medium"
	if out := must(t, b, how, call(t, plan.BBox, args{"image": sceneFile(t)})); out.Model != how.Model || server.Requests()[0].Model != how.Model {
		t.Errorf("used %q", out.Model)
	}
	how.Model = "rfdetr-huge"
	for _, err := range []error{b.Probe(t.Context(), how), func() error {
		_, err := b.Run(t.Context(), how, call(t, plan.BBox, args{"image": sceneFile(t)}))
		return err
	}()} {
		if !strings.Contains(said(err), `has no model called "rfdetr-huge"`) {
			t.Errorf("a missing model: %v", err)
		}
	}
}

// TestModelWithoutMasks checks that such a model fails with a sentence if masks are needed.
func TestModelWithoutMasks(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{})
	for _, run := range []string{"segmentation", "segmentation-by-points"} {
		how := candidate(run, "")
		how.Model = "rfdetr-base"
		_, err := b.Run(t.Context(), how, call(t, plan.Mask, args{"image": sceneFile(t), "points": points(t, plan.Point{X: 50, Y: 60})}))
		if !strings.Contains(said(err), "not outlines") || !errors.Is(err, toolbox.ErrDown) {
			t.Errorf("%s: %v", run, err)
		}
	}
}

// TestOldServer checks that models of known families are used if a server lists only names.
func TestOldServer(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{Old: true, Models: models("llama:chat rfdetr-base:detection ced-tiny:x advanced:x depth-anything:depth")})
	for run, live := range map[string]bool{"detection": true, "depth": true, "audio-classification": true, "video": false, "segmentation": false} {
		if err := b.Probe(t.Context(), candidate(run, "")); (err == nil) != live {
			t.Errorf("%s: %v", run, err)
		}
	}
}

// TestListIsCached checks that concurrent callers request the list once, and again when it is old.
func TestListIsCached(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	now.Store(1000)
	b, server := newBackend(t, localaitest.Config{}, func(c *Config) { c.Clock = func() time.Time { return time.Unix(now.Load(), 0) } })
	var all sync.WaitGroup
	for run := range b.runs {
		all.Go(func() {
			if err := b.Probe(t.Context(), candidate(run, "")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	once := []string{"GET /readyz", "GET /v1/models/capabilities"}
	if got := server.Calls(); !slices.Equal(got, once) {
		t.Errorf("requests %v", got)
	}
	for at, want := range map[int64]int{1009: 2, 1010: 4} {
		b, server := newBackend(t, localaitest.Config{}, func(c *Config) { c.Clock = func() time.Time { return time.Unix(now.Load(), 0) } })
		now.Store(1000)
		first := b.Probe(t.Context(), candidate("depth", ""))
		now.Store(at)
		if err := b.Probe(t.Context(), candidate("depth", "")); first != nil || err != nil || len(server.Calls()) != want {
			t.Errorf("after %d s: %v, %v", at-1000, server.Calls(), err)
		}
	}
}

// TestListFaults checks that a fault of the list affects all runs, with a sentence.
func TestListFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault localaitest.Fault
		path  string
		want  string
		is    error
	}{
		{localaitest.Down, "/readyz", "does not answer", toolbox.ErrDown},
		{localaitest.Loading, "/readyz", "is still starting", toolbox.ErrLoading},
		{localaitest.Page, "/readyz", "could not be read", toolbox.ErrDown},
		{localaitest.Page, "/v1/models/capabilities", "could not be read", toolbox.ErrDown},
		{localaitest.Senseless, "/v1/models/capabilities", "could not be read", toolbox.ErrDown},
		{localaitest.Endless, "/v1/models/capabilities", "could not be read", toolbox.ErrDown},
		{localaitest.Cut, "/v1/models/capabilities", "could not be read", toolbox.ErrDown},
		{localaitest.Failing, "/v1/models/capabilities", "does not have this model", toolbox.ErrDown},
		{localaitest.Expired, "/v1/models/capabilities", "LOCALAI_API_KEY", toolbox.ErrDown},
	} {
		b, server := newBackend(t, localaitest.Config{})
		server.Break(c.fault, c.path)
		err := b.Probe(t.Context(), candidate("depth", ""))
		if !strings.Contains(said(err), c.want) || !errors.Is(err, c.is) {
			t.Errorf("%s at %s: %v", c.fault, c.path, err)
		}
	}
}

// TestKey checks that the key is sent to a server that requires one.
func TestKey(t *testing.T) {
	t.Parallel()
	server := localaitest.New(t, localaitest.Config{Key: "right"})
	for key, live := range map[string]bool{"right": true, "wrong": false, "": false} {
		b := newBackendAt(t, newEndpoint(t, server.URL(), func(c *endpoint.Config) { c.Key = key }))
		err := b.Probe(t.Context(), candidate("depth", ""))
		if (err == nil) != live || !live && !strings.Contains(said(err), "LOCALAI_API_KEY") || err != nil && strings.Contains(err.Error(), "wrong") {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// TestTimeout checks that a call to a silent server times out.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, err := endpoint.New(endpoint.Config{BaseURL: "http://localai:8080", Transport: silent{}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(Config{Endpoint: e})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		err = b.Probe(t.Context(), candidate("depth", ""))
		if !strings.Contains(said(err), "does not answer") || !errors.Is(err, toolbox.ErrDown) || time.Since(start) > 2*listTimeout {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// silent is a server that accepts calls but never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestCancelledProbe checks that a cancelled probe is not cached: the next one asks again.
func TestCancelledProbe(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, localaitest.Config{})
	server.Break(localaitest.Slow, "/readyz")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Probe(ctx, candidate("depth", "")) }()
	<-server.Held()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	server.Mend()
	if err := b.Probe(t.Context(), candidate("depth", "")); err != nil {
		t.Errorf("asked again: %v", err)
	}
}

// TestOtherServer checks that a server that is not LocalAI is recognised by its missing list.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	err := newBackendAt(t, newEndpoint(t, server.URL)).Probe(t.Context(), candidate("depth", ""))
	if said(err) == "" || !errors.Is(err, toolbox.ErrDown) {
		t.Errorf("got %v", err)
	}
}
