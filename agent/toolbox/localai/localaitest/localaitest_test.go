package localaitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/toolbox/mediatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noted is a testing.TB that counts errors.
type noted struct {
	testing.TB

	mu   sync.Mutex
	errs []string
}

func (n *noted) Errorf(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.errs = append(n.errs, format)
	_ = args
}

func (n *noted) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.errs)
}

// ask makes a call, and returns the answer.
func ask(t *testing.T, method, url, contentType, body string) (int, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	own := &http.Transport{}
	defer own.CloseIdleConnections()
	resp, err := own.RoundTrip(req)
	if err != nil {
		return 0, nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	_ = resp.Body.Close() //nolint:errcheck // the body was read
	return resp.StatusCode, answer, err
}

func uri() string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(mediatest.PNG(mediatest.Picture("x", 20, 20)))
}

// formOf encodes a multipart form; names that start with "@" are files.
func formOf(t *testing.T, fields ...string) (contentType, body string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for pair := range slices.Chunk(fields, 2) {
		name, value := pair[0], pair[len(pair)-1]
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + name + `"`}}
		if rest, ok := strings.CutPrefix(name, "@"); ok {
			header = textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + rest + `"; filename="f"`}, "Content-Type": {"application/octet-stream"}}
		}
		part, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.String()
}

// TestInvalidRequests checks that invalid requests are rejected and fail the test.
func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	picture := string(mediatest.PNG(mediatest.Picture("x", 20, 20)))
	for name, c := range map[string]struct {
		path string
		json string
		form []string
	}{
		"no JSON":            {"/v1/detection", "{", nil},
		"unknown field":      {"/v1/detection", `{"model":"sam3","image":"` + uri() + `","colour":"red"}`, nil},
		"no model":           {"/v1/detection", `{"image":"` + uri() + `"}`, nil},
		"empty model":        {"/v1/detection", `{"model":"","image":"` + uri() + `"}`, nil},
		"no image":           {"/v1/detection", `{"model":"sam3"}`, nil},
		"bare Base64":        {"/v1/detection", `{"model":"sam3","image":"aGk="}`, nil},
		"an address":         {"/v1/detection", `{"model":"sam3","image":"http://a/b.png"}`, nil},
		"points as text":     {"/v1/detection", `{"model":"sam3","image":"` + uri() + `","points":"1,2,1"}`, nil},
		"points in pairs":    {"/v1/detection", `{"model":"sam3","image":"` + uri() + `","points":[1,2]}`, nil},
		"a point outside":    {"/v1/detection", `{"model":"sam3","image":"` + uri() + `","points":[20,2,1]}`, nil},
		"flag as text":       {"/v1/depth", `{"model":"depth-anything-3-base","image":"` + uri() + `","include_depth":"yes"}`, nil},
		"model for model_id": {"/v1/sound-generation", `{"model":"ace-step-turbo","text":"x"}`, nil},
		"a data URI":         {"/video", `{"model":"wan-2.1-i2v-14b-480p-ggml","prompt":"x","start_image":"` + uri() + `"}`, nil},
		"half a pixel":       {"/video", `{"model":"wan-2.1-t2v-1.3b-ggml","prompt":"x","width":64.5}`, nil},
		"a format":           {"/video", `{"model":"wan-2.1-t2v-1.3b-ggml","prompt":"x","response_format":"mp4"}`, nil},
		"a form for JSON":    {"/v1/detection", "", []string{"model", "sam3"}},
		"JSON for a form":    {"/v1/images/inpainting", `{"model":"dreamshaper-8-inpainting"}`, nil},
		"no mask":            {"/v1/images/inpainting", "", []string{"model", "dreamshaper-8-inpainting", "prompt", "x", "@image", picture}},
		"a mask as text":     {"/v1/images/inpainting", "", []string{"model", "dreamshaper-8-inpainting", "prompt", "x", "@image", picture, "mask", picture}},
		"another mask":       {"/v1/images/inpainting", "", []string{"model", "dreamshaper-8-inpainting", "prompt", "x", "@image", picture, "@mask", string(mediatest.PNG(mediatest.Picture("x", 9, 9)))}},
		"twice":              {"/v1/images/upscale", "", []string{"model", "realesrgan-x4plus-anime-6b", "model", "x", "scale", "4", "@image", picture}},
		"a scale in words":   {"/v1/images/upscale", "", []string{"model", "realesrgan-x4plus-anime-6b", "scale", "four", "@image", picture}},
		"a wrong scale":      {"/v1/images/upscale", "", []string{"model", "realesrgan-x4plus-anime-6b", "scale", "2", "@image", picture}},
		"no sound":           {"/v1/audio/classification", "", []string{"model", "ced-base", "@file", "words"}},
		"a stray field":      {"/audio/transformations", "", []string{"model", "localvqe-v1.3-4.8m", "@audio", string(mediatest.Tone("x", time.Second)), "speed", "2"}},
	} {
		n := &noted{TB: t}
		s := New(n, Config{})
		contentType, body := "application/json", c.json
		if c.form != nil {
			contentType, body = formOf(t, c.form...)
		}
		status, _, err := ask(t, http.MethodPost, s.URL()+c.path, contentType, body)
		if status != http.StatusBadRequest || n.count() != 1 || err != nil {
			t.Errorf("%s: status %d, %d errors, %v", name, status, n.count(), err)
		}
	}
}

// TestNotFound checks that a missing path or model is LocalAI's error, and does not fail the test.
func TestNotFound(t *testing.T) {
	t.Parallel()
	s := New(t, Config{})
	for path, want := range map[string]int{"/v1/images/edits": 404, "/v1/chat/completions": 404, "/generated/7": 404} {
		if status, body, err := ask(t, http.MethodPost, s.URL()+path, "application/json", "{}"); status != want && status != 405 || err != nil {
			t.Errorf("%s: %d, %s, %v", path, status, body, err)
		}
	}
	status, body, err := ask(t, http.MethodPost, s.URL()+"/v1/detection", "application/json", `{"model":"unheard-of","image":"`+uri()+`"}`)
	if status != 500 || !bytes.Contains(body, []byte("could not load model")) || err != nil {
		t.Errorf("a missing model: %d, %s, %v", status, body, err)
	}
}

// TestModels checks that the list of models has LocalAI's format.
func TestModels(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		s := New(t, Config{Old: old, Models: []Model{{"a", []string{"depth"}}}})
		plain, _, err := ask(t, http.MethodGet, s.URL()+"/v1/models", "", "")
		told, body, err2 := ask(t, http.MethodGet, s.URL()+"/v1/models/capabilities", "", "")
		var list struct {
			Data []Model `json:"data"`
		}
		if err := json.Unmarshal(body, &list); err != nil || plain != 200 || (told == 404) != old {
			t.Errorf("old %v: %d, %d, %s, %v", old, plain, told, body, err)
		}
		if !old && (len(list.Data) != 1 || list.Data[0].ID != "a" || list.Data[0].Capabilities[0] != "depth") || err != nil || err2 != nil {
			t.Errorf("listed %+v, %v, %v", list, err, err2)
		}
	}
}

// TestChatIsForwarded checks that chat requests go to the other server.
func TestChatIsForwarded(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Method+" "+r.URL.Path) //nolint:errcheck // the client is there
	}))
	defer other.Close()
	s := New(t, Config{Chat: other.URL + "/v1"})
	if _, body, err := ask(t, http.MethodPost, s.URL()+"/v1/chat/completions", "application/json", "{}"); string(body) != "POST /v1/chat/completions" || err != nil {
		t.Errorf("got %s, %v", body, err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections() //nolint:forcetypeassert,errcheck // it is one
}

// TestSpeechIsTranscribed checks that the text of a tone is transcribed word for word.
func TestSpeechIsTranscribed(t *testing.T) {
	t.Parallel()
	s := New(t, Config{})
	contentType, body := formOf(t, "model", "whisper-large-turbo", "@file", string(mediatest.Tone("good morning", time.Second)))
	if _, answer, err := ask(t, http.MethodPost, s.URL()+"/v1/audio/transcriptions", contentType, body); string(answer) != `{"text":"good morning"}` || err != nil {
		t.Errorf("transcribed %s, %v", answer, err)
	}
}

// TestFaults checks that faults occur when they are set, and only then.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := New(t, Config{})
	work := `{"model":"sam3","image":"` + uri() + `"}`
	for fault, want := range map[Fault]int{Failing: 500, Busy: 429, Loading: 503, Page: 200, Senseless: 200, Redirect: 307, Expired: 401} {
		s.Break(fault)
		if status, body, err := ask(t, http.MethodPost, s.URL()+"/v1/detection", "application/json", work); status != want || bytes.Contains(body, []byte("detections")) || err != nil {
			t.Errorf("%s: %d, %s, %v", fault, status, body, err)
		}
		if status, _, err := ask(t, http.MethodGet, s.URL()+"/readyz", "", ""); status != 200 || err != nil {
			t.Errorf("%s: not ready: %d, %v", fault, status, err)
		}
		s.Mend()
	}
	for _, fault := range []Fault{Down, Cut} {
		s.Break(fault)
		if _, _, err := ask(t, http.MethodPost, s.URL()+"/v1/detection", "application/json", work); err == nil {
			t.Errorf("%s: the call succeeded", fault)
		}
		s.Mend()
	}
	s.Break(Endless)
	if _, body, err := ask(t, http.MethodPost, s.URL()+"/v1/detection", "application/json", work); len(body) != 1<<20 || err != nil {
		t.Errorf("endless: %d bytes, %v", len(body), err)
	}
	s.Mend()
	s.Break(Slow)
	got := make(chan int, 1)
	go func() {
		status, _, _ := ask(t, http.MethodPost, s.URL()+"/v1/detection", "application/json", work) //nolint:errcheck // the status tells
		got <- status
	}()
	<-s.Held()
	s.Mend()
	if status := <-got; status != 200 {
		t.Errorf("slow, then released: %d", status)
	}
}
