package webapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

// TestAnswers: answers in every form that a tool's file can declare.
func TestAnswers(t *testing.T) {
	t.Parallel()
	drawn := string(pngBytes(t))
	spelled := base64.StdEncoding.EncodeToString(pngBytes(t))
	photo := base64.RawStdEncoding.EncodeToString(jpegBytes(t))
	answer := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/files/a.png" {
				kind, body = "image/png", drawn
			}
			says(http.StatusOK, kind, strings.ReplaceAll(body, "HOST", "http://"+r.Host))(w, r)
		}
	}
	for name, c := range map[string]struct {
		result  string
		returns plan.Type
		answer  http.HandlerFunc
		want    string // the values, or the endings of the files
	}{
		"a text":               {`""`, plan.Text, answer("text/plain", " hello\n"), "hello"},
		"what FastAPI returns": {`""`, plan.Text, answer("application/json", `"he said \"hi\""`), `he said "hi"`},
		"a text in JSON":       {"a.1.b", plan.Text, answer("application/json", `{"a":[0,{"b":"x"}]}`), "x"},
		"a number":             {"n", plan.Text, answer("application/json", `{"n":12345678901234567890}`), "12345678901234567890"},
		"true":                 {"n", plan.Text, answer("text/plain", `{"n":true}`), "true"},
		"several texts":        {"n", plan.Text, answer("application/json", `{"n":["a",2]}`), "a 2"},
		"a picture":            {`""`, plan.Image, answer("image/png", drawn), ".png"},
		"no media type":        {`""`, plan.Image, answer("", drawn), ".png"},
		"a sound":              {`""`, plan.Audio, answer("audio/wav", string(mediatest.Tone("hello", time.Second/10))), ".wav"},
		"a picture in JSON":    {"data.0.b64_json", plan.Image, answer("application/json", `{"data":[{"b64_json":"`+spelled+`"}]}`), ".png"},
		"a photo in JSON":      {"p", plan.Image, answer("application/json", `{"p":"`+photo+`"}`), ".jpg"},
		"an address with data": {"p", plan.Image, answer("application/json", `{"p":"data:image/png;base64,`+spelled+`"}`), ".png"},
		"an address":           {"p", plan.Image, answer("application/json", `{"p":"HOST/files/a.png"}`), ".png"},
		"a path":               {"p", plan.Image, answer("application/json", `{"p":"/files/a.png"}`), ".png"},
		"several pictures":     {"p", plan.Image, answer("application/json", `{"p":["`+spelled+`","/files/a.png"]}`), ".png .png"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := serve(t, c.answer)
			u := newUse(t, s.URL, `{url: "BASE/make", json: {words: "{text}"}, result: `+c.result+`}`, c.returns, args{"text": "hi"})
			out, err := u.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range append([]toolbox.Output{out}, out.More...) {
				if o.Path == "" {
					got = append(got, o.Value)
					continue
				}
				got = append(got, filepath.Ext(o.Path))
				if info, err := media.Inspect(t.Context(), o.Path, media.Limits{}); err != nil || info.Type != c.returns || filepath.Dir(o.Path) != u.call.Dir {
					t.Errorf("%s is %+v, %v", o.Path, info, err)
				}
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}

// TestBadAnswers: an answer of another form is the service's fault, and people see none of it.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	drawn := string(pngBytes(t))
	elsewhere, visits := serve(t, says(http.StatusOK, "image/png", drawn))
	for name, c := range map[string]struct {
		result  string
		returns plan.Type
		answer  http.HandlerFunc
		detail  string
	}{
		"a wrong path":        {"a.c", plan.Text, says(200, "application/json", `{"a":{"b":"oops"}}`), "has nothing at a.c"},
		"no such item":        {"a.1", plan.Text, says(200, "application/json", `{"a":["oops"]}`), "has nothing at a.1"},
		"null":                {"a", plan.Text, says(200, "application/json", `{"a":null}`), "has nothing at a"},
		"an object":           {"a", plan.Text, says(200, "application/json", `{"a":{"b":"oops"}}`), "not a text"},
		"a list of lists":     {"a", plan.Text, says(200, "application/json", `{"a":[["oops"]]}`), "not a text"},
		"an empty list":       {"a", plan.Text, says(200, "application/json", `{"a":[]}`), "a list of 0"},
		"a long list":         {"a", plan.Text, says(200, "application/json", `{"a":["oops"`+strings.Repeat(`,1`, 20)+`]}`), "a list of 21"},
		"no JSON":             {"a", plan.Text, says(200, "text/plain", "oops"), "not JSON"},
		"JSON that is cut":    {"a", plan.Text, says(200, "application/json", `{"a":"oops`), "not JSON"},
		"more than JSON":      {"a", plan.Text, says(200, "application/json", `{"a":"oops"} oops`), "not JSON"},
		"a web page":          {`""`, plan.Text, says(200, "text/html", "<html>oops</html>"), "web page"},
		"a page as a text":    {`""`, plan.Text, says(200, "text/plain", "<!DOCTYPE html>oops"), "web page"},
		"a page as a picture": {`""`, plan.Image, says(200, "image/png", "<html>oops</html>"), "not a valid image"},
		"nothing":             {`""`, plan.Text, says(200, "text/plain", ""), "empty"},
		"blanks":              {`""`, plan.Text, says(200, "text/plain", " \n"), "empty"},
		"no content":          {`""`, plan.Image, says(204, "", ""), "empty"},
		"no text":             {`""`, plan.Text, says(200, "text/plain", "oops\xFF\x00"), "not text"},
		"a long text":         {`""`, plan.Text, says(200, "text/plain", strings.Repeat("oops", 1<<19)), "the limit is"},
		"a cut picture":       {`""`, plan.Image, says(200, "image/png", drawn[:len(drawn)/2]), "not a valid image"},
		"another type":        {`""`, plan.Image, says(200, "image/png", string(mediatest.Tone("hello", time.Second/10))), "audio/"},
		"a picture, no sound": {`""`, plan.Audio, says(200, "audio/wav", drawn), "image/png"},
		"no Base64":           {"a", plan.Image, says(200, "application/json", `{"a":"oops!"}`), "neither Base64 nor an address"},
		"a file elsewhere":    {"a", plan.Image, says(200, "application/json", `{"a":"`+elsewhere.URL+`/oops.png"}`), "another host"},
		"the same elsewhere":  {"a", plan.Image, says(200, "application/json", `{"a":"//`+strings.TrimPrefix(elsewhere.URL, "http://")+`/oops.png"}`), "Base64"},
		"a file of a system":  {"a", plan.Image, says(200, "application/json", `{"a":"file:///etc/passwd"}`), "Base64"},
		"a lost file":         {"a", plan.Image, lost, "oops"},
		"a cut answer": {`""`, plan.Text, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("oops")) //nolint:errcheck // the test sees it
		}, "broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, seen := serve(t, c.answer)
			u := newUse(t, s.URL, `{url: "BASE/make", json: {words: "{text}"}, result: `+c.result+`}`, c.returns, args{"text": "hi"})
			out, err := u.run(t.Context())
			if err == nil {
				t.Fatalf("it made %+v", out)
			}
			if name != "a lost file" && (!errors.Is(err, toolbox.ErrDown) || !strings.Contains(err.Error(), c.detail)) {
				t.Errorf("%v, want %q", err, c.detail)
			}
			if said := plan.Sentence(err, plan.Message{}).String(); said == "" || strings.Contains(said, "oops") || strings.Contains(said, "127.0.0.1") {
				t.Errorf("people read %q", said)
			}
			if said := plan.OperatorSentence(err, plan.Message{}).String(); strings.Contains(said, "oops") && name != "a lost file" {
				t.Errorf("the operator reads %q", said)
			}
			if n := seen.count(); n != 1 && name != "a lost file" {
				t.Errorf("it was asked %d times", n)
			}
		})
	}
	t.Cleanup(func() {
		if n := visits.count(); n != 0 {
			t.Errorf("the other host was asked %d times", n)
		}
	})
}

// lost links to a missing file.
func lost(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/gone.png" {
		says(http.StatusNotFound, "text/plain", "oops")(w, r)
		return
	}
	says(http.StatusOK, "application/json", `{"a":"/gone.png"}`)(w, r)
}

// TestStatuses: who is to blame, and how often the service is called.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for status, c := range map[int]struct {
		down      bool
		get, post int // tries
	}{
		400: {false, 1, 1}, 404: {false, 1, 1}, 413: {false, 1, 1}, 422: {false, 1, 1}, 409: {false, 1, 1},
		401: {true, 1, 1}, 403: {true, 1, 1}, 402: {true, 1, 1}, 429: {true, 3, 3},
		500: {true, 3, 1}, 501: {true, 1, 1}, 502: {true, 3, 1}, 503: {true, 3, 3}, 504: {true, 3, 1}, 302: {true, 1, 1},
	} {
		for method, tries := range map[string]int{"GET": c.get, "POST": c.post} {
			t.Run(fmt.Sprint(status, method), func(t *testing.T) {
				t.Parallel()
				s, seen := serve(t, says(status, "application/json", `{"detail":"model oops not found"}`))
				u := newUse(t, s.URL, `{method: `+method+`, url: "BASE/make", query: {q: "{text}"}}`, plan.Text, args{"text": "hi"})
				_, err := u.run(t.Context())
				if err == nil || errors.Is(err, toolbox.ErrDown) != c.down || seen.count() != tries {
					t.Errorf("%d tries, want %d, %v", seen.count(), tries, err)
				}
				for _, said := range []plan.Message{plan.Sentence(err, plan.Message{}), plan.OperatorSentence(err, plan.Message{})} {
					if said.IsZero() || strings.Contains(said.String(), "oops") {
						t.Errorf("it is told as %q", said)
					}
				}
			})
		}
	}
}

// TestRetriesAreThoseOfTheFile: 0 means none.
func TestRetriesAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{0: 1, 1: 2} {
		s, seen := serve(t, says(503, "text/plain", "busy"))
		u := newUse(t, s.URL, fmt.Sprintf(`{url: "BASE/make", query: {q: "{text}"}, retries: %d}`, retries), plan.Text, args{"text": "hi"})
		if _, err := u.run(t.Context()); err == nil || seen.count() != want {
			t.Errorf("%d tries, want %d, %v", seen.count(), want, err)
		}
	}
}

// TestMissingServer is down, for probes too.
func TestMissingServer(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, says(200, "text/plain", "x"))
	s.Close()
	u := newUse(t, s.URL, `{url: "BASE/make", json: {words: "{text}"}}`, plan.Text, args{"text": "hi"})
	_, err := u.run(t.Context())
	for what, err := range map[string]error{"run": err, "probe": u.backend.Probe(t.Context(), u.candidate)} {
		if !errors.Is(err, toolbox.ErrDown) || plan.Sentence(err, plan.Message{}).String() != "The service does not answer. Please try again later." {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestErrorsForAuthor: the operator learns what to change in the tool's file.
func TestErrorsForAuthor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		kind, body string
		want       string
	}{
		"no such path":  {404, "application/json", `{"detail":"Not Found"}`, "has nothing at this path (status 404)"},
		"wrong method":  {405, "application/json", `{"detail":"Method Not Allowed"}`, "does not accept POST there (status 405)"},
		"wrong field":   {422, "application/json", `{"detail":[{"type":"missing","loc":["body","word"],"msg":"Field required"}]}`, "because of body.word."},
		"a quoted word": {422, "application/json", `{"detail":[{"type":"missing","loc":["body","my secret"],"msg":"x"}]}`, "(status 422). If it rejects every input"},
		"JSON":          {200, "application/json", `{"image":"abc"}`, "it is JSON: set result to the path of the image"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := serve(t, says(c.status, c.kind, c.body))
			u := newUse(t, s.URL, `{url: "BASE/make", json: {words: "{text}"}}`, plan.Image, args{"text": "hi"})
			_, err := u.run(t.Context())
			if said := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(said, c.want) {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// TestProbe: a service that accepts connections is enough, and no request is sent.
func TestProbe(t *testing.T) {
	t.Parallel()
	s, seen := serve(t, says(503, "text/html", "<html>"))
	u := newUse(t, s.URL, `{url: "BASE/make", query: {q: "{text}"}}`, plan.Text, args{"text": "hi"})
	for range 3 {
		if err := u.backend.Probe(t.Context(), u.candidate); err != nil {
			t.Error(err)
		}
	}
	if seen.count() != 0 {
		t.Errorf("it was asked %d times", seen.count())
	}
}

// TestHangingServer ends with the tool's timeout, which is the service's fault.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	s, seen := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // then the end of the connection is seen
		<-r.Context().Done()
	})
	u := newUse(t, s.URL, `{url: "BASE/make", json: {words: "{text}"}, timeout: 1s}`, plan.Text, args{"text": "hi"})
	_, err := u.run(t.Context())
	if !errors.Is(err, toolbox.ErrDown) || !strings.Contains(err.Error(), "took too long") || seen.count() != 1 {
		t.Errorf("%d tries, %v", seen.count(), err)
	}
}

// TestEndlessAnswer is read up to its limit, and the connection is closed.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	for _, returns := range []plan.Type{plan.Text, plan.Image} {
		ended := make(chan struct{})
		s, seen := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			defer close(ended)
			chunk := make([]byte, 1<<16)
			for err := error(nil); err == nil; {
				_, err = w.Write(chunk)
			}
		})
		u := newUse(t, s.URL, `{url: "BASE/make", query: {q: "{text}"}}`, returns, args{"text": "hi"}, func(c *Config) { c.Limits.Bytes = 1 << 20 })
		_, err := u.run(t.Context())
		<-ended
		if !errors.Is(err, toolbox.ErrDown) || !strings.Contains(err.Error(), "larger than") || seen.count() != 1 {
			t.Errorf("%s: %d tries, %v", returns, seen.count(), err)
		}
	}
}

// TestRedirects are followed on the same host only.
func TestRedirects(t *testing.T) {
	t.Parallel()
	elsewhere, visits := serve(t, says(200, "text/plain", "taken"))
	for name, c := range map[string]struct {
		to   string
		code int
		ok   bool
	}{
		"the same host": {"/moved", 307, true}, "another host": {elsewhere.URL + "/moved", 307, false}, "another host as GET": {elsewhere.URL + "/moved", 302, false},
		"another scheme": {"https://HOST/moved", 307, false}, "without end": {"/make", 307, false},
	} {
		for _, method := range []string{"GET", "POST"} {
			s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/moved" {
					says(200, "text/plain", "here")(w, r)
					return
				}
				http.Redirect(w, r, strings.Replace(c.to, "HOST", r.Host, 1), c.code) //nolint:gosec // that is what is tried
			})
			u := newUse(t, s.URL, `{method: `+method+`, url: "BASE/make", query: {q: "{text}"}, token: A_TOKEN}`, plan.Text, args{"text": "hi"},
				func(c *Config) { c.Variables = map[string]string{"A_TOKEN": "secret-token-1"} })
			out, err := u.run(t.Context())
			if (err == nil) != c.ok || c.ok && out.Value != "here" || !c.ok && !errors.Is(err, toolbox.ErrDown) {
				t.Errorf("%s, %s: %q, %v", name, method, out.Value, err)
			}
		}
	}
	if visits.count() != 0 {
		t.Errorf("the other host was asked %d times", visits.count())
	}
}

// TestWhatIsSent: types are kept, and pictures are sent upright.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	var body struct {
		Words string      `json:"words"`
		Pic   string      `json:"pic"`
		Link  string      `json:"link"`
		N     json.Number `json:"n"`
		Loud  bool        `json:"loud"`
	}
	var header http.Header
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(&body); err != nil {
			t.Error(err)
		}
		says(200, "text/plain", r.Method+" "+r.URL.RequestURI())(w, r)
	})
	u := newUse(t, s.URL, `{url: "BASE/v1/{style}", query: {size: {if: width, then: "{2 * width}"}}, token: A_TOKEN, `+
		`json: {words: "{text}", n: "{width}", loud: "{loud}", pic: "{image}", link: "data:,{image.width}x{image.height}"}}`,
		plan.Text, args{"text": "a \"b\"\n&c", "width": "7", "image": stored(t, "a.png", pngBytes(t))}, func(c *Config) { c.Variables = map[string]string{"A_TOKEN": " tok-1\n"} })
	out, err := u.run(t.Context())
	if err != nil || out.Value != "POST /v1/plain?size=14" {
		t.Fatalf("%q, %v", out.Value, err)
	}
	if body.Words != "a \"b\"\n&c" || body.N != "7" || !body.Loud || body.Link != "data:,12x8" {
		t.Errorf("it was sent %+v", body)
	}
	content, err := base64.StdEncoding.DecodeString(body.Pic)
	if err != nil {
		t.Fatal(err)
	}
	if sent, err := png.Decode(bytes.NewReader(content)); err != nil || sent.Bounds() != picture().Bounds() {
		t.Errorf("the picture was sent as %v, %v", sent, err)
	}
	if header.Get("Authorization") != "Bearer tok-1" || header.Get("Content-Type") != "application/json" {
		t.Errorf("the header was %q", header)
	}
}

// TestFilesAreSent in a form and as a body; absent ones are omitted.
func TestFilesAreSent(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Content-Type") == "image/jpeg" {
			b, err := io.ReadAll(r.Body)
			says(200, "text/plain", fmt.Sprintln(http.DetectContentType(b), err))(w, r)
			return
		}
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
		}
		var said []string
		for name, files := range r.MultipartForm.File {
			said = append(said, name, files[0].Filename, files[0].Header.Get("Content-Type"))
		}
		says(200, "text/plain", fmt.Sprint(said, r.MultipartForm.Value))(w, r)
	})
	form := `{url: "BASE/", form: {sound: "{sound}", words: "{text}", n: "{width}"}}`
	for request, c := range map[string]struct {
		given args
		want  string
	}{
		form:                              {args{"text": "hi", "sound": stored(t, `evil".wav`, mediatest.Tone("hello", time.Second/10))}, "[sound sound.wav audio/wav] map[words:[hi]]"},
		`{url: "BASE/", body: "{image}"}`: {args{"image": stored(t, "a.jpg", jpegBytes(t))}, "image/jpeg <nil>"},
	} {
		out, err := newUse(t, s.URL, request, plan.Text, c.given).run(t.Context())
		if err != nil || out.Value != c.want {
			t.Errorf("%s: %q, %v", request, out.Value, err)
		}
	}
}

// TestBadInputs are not the service's fault, and it is not called.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	s, seen := serve(t, says(200, "text/plain", "x"))
	for request, given := range map[string]args{
		`{url: "BASE/v1/{text}"}`:              {"text": "../../admin"},
		`{url: "BASE/{text}/x"}`:               {"text": "a\nb"},
		`{url: "BASE/", body: "{image}"}`:      {"image": stored(t, "a.png", pngBytes(t)[:40])},
		`{url: "BASE/", form: {f: "{sound}"}}`: {"sound": stored(t, "a.wav", pngBytes(t))},
		`{url: "BASE/", json: {f: "{image}"}}`: {"image": filepath.Join(t.TempDir(), "gone.png")},
	} {
		u := newUse(t, s.URL, request, plan.Text, given)
		_, err := u.run(t.Context())
		if err == nil || errors.Is(err, toolbox.ErrDown) || plan.Sentence(err, plan.Message{}).IsZero() {
			t.Errorf("%s: %v", request, err)
		}
		if left, err := os.ReadDir(u.call.Dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left, %v", request, left, err)
		}
	}
	if seen.count() != 0 {
		t.Errorf("the service was asked %d times", seen.count())
	}
}

// TestMissingSetup: settings are named to the operator, but not to people. No request is sent.
func TestMissingSetup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base   string
		change func(*Config)
		want   string
	}{
		"no host":      {"http://gpu1:8000", func(c *Config) { c.Hosts = nil }, "Tools are not allowed to call gpu1:8000: to allow it, add it to ATELIER_HTTP_HOSTS."},
		"another port": {"http://gpu1:8000", func(c *Config) { c.Hosts = Hosts{"gpu1", "gpu1:8001"} }, "Tools are not allowed to call gpu1:8000"},
		"no token":     {"http://gpu1:8000", func(*Config) {}, "The service at gpu1:8000 needs a token: set A_TOKEN."},
		"a bad token": {
			"http://gpu1:8000", func(c *Config) { c.Variables = map[string]string{"A_TOKEN": "a b-secret"} }, "The token in A_TOKEN contains characters",
		},
		"media": {
			"https://api.example.com", func(c *Config) { c.Variables = map[string]string{"A_TOKEN": "ab-secret"} },
			"It would send pictures, sound or video to api.example.com: set ALLOW_CLOUD_MEDIA=true",
		},
	} {
		u := newUse(t, c.base, `{url: "BASE/x", body: "{image}", token: A_TOKEN}`, plan.Text, args{"image": stored(t, "a.png", pngBytes(t))}, c.change, func(c *Config) {
			c.Transport = refusing{t}
		})
		_, err := u.run(t.Context())
		for what, err := range map[string]error{"run": err, "probe": u.backend.Probe(t.Context(), u.candidate)} {
			said, operator := plan.Sentence(err, plan.Message{}).String(), plan.OperatorSentence(err, plan.Message{}).String()
			if !strings.HasPrefix(operator, c.want) || said == "" || strings.Contains(said, "_") || strings.Contains(fmt.Sprint(err), "secret") {
				t.Errorf("%s, %s: people read %q, the operator %q, the log %v", name, what, said, operator, err)
			}
		}
	}
}

// refusing fails the test on any request.
type refusing struct{ t *testing.T }

func (r refusing) RoundTrip(to *http.Request) (*http.Response, error) {
	r.t.Errorf("%s was called", to.URL)
	return nil, errors.New("refused")
}

// TestTokenIsNotLeaked, whatever the service repeats.
func TestTokenIsNotLeaked(t *testing.T) {
	t.Parallel()
	const token = "tok-5f2a9c7d1e" //nolint:gosec // nobody's
	var log bytes.Buffer
	for request, status := range map[string]int{
		`{url: "BASE/make", json: {q: "{text}"}, result: a, token: A_TOKEN}`: 200,
		`{url: "BASE/make", json: {q: ["{text}"]}, token: A_TOKEN}`:          400,
		`{url: "BASE/make", form: {q: "{text}"}, token: A_TOKEN}`:            401,
		`{url: "BASE/make", body: "{text}", token: A_TOKEN}`:                 422,
		`{url: "BASE/make", query: {q: "{text}"}, token: A_TOKEN}`:           503,
		`{url: "BASE/make/{text}", token: A_TOKEN}`:                          500,
	} {
		s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			says(status, "application/json", `{"detail":"bad `+r.Header.Get("Authorization")+` for my words"}`)(w, r)
		})
		u := newUse(t, s.URL, request, plan.Text, args{"text": "my words"}, func(c *Config) {
			c.Variables, c.Log = map[string]string{"A_TOKEN": token}, slog.New(slog.NewTextHandler(&log, nil))
		})
		_, err := u.run(t.Context())
		if err == nil || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "my words") {
			t.Errorf("status %d: %v", status, err)
		}
	}
	if log.Len() == 0 || strings.Contains(log.String(), token) || strings.Contains(log.String(), "words") {
		t.Errorf("the log: %s", &log)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for list, c := range map[string]struct{ allowed, refused []string }{
		"": {nil, []string{"http://a", "http://"}},
		"Example.com , gpu1:8000,": {
			[]string{"http://example.com", "https://EXAMPLE.com", "https://example.com:443", "http://gpu1:8000", "https://gpu1:8000"},
			[]string{"http://example.com:8080", "http://example.com:443", "http://a.example.com", "http://example.com.evil", "http://gpu1", "http://gpu1:80", "nonsense", "http://evil/example.com"},
		},
		"a:80,b:443": {[]string{"http://a", "http://a:80", "https://b", "http://b:443"}, []string{"https://a", "http://b"}},
		"[::1]:8000,10.0.0.5,[fd00::2]": {
			[]string{"http://[::1]:8000", "http://10.0.0.5", "https://[fd00::2]"}, []string{"http://[::1]", "http://10.0.0.6", "http://10.0.0.5:1"},
		},
	} {
		hosts, err := ParseHosts(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range c.allowed {
			if !hosts.Allow(address) {
				t.Errorf("%q refuses %s", list, address)
			}
		}
		for _, address := range c.refused {
			if hosts.Allow(address) {
				t.Errorf("%q allows %s", list, address)
			}
		}
	}
	for _, list := range []string{"*", "*.example.com", "https://example.com", "example.com/x", "a b", "a:b", "me@example.com", ".", "-a"} {
		if hosts, err := ParseHosts(list); err == nil {
			t.Errorf("%q gives %q", list, hosts)
		}
	}
	hosts := Hosts{"tools.example.com", "10.0.0.5", "[fd00::2]:80"}
	for address, listed := range map[string]bool{"10.0.0.5": true, "fd00::2": true, "10.0.0.6": false, "127.0.0.1": false} {
		if hosts.lists(netip.MustParseAddr(address)) != listed {
			t.Errorf("%s: want %v", address, listed)
		}
	}
}

func TestContract(t *testing.T) { //nolint:paralleltest // the contract sets the environment
	started, stopped := make(chan struct{}), make(chan struct{})
	drawn := string(pngBytes(t))
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // then the end of the connection is seen
			close(started)
			<-r.Context().Done()
			close(stopped)
			return
		}
		says(200, "image/png", drawn)(w, r)
	})
	at := func(path string, picture []byte) toolboxtest.Use {
		u := newUse(t, s.URL, `{url: "BASE`+path+`", body: "{image}"}`, plan.Image, args{"image": stored(t, "a.png", picture)})
		return toolboxtest.Use{Candidate: u.candidate, Call: u.call}
	}
	unknown := newUse(t, "http://localhost:1", `{url: "BASE/x", query: {q: "{text}"}}`, plan.Text, args{"text": "x"})
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	slow := at("/slow", pngBytes(t))
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: newBackend(t, s.URL), Good: at("/make", pngBytes(t)), Bad: at("/make", pngBytes(t)[:50]), Unknown: unknown.candidate,
		Slow: &slow, Started: started, Stopped: stopped,
		Down: newBackend(t, s.URL, func(c *Config) {
			c.Transport = toGone{gone.URL}
			c.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(gone.URL, "http://"))
			}
		}),
	})
}

// toGone redirects every request to a server that is gone.
type toGone struct{ address string }

func (g toGone) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	to, err := url.Parse(g.address)
	if err != nil {
		return nil, err
	}
	r.URL.Host = to.Host
	return http.DefaultTransport.RoundTrip(r)
}

// TestWordsOfPeople arrive as they were written, and change nothing else in a request.
func TestWordsOfPeople(t *testing.T) {
	t.Parallel()
	const request = `{url: "BASE/v1/{text}/end", query: {q: "{text}", fixed: 1}, `
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		segments := strings.Split(r.URL.Path, "/")
		if len(segments) != 4 || segments[1] != "v1" || segments[3] != "end" || len(r.URL.Query()) != 2 || r.URL.Query().Get("fixed") != "1" || r.Header.Get("X-Evil") != "" {
			t.Errorf("it asks for %q with %q", r.URL, r.Header)
		}
		said := []string{segments[2], r.URL.Query().Get("q")}
		switch r.Header.Get("Content-Type") {
		case "application/json":
			var fields map[string]string
			check := json.NewDecoder(r.Body).Decode(&fields)
			said = append(said, fmt.Sprint(len(fields), check), fields["w"])
		case "text/plain; charset=utf-8":
			b, err := io.ReadAll(r.Body)
			said = append(said, fmt.Sprint(1, err), string(b))
		default:
			err := r.ParseMultipartForm(1 << 20)
			said = append(said, fmt.Sprint(len(r.MultipartForm.Value)+len(r.MultipartForm.File), err), r.MultipartForm.Value["w"][0])
		}
		says(200, "text/plain", strings.Join(said, "|"))(w, r)
	})
	for _, words := range []string{
		`"`, `'; DROP`, "%", "50% off", "%2F..%2F", "%2e%2e", "&fixed=2&x=1", "#top", "?a=b", "-x", "--help", "{style}", "{{", "é 字", "a=b;c", "...", "@evil", ":80", "x\u2028y", "}}]",
	} {
		for _, body := range []string{`json: {w: "{text}"}}`, `form: {w: "{text}"}}`, `body: "{text}"}`} {
			out, err := newUse(t, s.URL, request+body, plan.Text, args{"text": words}).run(t.Context())
			if want := strings.Join([]string{words, words, "1 <nil>", words}, "|"); err != nil || out.Value != want {
				t.Errorf("%q in %s: %q, %v", words, body, out.Value, err)
			}
		}
	}
	// Other parts of a request may contain what a path cannot.
	for _, words := range []string{"a\r\nX-Evil: 1", "../../admin", "a/b", `a\b`, "\r\n--x\r\nContent-Disposition: form-data; name=\"w2\"\r\n\r\n"} {
		for _, body := range []string{`json: {w: "{text}"}}`, `form: {w: "{text}"}}`, `body: "{text}"}`} {
			u := newUse(t, s.URL, strings.Replace(request, "{text}", "x", 1)+body, plan.Text, args{"text": words})
			out, err := u.run(t.Context())
			if want := strings.TrimSpace(strings.Join([]string{"x", words, "1 <nil>", words}, "|")); err != nil || out.Value != want {
				t.Errorf("%q in %s: %q, %v", words, body, out.Value, err)
			}
		}
	}
}

// TestHeaders: those of the file are sent, with people's words escaped, and so is the token.
func TestHeaders(t *testing.T) {
	t.Parallel()
	var header http.Header
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		says(200, "text/plain", "done")(w, r)
	})
	const request = `{url: "BASE/x", query: {q: "{text}"}, token: A_TOKEN, ` +
		`headers: {X-Style: "{style}", X-Width: {if: width, then: "{2 * width}"}, X-Words: "{text}", X-Fixed: "a; b", Accept: application/x-own, X-Gone: {if: width > 50, then: x}}}`
	for words, escaped := range map[string]string{"plain": "plain", "a\r\nX-Evil: 1\r\n\r\nGET /": "a%0D%0AX-Evil:%201%0D%0A%0D%0AGET%20%2F", "grün": "gr%C3%BCn"} {
		u := newUse(t, s.URL, request, plan.Text, args{"text": words, "width": "7", "style": "fancy"}, func(c *Config) { c.Variables = map[string]string{"A_TOKEN": "tok-1"} })
		if _, err := u.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"X-Style": "fancy", "X-Width": "14", "X-Words": escaped, "X-Fixed": "a; b", "Accept": "application/x-own", "X-Gone": "", "X-Evil": "", "Authorization": "Bearer tok-1",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%q: %s is %q, want %q", words, name, got, want)
			}
		}
	}
}

// parts returns the files in a form's field p, with their names.
func parts(t *testing.T, r *http.Request) (files [][]byte, names []string) {
	t.Helper()
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		t.Error(err)
		return nil, nil
	}
	for _, part := range r.MultipartForm.File["p"] {
		f, err := part.Open()
		if err != nil {
			t.Error(err)
			continue
		}
		b, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		files, names = append(files, b), append(names, part.Filename)
	}
	return files, names
}

// TestSeveralValues are sent whole: as a list in JSON, and as several fields of a form.
func TestSeveralValues(t *testing.T) {
	t.Parallel()
	s, seen := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var pictures [][]byte
		var notes, names []string
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			var body struct {
				P [][]byte `json:"p"`
				N []string `json:"n"`
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			pictures, notes = body.P, body.N
		} else {
			pictures, names = parts(t, r)
			notes = r.MultipartForm.Value["n"]
		}
		var kinds []string
		for _, p := range pictures {
			kinds = append(kinds, http.DetectContentType(p))
		}
		says(200, "text/plain", fmt.Sprintf("%q %q %q", kinds, notes, names))(w, r)
	})
	given := args{"pictures": stored(t, "a.png", pngBytes(t)) + several + stored(t, "b.jpg", jpegBytes(t)), "notes": "one\"" + several + "two, three"}
	for request, want := range map[string]string{
		`{url: "BASE/", json: {p: "{pictures}", n: "{notes}"}}`: `["image/png" "image/jpeg"] ["one\"" "two, three"] []`,
		`{url: "BASE/", form: {p: "{pictures}", n: "{notes}"}}`: `["image/png" "image/jpeg"] ["one\"" "two, three"] ["pictures-1.png" "pictures-2.jpg"]`,
	} {
		out, err := newUse(t, s.URL, request, plan.Text, given).run(t.Context())
		if err != nil || out.Value != want {
			t.Errorf("%s: %s, %v", request, out.Value, err)
		}
	}
	before := seen.count()
	bad := args{"pictures": stored(t, "a.png", pngBytes(t)) + several + stored(t, "b.png", pngBytes(t)[:40]), "notes": "x" + several + "y"}
	if _, err := newUse(t, s.URL, `{url: "BASE/", json: {p: "{pictures}", n: "{notes}"}}`, plan.Text, bad).run(t.Context()); err == nil || seen.count() != before {
		t.Errorf("a broken picture is sent, %v", err)
	}
}
