package hftasktest_test

import (
	"image"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
)

// answers has a simple request for every task, and the type of its answer.
func answers(t *testing.T) map[string]struct {
	body any
	kind string
} {
	t.Helper()
	type want = struct {
		body any
		kind string
	}
	const js = "application/json"
	img := in64(t, three())
	sound, video := mediatest.Tone("hello there", time.Second), mediatest.Film([]*image.NRGBA{three()})
	return map[string]want{
		"audio-classification":         {m{"inputs": sound}, js},
		"audio-to-audio":               {m{"inputs": sound}, js},
		"automatic-speech-recognition": {m{"inputs": sound}, js},
		"depth-estimation":             {m{"inputs": img}, js},
		"document-question-answering":  {m{"inputs": m{"image": img, "question": "What is the total?"}}, js},
		"image-classification":         {m{"inputs": img}, js},
		"image-segmentation":           {m{"inputs": img}, js},
		"image-to-image":               {m{"inputs": img, "parameters": m{"prompt": "make it a cartoon"}}, "image/png"},
		"image-to-text":                {m{"inputs": img}, js},
		"image-to-video":               {m{"inputs": img, "parameters": m{"seed": 3}}, "video/x-msvideo"},
		"keypoint-detection":           {m{"inputs": img}, js},
		"mask-generation":              {m{"inputs": img, "parameters": m{"points": [][]int{{40, 50}}, "labels": []int{1}}}, js},
		"object-detection":             {m{"inputs": img}, js},
		"summarization":                {m{"inputs": "It rains. It pours."}, js},
		"table-question-answering":     {m{"inputs": m{"table": m{"name": []string{"Ann", "Bob"}, "age": []string{"30", "41"}}, "question": "What is the age of Bob?"}}, js},
		"text-classification":          {m{"inputs": "What a lovely day"}, js},
		"text-generation":              {m{"inputs": "Tell me of the sea.", "parameters": m{"max_new_tokens": 20}}, js},
		"text-to-audio":                {m{"inputs": "calm piano"}, "audio/wav"},
		"text-to-image":                {m{"inputs": "two red balls", "parameters": m{"width": 128, "height": 64, "seed": 3}}, "image/png"},
		"text-to-speech":               {m{"inputs": "hello there"}, "audio/wav"},
		"text-to-video":                {m{"inputs": "a red ball", "parameters": m{"seed": 3}}, "video/x-msvideo"},
		"token-classification":         {m{"inputs": "My name is Maria Lopez and I live in Berlin.", "parameters": m{"aggregation_strategy": "simple"}}, js},
		"translation":                  {m{"inputs": "Hello world", "parameters": m{"tgt_lang": "de"}}, js},
		"video-classification":         {m{"inputs": video}, js},
		"video-text-to-text":           {m{"inputs": video, "parameters": m{"prompt": "What happens?"}}, js},
		"visual-question-answering":    {m{"inputs": m{"image": img, "question": "How many balls are there?"}}, js},
		"zero-shot-classification":     {m{"inputs": "the match was won", "parameters": m{"candidate_labels": []string{"sport match", "music"}}}, js},
		"zero-shot-object-detection":   {m{"inputs": img, "parameters": m{"candidate_labels": []string{"red ball"}}}, js},
	}
}

// TestEveryTaskAnswers checks that each task answers, the same each time. The server itself validates the
// answers.
func TestEveryTaskAnswers(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	all := answers(t)
	for task := range hftasktest.Models() {
		c, ok := all[task]
		if !ok {
			t.Errorf("%s has no request here", task)
			continue
		}
		first, again := send(t, s, "/pipeline/"+task, "", c.body), send(t, s, "/models/example/"+task, "", c.body)
		if first.status != http.StatusOK || first.kind != c.kind || len(first.body) == 0 {
			t.Errorf("%s: %d %s %s", task, first.status, first.kind, first.body)
		}
		if string(first.body) != string(again.body) {
			t.Errorf("%s is not deterministic", task)
		}
		if r := send(t, s, "/hf-inference/models/example/"+task, "", c.body); r.status != http.StatusOK {
			t.Errorf("%s by the router: %d %s", task, r.status, r.body)
		}
	}
	if tasks := len(hftasktest.Models()); len(all) != tasks {
		t.Errorf("there are %d requests for %d tasks", len(all), tasks)
	}
}

// TestListed checks that objects are wrapped in lists if that is configured, and other answers are not.
func TestListed(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{Listed: true})
	for task, c := range answers(t) {
		r := send(t, s, "/pipeline/"+task, "", c.body)
		if r.kind == "application/json" && !strings.HasPrefix(string(r.body), "[") {
			t.Errorf("%s: %s", task, r.body)
		}
	}
}

// TestTextTasks checks answers in words.
func TestTextTasks(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{Heard: "make it blue"})
	all := answers(t)
	for task, want := range map[string]string{ //nolint:gosec // no credentials
		"automatic-speech-recognition": `"text":"make it blue"`,
		"summarization":                `"summary_text":"It rains"`,
		"table-question-answering":     `"answer":"30"`,
		"text-generation":              `"generated_text":"tell, the, sea, me, of"`,
		"token-classification":         `{"entity_group":"LOC","score":0.9,"word":"Berlin","start":37,"end":43}`,
		"translation":                  `"translation_text":"de: [Hello] [world]"`,
	} {
		r := send(t, s, "/pipeline/"+task, "", all[task].body)
		if !strings.Contains(string(r.body), want) {
			t.Errorf("%s: %s, want %s", task, r.body, want)
		}
	}
}

// TestModels checks that a server has the configured models, and lists them as the hub and the tool server do.
func TestModels(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{Models: map[string][]string{
		"image-to-text": {"org/small", "org/large"},
	}, Elsewhere: []string{"org/small"}})
	send(t, s, "/models/org/large", "", m{"inputs": in64(t, three())})
	send(t, s, "/pipeline/image-to-text", "image/png", mediatest.PNG(three()))
	var got []string
	for _, c := range s.Calls() {
		got = append(got, c.Model+" "+c.Task+" "+c.Kinds["inputs"]+" "+c.Refused)
	}
	if want := []string{"org/large image-to-text image/png 240x100 ", "org/small image-to-text image/png 240x100 "}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if r := fetch(t, s, http.MethodGet, "/api/models/org/small?expand[]=inferenceProviderMapping"); string(r.body) !=
		`{"inferenceProviderMapping":{"fal-ai":{"status":"live","providerId":"org/small","task":"image-to-text"}}}` {
		t.Errorf("hub: %s", r.body)
	}
	c := into[struct {
		Tasks map[string]struct {
			Default string
			Models  []string
		}
		Models map[string]struct {
			Tasks []string
			State string
		}
	}](t, fetch(t, s, http.MethodGet, "/capabilities"))
	if large := c.Models["org/large"]; c.Tasks["image-to-text"].Default != "org/small" || len(large.Tasks) != 1 || large.State != "loaded" {
		t.Errorf("capabilities: %+v", c)
	}
}
