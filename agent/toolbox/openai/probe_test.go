package openai

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
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

var allRuns = []string{
	"chat", "chat-vision", "chat-video", "images-generations", "images-edits", "audio-speech", "audio-transcriptions",
}

// mediaRuns are the runs that send people's files.
var mediaRuns = []string{"chat-vision", "chat-video", "images-edits", "audio-transcriptions"}

func TestProbe(t *testing.T) {
	t.Parallel()
	all := []string{"talker", "seer", "painter", "gpt-4o-mini-tts", "whisper-1"}
	for name, c := range map[string]struct {
		models []string
		change func(*Config)
		want   map[string]string // errors by run; other runs are live
	}{
		"a server with all models": {all, nil, nil},
		"a server that lists none": {nil, nil, nil},
		"the latest is meant": {[]string{"talker:latest", "seer:7b", "painter", "gpt-4o-mini-tts", "whisper-1"}, nil,
			lacking(`no model called "seer": set OPENAI_VISION_MODEL`, "chat-vision", "chat-video")},
		"a gateway lists families":      {[]string{"gpt-*", "talker", "paint*", "whisper-*"}, nil, lacking(`no model called "seer"`, "chat-vision", "chat-video")},
		"a file is all that is served":  {[]string{"/models/qwen3-8b-q4.bin"}, nil, lacking("no model called", "images-generations", "images-edits", "audio-speech", "audio-transcriptions")},
		"a GGUF model alone is served":  {[]string{"ggml-org/Qwen3-8B-GGUF:Q4_K_M"}, nil, lacking("no model called", "images-generations", "images-edits", "audio-speech", "audio-transcriptions")},
		"one of several files is asked": {[]string{"a.gguf", "b.gguf"}, nil, lacking("no model called", allRuns...)},
		"names are given as an example": {[]string{"a", "b\nc", "d", "e", "f", "g", "h"}, nil, lacking("one that it has, such as a, d, e, f, g.", allRuns...)},
		"odd names are not repeated":    {[]string{"<b>"}, nil, lacking("one that it has.", allRuns...)},
		"no models are set": {all, func(c *Config) { c.Chat, c.Vision, c.Image, c.Speech, c.Transcription = "", "", "", "", "" },
			lacking("needs a model: set OPENAI_", allRuns...)},
		"nothing looks into videos": {all, func(c *Config) { c.Frames = nil }, lacking("needs the program ffmpeg", "chat-video")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := c.change
			if change == nil {
				change = func(*Config) {}
			}
			b, server := newBackend(t, llmtest.Config{Models: c.models}, change)
			for _, run := range allRuns {
				err := b.Probe(t.Context(), backing(run, "Do."))
				got, want := plan.OperatorSentence(err, plan.Message{}).String(), c.want[run]
				if (err == nil) != (want == "") || !strings.Contains(got, want) {
					t.Errorf("%s: got %v, want %q", run, err, want)
				}
			}
			if n := len(server.Calls()); n > 1 {
				t.Errorf("the list was requested %d times", n)
			}
		})
	}
}

// lacking returns the same expectation for several runs.
func lacking(want string, runs ...string) map[string]string {
	m := map[string]string{}
	for _, run := range runs {
		m[run] = want
	}
	return m
}

func TestProbeNamesTheVariable(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, llmtest.Config{Models: []string{"other"}})
	same, _ := newBackend(t, llmtest.Config{Models: []string{"other"}}, func(c *Config) { c.Vision = c.Chat })
	if got := plan.OperatorSentence(same.Probe(t.Context(), backing("chat-vision", "Do.")), plan.Message{}).String(); !strings.Contains(got, "set OPENAI_MODEL to one") {
		t.Errorf("one model for both: %q", got)
	}
	for run, variable := range map[string]string{
		"chat": "OPENAI_MODEL", "chat-vision": "OPENAI_VISION_MODEL", "images-generations": "OPENAI_IMAGE_MODEL",
		"images-edits": "OPENAI_IMAGE_MODEL", "audio-speech": "OPENAI_SPEECH_MODEL", "audio-transcriptions": "OPENAI_TRANSCRIPTION_MODEL",
	} {
		err := b.Probe(t.Context(), backing(run, "Do."))
		if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "set "+variable+" to one that it has, such as other.") {
			t.Errorf("%s: got %v", run, err)
		}
	}
}

func TestUnknownRun(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, llmtest.Config{})
	_, err := b.Run(t.Context(), backing("embeddings", "Do."), call(t, plan.Text, args{}))
	for _, err := range []error{err, b.Probe(t.Context(), backing("embeddings", "Do."))} {
		if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "does not know how to ask") {
			t.Errorf("got %v", err)
		}
	}
	if len(server.Calls()) > 0 {
		t.Error("the server was called")
	}
}

// TestProbeFaults checks that a fault that affects all runs fails the probe, and one that affects only the list does
// not.
func TestProbeFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"a key is wanted":              {http.StatusUnauthorized, "{}", "set OPENAI_API_KEY"},
		"the key may not list":         {http.StatusForbidden, "{}", ""},
		"there is no list":             {http.StatusNotFound, "{}", ""},
		"it is asked too often":        {http.StatusTooManyRequests, "{}", ""},
		"it does not know the request": {http.StatusBadRequest, "{}", ""},
		"it is in trouble":             {http.StatusBadGateway, "{}", "does not answer"},
		"it is no model server":        {http.StatusOK, "hello", "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				if _, err := w.Write([]byte(c.body)); err != nil {
					t.Error(err)
				}
			}))
			t.Cleanup(server.Close)
			e, err := endpoint.New(endpoint.Config{BaseURL: server.URL, Transport: transport(t), Retries: -1})
			if err != nil {
				t.Fatal(err)
			}
			err = newBackendAt(t, e).Probe(t.Context(), backing("chat", "Do."))
			if got := plan.OperatorSentence(err, plan.Message{}).String(); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestProbeOfMissingServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	e, err := endpoint.New(endpoint.Config{BaseURL: server.URL, Transport: transport(t), Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	err = newBackendAt(t, e).Probe(t.Context(), backing("chat", "Do."))
	if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "does not answer") {
		t.Errorf("got %v", err)
	}
}

// TestListIsCached checks that concurrent callers request the list once, and again when it is old.
func TestListIsCached(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	var asked atomic.Int64
	held := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		<-held
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	e, err := endpoint.New(endpoint.Config{BaseURL: server.URL, Transport: transport(t)})
	if err != nil {
		t.Fatal(err)
	}
	b := newBackendAt(t, e, func(c *Config) { c.Clock = func() time.Time { return time.Unix(now.Load(), 0) } })
	now.Store(1000)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := b.Probe(t.Context(), backing("chat", "Do.")); err != nil {
				t.Error(err)
			}
		})
	}
	close(held)
	all.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	for at, want := range map[int64]int64{1029: 1} {
		now.Store(at)
		if err := b.Probe(t.Context(), backing("chat", "Do.")); err != nil || asked.Load() != want {
			t.Errorf("after %d s asked %d times, %v", at-1000, asked.Load(), err)
		}
	}
	now.Store(1030)
	if err := b.Probe(t.Context(), backing("chat", "Do.")); err != nil || asked.Load() != 2 {
		t.Errorf("after 30 s asked %d times, %v", asked.Load(), err)
	}
}

// TestCancelledProbe checks that a cancelled probe is not cached: the next one asks again.
func TestCancelledProbe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			cancel()
			<-r.Context().Done()
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	e, err := endpoint.New(endpoint.Config{BaseURL: server.URL, Transport: transport(t)})
	if err != nil {
		t.Fatal(err)
	}
	b := newBackendAt(t, e)
	if err := b.Probe(ctx, backing("chat", "Do.")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := b.Probe(ctx, backing("chat", "Do.")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	if err := b.Probe(t.Context(), backing("chat", "Do.")); err != nil {
		t.Errorf("asked again: %v", err)
	}
}

// TestCloudMediaForbidden checks that no file is sent outside your network without permission, and that runs without
// files still work.
func TestCloudMediaForbidden(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: answers("fine")})
	b := newBackendAt(t, cloud(t, toolboxtest.Through{To: server.URL(), With: transport(t)}))
	for _, run := range allRuns {
		err := b.Probe(t.Context(), backing(run, "Do."))
		got := plan.OperatorSentence(err, plan.Message{}).String()
		if stays := slices.Contains(mediaRuns, run); stays != strings.Contains(got, "set ALLOW_CLOUD_MEDIA=true") || stays == (err == nil) {
			t.Errorf("%s: got %v", run, err)
		}
	}
	calls := len(server.Calls())
	for _, typ := range []plan.Type{plan.Image, plan.Video, plan.Audio, plan.Mask, plan.HTML} {
		v := file(t, typ, "secret.bin", []byte("secret"))
		for _, run := range allRuns {
			_, err := b.Run(t.Context(), backing(run, "Do."), call(t, plan.Text, args{"x": v}))
			if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "ALLOW_CLOUD_MEDIA") && !strings.Contains(got, "does not accept files") {
				t.Errorf("%s with %s: got %v", run, typ, err)
			}
		}
	}
	if n := len(server.Calls()); n != calls {
		t.Errorf("%d calls were made", n-calls)
	}
	if out := must(t, b, backing("chat", "Do {text}."), call(t, plan.Text, args{"text": text("x")})); out.Value != "fine" {
		t.Errorf("got %+v", out)
	}
}

func TestCloudMediaAllowed(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: answers("A cat.")})
	b := newBackendAt(t, cloud(t, toolboxtest.Through{To: server.URL(), With: transport(t)}), func(c *Config) { c.AllowMedia = true })
	if err := b.Probe(t.Context(), backing("chat-vision", "Look.")); err != nil {
		t.Error(err)
	}
	out := must(t, b, backing("chat-vision", "Look."), call(t, plan.Text, args{"image": file(t, plan.Image, "cat.png", mediatest.PNG(speckled(9, 9)))}))
	if out.Value != "A cat." {
		t.Errorf("got %+v", out)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil {
		t.Error("no endpoint was accepted")
	}
}

var _ toolbox.Backend = (*Backend)(nil)
