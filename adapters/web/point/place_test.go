package point //nolint:testpackage // the pages are looked into

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"atelier/adapters"
)

// place is everything that the pages need, in memory.
type place struct {
	clock *clock
	state *lists
	links *Links
	pages *Pages
	base  string

	mu       sync.Mutex
	pictures map[string][]byte
	masks    map[string][]byte
	events   []adapters.Event
	refusal  error // of the handler
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{clock: newClock(), state: &lists{}, masks: map[string][]byte{}}
	p.pictures = map[string][]byte{"media/3f2a": encode(t, gradient(640, 400))}
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	p.base = server.URL
	p.links = newTestLinks(t, p.base, p.state, p.clock.Now)
	pages, err := New(Config{
		Links: p.links, Open: p.open, Put: p.put, Handle: p.handle, Look: p.look, Now: p.clock.Now,
		MaskFolder: func(t adapters.Thread) string { return "threads/" + t.Key() },
	})
	if err != nil {
		t.Fatal(err)
	}
	p.pages, handler = pages, pages.Handler()
	return p
}

func (p *place) open(_ context.Context, handle string) (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.pictures[handle]
	if !ok {
		return nil, adapters.ErrGone
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (p *place) put(_ context.Context, key string, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return errors.New("it was not kept") // stores do not all say why
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.masks[key] = b
	return nil
}

func (p *place) look(ctx context.Context, handle string) (width, height int, err error) {
	r, err := p.open(ctx, handle)
	if err != nil {
		return 0, 0, err
	}
	c, _, err := image.DecodeConfig(r)
	return c.Width, c.Height, err
}

func (p *place) handle(_ context.Context, e adapters.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusal == nil {
		p.events = append(p.events, e)
	}
	return p.refusal
}

// taken returns the events so far.
func (p *place) taken() []adapters.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// get requests a URL.
func get(t *testing.T, address string) answer {
	t.Helper()
	return send(t, http.MethodGet, address, nil, nil)
}

func send(t *testing.T, method, address string, header http.Header, body io.Reader) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer func() {
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

const formID = "0123456789abcdef"

type formPart struct{ name, content string }

// post posts a form.
func post(t *testing.T, link string, header http.Header, parts ...formPart) (status int, said string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, part := range parts {
		if err := w.WriteField(part.name, part.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all := http.Header{"Content-Type": {w.FormDataContentType()}}
	maps.Copy(all, header)
	res := send(t, http.MethodPost, link, all, &b)
	return res.status, res.body
}

func gradient(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{uint8(255 * x / width), uint8(255 * y / height), 120, 255})
		}
	}
	return img
}

func encode(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// mask returns a mask with a white pixel, if wanted.
func mask(t *testing.T, width, height int, white bool) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	if white {
		img.SetGray(width/2, height/2, color.Gray{255})
	}
	return string(encode(t, img))
}
