package hftask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
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
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
)

// TestDocumentedCapabilities checks the example in the tool server's README.
func TestDocumentedCapabilities(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../deployments/toolserver/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "### What /capabilities answers")
	_, example, _ := strings.Cut(section, "```json\n")
	example, _, _ = strings.Cut(example, "```")
	var m manifest
	d := json.NewDecoder(strings.NewReader(example))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	all := tasks()
	if model, ok := m.serves(all["text-to-image"]); !ok || model != "org/draws" {
		t.Errorf("the model for text-to-image is %q", model)
	}
	if does, state := m.does(all["text-to-image"], "org/draws-too"); !does || state != unavailable {
		t.Errorf("the state of org/draws-too is %q", state)
	}
	for run, want := range map[string]bool{"text-to-image+pose": true, "text-to-image+edge": false, "image-to-image+mask": false} {
		if _, ok := m.serves(all[run]); ok != want {
			t.Errorf("%s: %v", run, ok)
		}
	}
	if m.Concurrency != 4 {
		t.Errorf("the concurrency is %d", m.Concurrency)
	}
}

// TestSentencesAreRejected checks that a server that sends example sentences, which belong in a tool's file, is
// rejected.
func TestSentencesAreRejected(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"tasks":{"summarization":{"default":"org/m"}},"models":{"org/m":{"tasks":["summarization"],"more":"x"}}}`: "",
		`{"tasks":{"summarization":{"default":"org/m","sentences":null}}}`:                                          "",
		`{"tasks":{"summarization":{"default":"org/m","sentences":["sum it up"]}}}`:                                 `"summarization"`,
		`{"tasks":{"summarization":{"default":"org/m","sentences":[]}}}`:                                            `"summarization"`,
		`{"tasks":{"summarization":{"default":"org/m"}},"models":{"org/m":{"sentences":{"made":"a summary"}}}}`:     `"org/m"`,
		`{"tasks":{"summarization":{"default":"org/m"},"\u001b[31m\n":{"sentences":"RAW"}}}`:                        `"\x1b[31m\n"`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(200, body)(w) }))
		t.Cleanup(server.Close)
		err := backendAt(t, server.URL).Probe(t.Context(), candidate("summarization"))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", body, err)
			}
			continue
		}
		told := plan.OperatorSentence(err, plan.Message{}).String()
		if !errors.Is(err, toolbox.ErrDown) || !strings.Contains(told, " offers example sentences for "+want+", but") || strings.Contains(err.Error(), "RAW") {
			t.Errorf("%s: the operator sees %q: %v", body, told, err)
		}
	}
}

// TestHangingServer checks that only the first lookups of a hanging server wait for the timeout, and that earlier
// answers stay available.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var hangs atomic.Bool
		b := newBook(time.Hour, time.Now, func(ctx context.Context, model string) (string, error) {
			asked.Add(1)
			if !hangs.Load() {
				return "loaded " + model, nil
			}
			mine, cancel := context.WithTimeout(ctx, probeTimeout)
			defer cancel()
			<-mine.Done()
			return "", slow(mine.Err())
		})
		if got, err := b.look(t.Context(), "a/known"); got != "loaded a/known" || err != nil {
			t.Fatal(got, err)
		}
		hangs.Store(true)
		began := time.Now()
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if _, err := b.look(t.Context(), fmt.Sprintf("a/m%d", i)); !errors.Is(err, toolbox.ErrDown) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		if got, err := b.look(t.Context(), "a/known"); got != "loaded a/known" || err != nil {
			t.Errorf("the lookup of a cached model waits for others: %q, %v", got, err)
		}
		all.Wait()
		if took := time.Since(began); took > probeTimeout || asked.Load() > 1+maxLookups {
			t.Errorf("it took %v, asked %d times", took, asked.Load())
		}
		hangs.Store(false)
		<-time.After(failureLife + time.Second)
		if got, err := b.look(t.Context(), "a/m19"); got != "loaded a/m19" || err != nil {
			t.Errorf("not asked again: %q, %v", got, err)
		}
	})
}

// TestCacheLimit checks that a full cache drops an entry for a new one.
func TestCacheLimit(t *testing.T) {
	t.Parallel()
	b := newBook(time.Hour, time.Now, func(context.Context, string) (int, error) { return 1, nil })
	for i := range maxRemembered + 10 {
		if _, err := b.look(t.Context(), fmt.Sprint("a/", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.pages) != maxRemembered {
		t.Errorf("%d models are cached", len(b.pages))
	}
}

// TestBusyServer checks that a call uses the last known list, however old, and does not wait for a busy server to list
// its models.
func TestBusyServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		told map[string]string // its capabilities, reported once
		how  toolbox.Candidate
	}{
		"that tells":  {map[string]string{"/capabilities": `{"tasks":{"summarization":{"default":"org/m"}},"models":{}}`}, candidate("summarization")},
		"of a model":  {map[string]string{"/healthz": `{}`, "/status/org/m": `{"state":"loaded"}`}, onModel("summarization", "org/m")},
		"of no model": {map[string]string{"/healthz": `{}`}, candidate("summarization")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var busy atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := c.told[r.URL.Path]
				switch {
				case r.Method == http.MethodPost:
					say(200, `[{"summary_text":"short"}]`)(w)
				case busy.Load():
					t.Errorf("a busy server is asked for %s", r.URL.Path)
				case ok:
					say(200, body)(w)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(server.Close)
			now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
			b := backendAt(t, server.URL, func(c *Config) { c.Clock = func() time.Time { return now } })
			if err := b.Probe(t.Context(), c.how); err != nil {
				t.Fatal(err)
			}
			busy.Store(true)
			now = now.Add(time.Hour)
			must(t, b, c.how, call(t, plan.Text, args{"text": text("a long text")}))
		})
	}
}

func onModel(run, model string) toolbox.Candidate {
	c := candidate(run)
	c.Model = model
	return c
}

// TestHub checks that a model that hf-inference serves is called there, with the account that pays.
func TestHub(t *testing.T) {
	t.Parallel()
	server := hftasktest.New(t, hftasktest.Config{Token: secret, Listed: true})
	b := onHub(t, server)
	how := onModel("image-to-text", "example/image-to-text")
	how.Prompt = "read what is written" // our extension
	if err := b.Probe(t.Context(), how); err != nil {
		t.Fatal(err)
	}
	out := must(t, b, how, call(t, plan.Text, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(80, 60)))}))
	if out.Model != "example/image-to-text" || !strings.Contains(out.Value, "red") {
		t.Errorf("output %+v", out)
	}
	calls := server.Asked("image-to-text")
	if len(calls) != 1 || calls[0].Path != "/hf-inference/models/example/image-to-text" || calls[0].Header.Get("X-Hf-Bill-To") != "workshop" || !calls[0].Raw {
		t.Errorf("calls %+v", calls)
	}
}

// TestHubLanguageModels checks that language models are called by OpenAI's API, whoever serves them.
func TestHubLanguageModels(t *testing.T) {
	t.Parallel()
	server := hftasktest.New(t, hftasktest.Config{Token: secret, Elsewhere: []string{"example/text-generation"}})
	b := onHub(t, server)
	how := onModel("text-generation", "example/text-generation")
	how.Prompt = "Find a title for {text}."
	out := must(t, b, how, call(t, plan.Title, args{"text": text("A fox ran over the hill.")}))
	calls := server.Asked("text-generation")
	if out.Value == "" || len(calls) != 1 || calls[0].Path != chatPath || !strings.Contains(calls[0].Text, "A fox ran") {
		t.Errorf("output %+v, calls %+v", out, calls)
	}
}

// TestHubLimits checks that what the hub cannot do is reported in a sentence, before anything is sent.
func TestHubLimits(t *testing.T) {
	t.Parallel()
	server := hftasktest.New(t, hftasktest.Config{Elsewhere: []string{"example/text-to-image"}})
	b := onHub(t, server)
	for sentence, how := range map[string]toolbox.Candidate{
		"needs the name of a model":       candidate("text-to-image"),
		"needs a tool server":             onModel("image-to-image+mask", "example/image-to-image"),
		"accept only their own formats":   onModel("text-to-image", "example/text-to-image"),
		"does not do text-to-image":       onModel("text-to-image", "example/image-to-text"),
		"No provider serves":              onModel("text-to-image", "nobody/nothing"),
		"is not the name of a model":      onModel("text-to-image", "../../api/whoami"),
		"does not know how to ask a":      onModel("chess", "example/text-to-image"),
		"because the tool server's model": candidate("token-classification"),
	} {
		blames(t, b.Probe(t.Context(), how), false, sentence)
	}
	if calls := server.Calls(); len(calls) != 0 {
		t.Errorf("calls %+v", calls)
	}
}

// TestHubRefusals checks that a refusal names the setting to change.
func TestHubRefusals(t *testing.T) {
	t.Parallel()
	for kind, sentence := range map[hftasktest.Kind]string{hftasktest.Expired: "HF_TOKEN", hftasktest.Unpaid: "credits", hftasktest.Busy: "too many requests"} {
		server := hftasktest.New(t, hftasktest.Config{})
		b := onHub(t, server)
		server.Break("example/summarization", hftasktest.Fault{Kind: kind, After: 100})
		_, err := b.Run(t.Context(), onModel("summarization", "example/summarization"), call(t, plan.Text, args{"text": text("A fox ran.")}))
		blames(t, err, true, sentence)
	}
}

// TestHubCache checks that concurrent callers look up each model once, and again when the answer is old.
func TestHubCache(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query()["expand[]"]; !slices.Equal(got, []string{"inferenceProviderMapping"}) || r.URL.Path != "/api/models/org/it" {
			t.Errorf("asked for %s", r.URL)
		}
		asked.Add(1)
		say(200, `{"inferenceProviderMapping":[{"provider":"hf-inference","providerId":"org/it","status":"live","task":"summarization"}]}`)(w)
	}))
	t.Cleanup(server.Close)
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	b := backendAt(t, server.URL, func(c *Config) {
		c.Hub = &Hub{Models: endpointAt(t, server.URL)}
		c.Clock = func() time.Time { return now }
	})
	probe := func() {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := b.Probe(t.Context(), onModel("summarization", "org/it")); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	probe()
	now = now.Add(providersLife - time.Second)
	probe()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	now = now.Add(time.Minute)
	probe()
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// TestCapabilities checks that a server's capabilities are requested once for all candidates, and decide which of them
// are live.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/capabilities" {
			t.Errorf("asked for %s", r.URL)
		}
		asked.Add(1)
		say(200, `{"tasks":{"text-to-image":{"default":"a/one","models":["a/one","a/two"]},"summarization":{"models":["a/sum"]},"translation":{"default":"a/off"}},
			"models":{"a/one":{"tasks":["text-to-image"],"state":"loadable"},"a/two":{"tasks":["text-to-image"],"state":"unavailable"},
			"a/many":{"tasks":["image-to-text","object-detection"],"state":"loading"},"a/off":{"tasks":["translation"],"state":"unavailable"}}}`)(w)
	}))
	t.Cleanup(server.Close)
	b := backendAt(t, server.URL)
	for _, c := range []struct {
		how      toolbox.Candidate
		sentence string // "" is live
	}{
		{candidate("text-to-image"), ""},
		{candidate("text-to-image+edge"), ""},
		{onModel("text-to-image", "a/one"), ""},
		{onModel("object-detection", "a/many"), ""},
		{onModel("summarization", "a/sum"), ""},
		{onModel("text-to-image", "a/two"), "cannot run a/two at the moment"},
		{onModel("image-to-image", "a/one"), "does not have the model a/one for image-to-image"},
		{onModel("text-to-image", "a/none"), "does not have the model a/none"},
		{candidate("summarization"), "has no model for summarization"},
		{candidate("translation"), "cannot run a/off at the moment"},
		{candidate("text-to-video"), "has no model for text-to-video"},
	} {
		err := b.Probe(t.Context(), c.how)
		if told := plan.OperatorSentence(err, plan.Message{}).String(); (err == nil) != (c.sentence == "") || err != nil && !strings.Contains(told, c.sentence) {
			t.Errorf("%s: %v", c.how.Name(), err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	known, err := b.own.known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	to, err := b.byModel(t.Context(), known, task{name: "object-detection"}, "a/many", refresh)
	if err != nil || to.path != "/models/a/many/pipeline/object-detection" {
		t.Errorf("a model of several tasks is called at %+v, %v", to, err)
	}
}

// TestCapabilitiesOfMaps checks that tasks with a map, a mask or a size run only if the server lists them.
func TestCapabilitiesOfMaps(t *testing.T) {
	t.Parallel()
	told := `{"tasks": {
			"text-to-image": {"default": "a/b", "models": ["a/b"]},
			"text-to-image+control": {"default": "a/c", "models": ["a/c", "a/d"], "modes": ["pose", "depth"]},
			"image-to-image+mask": {"default": "a/b", "models": ["a/b"]}},
		"models": {
			"a/b": {"tasks": ["text-to-image", "image-to-image+mask"], "state": "loadable"},
			"a/c": {"tasks": ["text-to-image+control"], "state": "loaded", "modes": ["pose", "depth"]},
			"a/d": {"tasks": ["text-to-image+control"], "state": "loadable", "modes": ["pose"]}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(200, told)(w) }))
	t.Cleanup(server.Close)
	b := backendAt(t, server.URL)
	for live, all := range map[bool][]toolbox.Candidate{
		true: {
			candidate("text-to-image"), candidate("text-to-image+pose"), candidate("text-to-image+depth"), candidate("image-to-image+mask"),
			onModel("text-to-image+pose", "a/d"), onModel("image-to-image+mask", "a/b"),
		},
		false: {
			candidate("text-to-image+hed"), candidate("image-to-image"), candidate("super-resolution"), candidate("image-to-image+hed"),
			onModel("text-to-image+depth", "a/d"), onModel("text-to-image+pose", "a/b"), onModel("image-to-image", "a/b"),
		},
	} {
		for _, c := range all {
			if err := b.Probe(t.Context(), c); (err == nil) != live {
				t.Errorf("%s: %v", c.Name(), err)
			}
		}
	}
}

// TestWithoutCapabilities checks that a server without /capabilities serves each task with its own default, if it is
// up.
func TestWithoutCapabilities(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		paths map[string]string // that exist
		how   toolbox.Candidate
		live  bool
	}{
		"healthy":           {map[string]string{"/healthz": "ok"}, candidate("text-to-image"), true},
		"only a root":       {map[string]string{"/": "{}"}, candidate("text-to-image"), true},
		"nothing":           {nil, candidate("text-to-image"), false},
		"a model it has":    {map[string]string{"/healthz": "ok", "/status/a/b": `{"state":"loadable"}`}, onModel("text-to-image", "a/b"), true},
		"a model it cannot": {map[string]string{"/healthz": "ok", "/status/a/b": `{"state":"unavailable"}`}, onModel("text-to-image", "a/b"), false},
		"no such model":     {map[string]string{"/healthz": "ok"}, onModel("text-to-image", "a/b"), false},
		"no manifest":       {map[string]string{"/healthz": "ok", "/capabilities": `[]`}, candidate("text-to-image"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := c.paths[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				say(200, body)(w)
			}))
			t.Cleanup(server.Close)
			b := backendAt(t, server.URL)
			for range 2 {
				err := b.Probe(t.Context(), c.how)
				if (err == nil) != c.live || err != nil && plan.OperatorSentence(err, plan.Message{}).IsZero() {
					t.Errorf("live %v: %v", c.live, err)
				}
			}
		})
	}
}

// TestMissingServer checks that a missing server counts as down, for probes and calls.
func TestMissingServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	b := backendAt(t, server.URL)
	blames(t, b.Probe(t.Context(), candidate("text-to-image")), true, "does not answer")
	_, err := b.Run(t.Context(), candidate("text-to-image"), call(t, plan.Image, args{"prompt": text("x")}))
	blames(t, err, true, "does not answer")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Probe(ended, candidate("text-to-image")); err == nil {
		t.Error("a probe did not stop with its context")
	}
}

// TestNewChecksConfig checks that an invalid configuration is rejected.
func TestNewChecksConfig(t *testing.T) {
	t.Parallel()
	e, err := endpoint.New(endpoint.Config{BaseURL: "http://localhost:1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{}, {Endpoint: e, Hub: &Hub{}}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
