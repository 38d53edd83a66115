package hftasktest_test

import (
	"encoding/base64"
	"image"
	"image/draw"
	"net/http"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
)

// TestRefused checks the status and error of invalid requests.
func TestRefused(t *testing.T) {
	t.Parallel()
	img, raw := in64(t, three()), mediatest.PNG(three())
	small := in64(t, image.NewGray(image.Rect(0, 0, 9, 9)))
	with := func(params m) m { return m{"inputs": img, "parameters": params} }
	s := hftasktest.New(t, hftasktest.Config{})
	for _, c := range []struct {
		name, path, kind string
		body             any
		status           int
		want             string
	}{
		{"an unknown task", "/pipeline/time-travel", "", m{"inputs": "x"}, 404, "does not exist"},
		{"an unknown model", "/models/org/none", "", m{"inputs": "x"}, 404, "does not exist"},
		{"no JSON", "/pipeline/summarization", "application/json", []byte("{"), 400, "not a JSON object"},
		{"no content type", "/pipeline/image-to-text", "", raw, 400, "Content-Type"},
		{"raw text", "/pipeline/summarization", "text/plain", []byte("x"), 400, "must be JSON"},
		{"raw sound for a picture", "/pipeline/image-to-text", "audio/wav", raw, 400, "image/…, and this is audio/wav"},
		{"raw bytes that are none", "/pipeline/image-to-text", "image/png", []byte("hello"), 400, "its bytes are text/plain"},
		{"raw bytes where parameters are needed", "/pipeline/zero-shot-object-detection", "image/png", raw, 400, "parameters"},
		{"an empty body", "/pipeline/image-to-text", "image/png", []byte{}, 400, "its bytes are text/plain"},
		{"no inputs", "/pipeline/summarization", "", m{"parameters": m{}}, 400, "inputs"},
		{"inputs of another type", "/pipeline/summarization", "", m{"inputs": 7}, 400, "type"},
		{"a picture that is no text", "/pipeline/image-to-text", "", m{"inputs": m{"image": img}}, 400, "must be a base64-encoded file"},
		{"a picture that is not encoded", "/pipeline/image-to-text", "", m{"inputs": "http://example.com/a.png"}, 400, "not base64-encoded"},
		{"an unknown member", "/pipeline/summarization", "", m{"inputs": "x", "options": m{"wait_for_model": true}}, 400, "options is unknown here; there are: inputs, parameters"},
		{"an unknown parameter", "/pipeline/text-to-image", "", m{"inputs": "x", "parameters": m{"mask_image": img}}, 400, "the parameter mask_image is unknown here"},
		{"a parameter of another type", "/pipeline/text-to-image", "", m{"inputs": "x", "parameters": m{"width": "wide"}}, 400, "width"},
		{"a parameter that is null", "/pipeline/text-generation", "", m{"inputs": "x", "parameters": m{"seed": nil}}, 400, "seed"},
		{"an unknown control mode", "/pipeline/image-to-image", "", with(m{"control_mode": "magic"}), 400, "control_mode"},
		{"points that are none", "/pipeline/mask-generation", "", with(m{"points": []int{1, 2}}), 400, "points"},
		{"a point outside", "/pipeline/mask-generation", "", with(m{"points": [][]int{{240, 1}}}), 400, "outside of the picture, which is 240x100"},
		{"more labels than points", "/pipeline/mask-generation", "", with(m{"points": [][]int{{1, 1}}, "labels": []int{1, 0}}), 400, "as many labels"},
		{"a label of another kind", "/pipeline/mask-generation", "", with(m{"points": [][]int{{1, 1}}, "labels": []int{2}}), 400, "labels"},
		{"an empty box", "/pipeline/mask-generation", "", with(m{"boxes": [][]int{{10, 10, 10, 20}}}), 400, "empty or lies outside"},
		{"a mask of another size", "/pipeline/image-to-image", "", with(m{"mask_image": small}), 400, "mask_image is 9x9, and the picture 240x100"},
		{"a question without a picture", "/pipeline/visual-question-answering", "", m{"inputs": m{"question": "How many?"}}, 400, "image"},
		{"a truncated picture", "/pipeline/image-to-text", "image/png", raw[:len(raw)/2], 400, "is damaged"},
		{"a text without words", "/pipeline/summarization", "", m{"inputs": " "}, 400, "empty"},
		{"a table that is none", "/pipeline/table-question-answering", "", m{"inputs": m{"question": "x", "table": "a,b"}}, 400, "table"},
		{"a table with a short column", "/pipeline/table-question-answering", "", m{"inputs": m{"question": "x", "table": m{"a": []string{"1", "2"}, "b": []string{"1"}}}}, 400, "different lengths"},
		{"a conversation of an unknown model", "/v1/chat/completions", "", m{"model": "org/none", "messages": []m{{"role": "user", "content": "x"}}}, 404, "does not exist"},
		{"a conversation without messages", "/v1/chat/completions", "", m{"model": "example/text-generation"}, 400, "messages"},
	} {
		r := send(t, s, c.path, c.kind, c.body)
		if r.status != c.status || r.kind != "application/json" || !strings.Contains(string(r.body), c.want) {
			t.Errorf("%s: %d %s, want %d with %q", c.name, r.status, r.body, c.status, c.want)
		}
	}
	for _, c := range s.Calls() {
		if c.Refused == "" {
			t.Errorf("a call is recorded as done: %+v", c)
		}
	}
}

// TestToken checks that only the right token is accepted.
func TestToken(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{Token: "secret"})
	for _, c := range []struct {
		path, header string
		status       int
	}{
		{"/capabilities", "", 401},
		{"/capabilities", "Bearer wrong", 401},
		{"/capabilities", "Bearer secret", 200},
		{"/api/models/org/none", "Bearer secret", 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", c.header)
		if r := do(t, req); r.status != c.status {
			t.Errorf("%s with %q: %d, want %d", c.path, c.header, r.status, c.status)
		}
	}
}

// TestRecord checks what is recorded of calls.
func TestRecord(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	mask := image.NewGray(image.Rect(0, 0, 240, 100))
	draw.Draw(mask, image.Rect(20, 30, 60, 70), image.White, image.Point{}, draw.Src)
	send(t, s, "/models/example/image-to-image", "", map[string]any{
		"inputs": in64(t, three()), "parameters": map[string]any{"mask_image": base64.StdEncoding.EncodeToString(mediatest.PNG(mask)), "prompt": "a dog"},
	})
	send(t, s, "/pipeline/image-to-text", "image/png", mediatest.PNG(three()))
	first, second := s.Calls()[0], s.Asked("image-to-text")[0]
	if first.Kinds["mask_image"] != "image/png 240x100" || first.Parameters["prompt"] != "a dog" || len(first.Parameters) != 1 || first.Raw || first.Refused != "" {
		t.Errorf("the first is %+v", first)
	}
	if !second.Raw || second.Path != "/pipeline/image-to-text" || second.Model != "example/image-to-text" || second.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the second is %+v", second)
	}
}
