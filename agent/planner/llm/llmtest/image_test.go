package llmtest_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/llmtest"
)

// part is a part of a form; one with a name is a file.
type part struct{ field, name, data string }

// sendForm sends a form without a client library.
func sendForm(t *testing.T, url string, parts []part) int {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + p.field + `"`}}
		if p.name != "" {
			h.Set("Content-Disposition", h.Get("Content-Disposition")+`; filename="`+p.name+`"`)
			h.Set("Content-Type", "application/octet-stream")
		}
		f, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, p.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	status, _ := send(t, http.MethodPost, url, w.FormDataContentType(), b.String())
	return status
}

// painter returns a server that answers with a picture, and the requests.
func painter(tb testing.TB) (s *llmtest.Server, file []byte, got *[]llmtest.ImageRequest) {
	tb.Helper()
	file = []byte(encoded(tb, "png", picture(8, 8, false)))
	got = new([]llmtest.ImageRequest)
	s = llmtest.New(tb, llmtest.Config{Image: func(r llmtest.ImageRequest) llmtest.ImageResponse {
		*got = append(*got, r)
		return llmtest.ImageResponse{Images: [][]byte{file}}
	}})
	return s, file, got
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	s, file, got := painter(t)
	c := client(t, s.URL())
	res, err := c.CreateImage(t.Context(), openai.ImageRequest{
		Model: "gpt-image-1", Prompt: "a cat", N: 1, Size: "1536x1024",
	})
	if err != nil || len(res.Data) != 1 {
		t.Fatal(res, err)
	}
	if data, err := base64.StdEncoding.DecodeString(res.Data[0].B64JSON); err != nil || !bytes.Equal(data, file) {
		t.Error(err, len(data))
	}
	want := []llmtest.ImageRequest{{Model: "gpt-image-1", Prompt: "a cat", Size: "1536x1024"}}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
}

// TestLinks checks that an old model returns a link by default.
func TestLinks(t *testing.T) {
	t.Parallel()
	s, file, _ := painter(t)
	res, err := client(t, s.URL()).CreateImage(t.Context(), openai.ImageRequest{Model: "dall-e-3", Prompt: "a cat", N: 1})
	if err != nil || len(res.Data) != 1 || res.Data[0].B64JSON != "" {
		t.Fatal(res, err)
	}
	if status, got := send(t, http.MethodGet, res.Data[0].URL, "", ""); status != http.StatusOK || got != string(file) {
		t.Errorf("%d, %d bytes", status, len(got))
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	s, file, got := painter(t)
	res, err := client(t, s.URL()).CreateEditImage(t.Context(), openai.ImageEditRequest{
		Model: "gpt-image-1", Prompt: "a hat", N: 1,
		Image: openai.WrapReader(strings.NewReader(encoded(t, "png", picture(6, 4, false))), "photo.png", "image/png"),
		Mask:  openai.WrapReader(strings.NewReader(encoded(t, "png", picture(6, 4, true))), "mask.png", "image/png"),
	})
	if err != nil || len(res.Data) != 1 || res.Data[0].B64JSON != base64.StdEncoding.EncodeToString(file) {
		t.Fatal(res, err)
	}
	r := (*got)[0]
	if !r.Edit || r.Prompt != "a hat" || r.Image.Bounds().Size() != image.Pt(6, 4) {
		t.Errorf("%+v", r)
	}
	if _, _, _, left := r.Mask.At(0, 0).RGBA(); left != 0 {
		t.Error("the mask's left half is not transparent")
	}
	if _, _, _, right := r.Mask.At(5, 0).RGBA(); right != 0xffff {
		t.Error("the mask's right half is transparent")
	}
}

func TestInvalidGenerate(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s, _, got := painter(w)
	for name, c := range map[string]struct{ body, why string }{
		"no JSON":                    {`{`, "does not fit"},
		"two":                        {`{"prompt":"x","n":2}`, "n is 2"},
		"unknown field":              {`{"prompt":"x","negative_prompt":"y","n":1}`, "negative_prompt"},
		"no prompt":                  {`{"model":"gpt-image-1","prompt":" ","n":1}`, "no prompt"},
		"a long prompt":              {`{"model":"dall-e-2","prompt":"` + strings.Repeat("ü", 1001) + `","n":1}`, "1001 characters"},
		"a size of another model":    {`{"model":"gpt-image-1","prompt":"x","size":"512x512","n":1}`, "size"},
		"no size":                    {`{"prompt":"x","size":"big","n":1}`, "WIDTHxHEIGHT"},
		"the format of gpt-image":    {`{"model":"gpt-image-1","prompt":"x","response_format":"b64_json","n":1}`, "'response_format'"},
		"an unknown response format": {`{"model":"dall-e-3","prompt":"x","response_format":"file","n":1}`, "response_format"},
	} {
		status, _ := send(t, http.MethodPost, s.URL()+"/images/generations", "application/json", c.body)
		if errors := w.caught(); status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
	}
	if len(*got) != 0 {
		t.Errorf("%+v were answered", *got)
	}
}

func TestInvalidEdit(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s, _, got := painter(w)
	img := part{"image", "a.png", encoded(t, "png", picture(6, 4, false))}
	square := part{"image", "a.png", encoded(t, "png", picture(4, 4, false))}
	prompt, one, gpt, dalle := part{"prompt", "", "x"}, part{"n", "", "1"}, part{"model", "", "gpt-image-1"}, part{"model", "", "dall-e-2"}
	for name, c := range map[string]struct {
		parts []part
		why   string
	}{
		"unknown field":             {[]part{img, prompt, {"strength", "", "1"}}, "'strength'"},
		"no image":                  {[]part{prompt, gpt}, "no image"},
		"no prompt":                 {[]part{img, gpt}, "no prompt"},
		"an empty image":            {[]part{{"image", "a.png", ""}, prompt}, "is empty"},
		"an image without a name":   {[]part{{"image", "", img.data}, prompt}, "has no name"},
		"an image that is none":     {[]part{{"image", "a.png", "GIF89a?"}, prompt}, "cannot be decoded"},
		"an oblong for dall-e-2":    {[]part{img, prompt, dalle}, "requires a square PNG"},
		"dall-e-3":                  {[]part{square, prompt, {"model", "", "dall-e-3"}}, "cannot edit"},
		"two masks":                 {[]part{img, prompt, gpt, {"mask", "m.png", img.data}, {"mask", "m.png", img.data}}, "occurs twice"},
		"a mask of another size":    {[]part{img, prompt, gpt, {"mask", "m.png", encoded(t, "png", picture(4, 6, true))}}, "the mask has size (4,6), but the image has (6,4)"},
		"a mask without alpha":      {[]part{img, prompt, gpt, {"mask", "m.png", encoded(t, "png", picture(6, 4, false))}}, "no alpha"},
		"a mask that is JPEG":       {[]part{img, prompt, gpt, {"mask", "m.jpg", encoded(t, "jpeg", picture(6, 4, false))}}, "cannot be decoded as PNG"},
		"a mask that is none":       {[]part{img, prompt, gpt, {"mask", "m.png", "PNG"}}, "cannot be decoded"},
		"none":                      {[]part{img, prompt, gpt, {"n", "", "0"}}, `n is "0"`},
		"the format of gpt-image":   {[]part{img, prompt, gpt, {"response_format", "", "b64_json"}}, "'response_format'"},
		"a field that is a file":    {[]part{img, {"prompt", "p.txt", "x"}, gpt}, "must be text"},
		"a field that is not UTF-8": {[]part{img, {"prompt", "", "\xff"}, gpt}, "must be text"},
	} {
		if !slices.ContainsFunc(c.parts, func(p part) bool { return p.field == "n" }) {
			c.parts = append(c.parts, one)
		}
		status := sendForm(t, s.URL()+"/images/edits", c.parts)
		if errors := w.caught(); status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
	}
	for name, c := range map[string]struct{ contentType, body, why string }{
		"JSON":        {"application/json", `{"prompt":"x"}`, "not multipart/form-data"},
		"no boundary": {"multipart/form-data", "", "not multipart/form-data"},
		"a cut form":  {"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nx", "cannot be read"},
	} {
		status, _ := send(t, http.MethodPost, s.URL()+"/images/edits", c.contentType, c.body)
		if errors := w.caught(); status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
	}
	if len(*got) != 0 {
		t.Errorf("%+v were answered", *got)
	}
}

// TestMediaFaults checks scripted faults of media endpoints.
func TestMediaFaults(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{
		Image: func(llmtest.ImageRequest) llmtest.ImageResponse {
			return llmtest.ImageResponse{Fault: llmtest.Fault{Status: 400, ErrorCode: "moderation_blocked", ErrorMessage: "not that"}}
		},
		Speech: func(llmtest.SpeechRequest) llmtest.SpeechResponse {
			return llmtest.SpeechResponse{Audio: []byte("half of it"), Fault: llmtest.Fault{Reset: true}}
		},
	})
	c := client(t, s.URL())
	_, err := c.CreateImage(t.Context(), openai.ImageRequest{Prompt: "x", N: 1})
	if endpoint.KindOf(endpoint.Explain(err, "m")) != endpoint.Rejected {
		t.Error(err)
	}
	if _, err := c.CreateSpeech(t.Context(), openai.CreateSpeechRequest{Model: "tts-1", Voice: "nova", Input: "hi", ResponseFormat: "mp3"}); endpoint.KindOf(endpoint.Explain(err, "m")) != endpoint.Malformed {
		t.Error(err)
	}
	_, err = c.CreateTranscription(t.Context(), openai.AudioRequest{Model: "whisper-1", FilePath: "a.wav", Reader: strings.NewReader(wav)})
	if endpoint.KindOf(endpoint.Explain(err, "m")) != endpoint.ModelUnknown {
		t.Errorf("an unscripted endpoint: %v", err)
	}
}
