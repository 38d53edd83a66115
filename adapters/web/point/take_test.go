package point

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/adapters"
)

func TestTake(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	g := testGrant()
	g.Width, g.Height = 0, 0 // it is looked at
	link := mustLink(t, p.links, g)
	painted := mask(t, 640, 400, true)
	form := []formPart{
		{"id", formID},
		{"marks", `{"width":640,"height":400,"points":[{"x":0,"y":0},{"x":639,"y":399,"exclude":true}],"boxes":[{"xmin":0,"ymin":0,"xmax":640,"ymax":400}]}`},
		{"mask", painted},
	}
	for range 2 { // the same form again is the same event
		if status, said := post(t, link, nil, form...); status != http.StatusNoContent {
			t.Fatalf("%d %s", status, said)
		}
	}
	if len(p.taken()) != 2 || p.taken()[0].Key() != p.taken()[1].Key() {
		t.Fatalf("%+v", p.taken())
	}
	key := p.taken()[0].Mark.Mask.Handle
	want := adapters.Event{
		Kind: adapters.PictureMarked, ID: p.taken()[0].ID, Adapter: "web", Thread: g.Thread, By: adapters.Person{ID: "pointing-link"}, At: p.clock.Now(),
		Mark: &adapters.Mark{
			Picture: g.Picture, Width: 640, Height: 400,
			Points: []adapters.Point{{}, {X: 639, Y: 399, Exclude: true}}, Boxes: []adapters.Box{{XMax: 640, YMax: 400}},
			Mask: &adapters.File{ID: "mask", Name: "mask.png", Type: "image/png", Size: int64(len(painted)), Handle: key},
		},
	}
	if diff := cmp.Diff(want, p.taken()[0]); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(key, "threads/"+g.Thread.Key()+"/") || string(p.masks[key]) != painted || len(p.masks) != 1 {
		t.Errorf("the mask is kept as %s", key)
	}
	form[0].content = "fedcba9876543210"
	if status, _ := post(t, link, nil, form[:2]...); status != http.StatusNoContent || p.taken()[2].Key() == p.taken()[0].Key() {
		t.Errorf("%d: another form is another event: %+v", status, p.taken()[2])
	}
	if p.taken()[2].Mark.Mask != nil {
		t.Error("there is a mask where none was painted")
	}
}

func TestInvalidMarks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages.posts.most = 1000
	link := mustLink(t, p.links, testGrant())
	id, some := formPart{"id", formID}, formPart{"marks", `{"width":640,"height":400,"points":[{"x":1,"y":1}]}`}
	marks := func(s string) []formPart {
		return []formPart{id, {"marks", `{"width":640,"height":400,` + s + `}`}}
	}
	masked := func(content string) []formPart { return []formPart{id, some, {"mask", content}} }
	good := mask(t, 640, 400, true)
	var rgba bytes.Buffer
	if err := png.Encode(&rgba, gradient(640, 400)); err != nil {
		t.Fatal(err)
	}
	points, err := json.Marshal(make([]adapters.Point, 1001))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		parts  []formPart
		status int
		want   string
	}{
		{"a point at the right", marks(`"points":[{"x":640,"y":0}]`), 400, "A point is outside"},
		{"a point above", marks(`"points":[{"x":0,"y":-1}]`), 400, "A point is outside"},
		{"a box beyond", marks(`"boxes":[{"xmin":0,"ymin":0,"xmax":641,"ymax":1}]`), 400, "A box must lie within"},
		{"a box of nothing", marks(`"boxes":[{"xmin":5,"ymin":0,"xmax":5,"ymax":1}]`), 400, "A box must lie within"},
		{"nothing", marks(`"points":[]`), 400, "Nothing is marked"},
		{"too many", marks(`"points":` + string(points)), 400, "There are more than 1,000"},
		{"a number that is none", marks(`"points":[{"x":0.5,"y":1}]`), 400, "did not arrive"},
		{"a number beyond any", marks(`"points":[{"x":1e99,"y":1}]`), 400, "did not arrive"},
		{"another size", []formPart{id, {"marks", `{"width":400,"height":640,"points":[{"x":1,"y":1}]}`}}, 400, "has 640 by 400"},
		{"no JSON", []formPart{id, {"marks", `{`}}, 400, "did not arrive"},
		{"a megabyte", []formPart{id, {"marks", strings.Repeat(" ", 1<<20)}}, 413, "too much. Mark less"},
		{"no marks", []formPart{id}, 400, "did not arrive"},
		{"no id", []formPart{some}, 400, "did not arrive"},
		{"a bad id", []formPart{{"id", "../../../../etc/x"}, some}, 400, "did not arrive"},
		{"a short id", []formPart{{"id", "abc"}, some}, 400, "did not arrive"},
		{"marks twice", []formPart{id, some, some}, 400, "did not arrive"},
		{"another part", []formPart{id, some, {"thread", "x"}}, 400, "did not arrive"},
		{"the mask first", []formPart{id, {"mask", good}, some}, 400, "did not arrive"},
		{"a mask that is empty", masked(""), 400, "mask did not arrive"},
		{"a mask of text", masked(strings.Repeat("mask", 100)), 400, "mask did not arrive"},
		{"a mask cut off", masked(good[:len(good)-20]), 400, "mask did not arrive"},
		{"a mask with more after it", masked(good + "<script>"), 400, "mask did not arrive"},
		{"a mask in colour", masked(rgba.String()), 400, "mask did not arrive"},
		{"a mask of another size", masked(mask(t, 400, 640, true)), 400, "The painted mask has 400 by 640"},
		{"a mask of another size, huge", masked(mask(t, 5000, 5000, true)), 400, "The painted mask has 5,000 by 5,000"},
		{"a mask on which nothing is painted", masked(mask(t, 640, 400, false)), 400, "Nothing is painted"},
	} {
		if status, said := post(t, link, nil, c.parts...); status != c.status || !strings.Contains(said, c.want) {
			t.Errorf("%s: %d %s", c.name, status, said)
		}
	}
	if len(p.taken()) > 0 || len(p.masks) > 0 {
		t.Errorf("%d events and %d masks came of it", len(p.taken()), len(p.masks))
	}
}

func TestMaskBeyondTheCap(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link := mustLink(t, p.links, testGrant())
	good := mask(t, 640, 400, true)
	// a chunk that is passed over, larger than all that is taken
	large := good[:33] + "\x03\x00\x00\x00tEXt" + strings.Repeat("x", maxMask)
	status, said := post(t, link, nil, formPart{"id", formID}, formPart{"marks", `{"width":640,"height":400}`}, formPart{"mask", large})
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(said, "too much. Mark less") || len(p.masks) > 0 {
		t.Errorf("%d %s", status, said)
	}
}

func TestWhatFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link := mustLink(t, p.links, testGrant())
	form := []formPart{{"id", formID}, {"marks", `{"width":640,"height":400,"points":[{"x":1,"y":1}]}`}}
	p.refusal = errors.New("the journal is full")
	if status, said := post(t, link, nil, form...); status != http.StatusServiceUnavailable || strings.Contains(said, "journal") {
		t.Errorf("%d %s", status, said)
	}
	p.refusal = nil
	p.state.err = errors.New("away")
	if status, _ := post(t, link, nil, form...); status != http.StatusServiceUnavailable {
		t.Errorf("%d", status)
	}
	p.state.err = nil
	if status, said := post(t, link, http.Header{"Accept-Language": {"zh-CN"}}, formPart{"x", ""}); status != http.StatusBadRequest || !strings.Contains(said, "标记") {
		t.Errorf("%d %s", status, said)
	}
	if res := send(t, http.MethodPost, link, http.Header{"Content-Type": {"application/json"}}, strings.NewReader("{}")); res.status != http.StatusBadRequest {
		t.Errorf("%d", res.status)
	}
	for _, width := range []int{0, 640} { // whether its size is known or not
		g := testGrant()
		g.Width, g.Handle = width, "media/none"
		if status, said := post(t, mustLink(t, p.links, g), nil, form...); status != http.StatusGone || said != goneSentence {
			t.Errorf("%d %s", status, said)
		}
	}
}

// begun returns a form up to the content of its mask, and its content type.
func begun(t *testing.T) (form []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, field := range []formPart{{"id", formID}, {"marks", `{"width":640,"height":400}`}} {
		if err := w.WriteField(field.name, field.content); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.CreateFormFile("mask", "mask.png"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

// sent returns the response to a form with that body.
func (p *place) sent(link, contentType string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, strings.TrimPrefix(link, p.base), body)
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	p.pages.Handler().ServeHTTP(w, r)
	return w
}

func TestSlowMasksKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	room := make(chan struct{}, 1) // there is memory for one mask
	p.pages.Memory = func(_ context.Context, bytes int64) (func(), error) {
		if room <- struct{}{}; bytes != 640*400 {
			t.Errorf("a mask takes %d bytes", bytes)
		}
		return func() { <-room }, nil
	}
	link := mustLink(t, p.links, testGrant())
	start, contentType := begun(t)
	var slow sync.WaitGroup
	var ends []func() error
	for range 2 {
		body, come := io.Pipe()
		ends = append(ends, come.Close)
		slow.Go(func() {
			if got := p.sent(link, contentType, body); got.Code != http.StatusBadRequest {
				t.Errorf("a form that is cut off: %d %s", got.Code, got.Body)
			}
		})
		for _, b := range [][]byte{start, make([]byte, 256<<10)} { // more than what reads ahead: it has come to the mask
			if _, err := come.Write(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if status, said := post(t, link, nil, formPart{"id", formID}, formPart{"marks", `{"width":640,"height":400}`}, formPart{"mask", mask(t, 640, 400, true)}); status != http.StatusNoContent {
		t.Errorf("beside slow ones: %d %s", status, said)
	}
	for _, end := range ends {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	slow.Wait()
}

// drip returns one byte per second, forever.
type drip struct{}

func (drip) Read(p []byte) (int, error) {
	<-time.After(time.Second)
	return copy(p, "x"), nil
}

func TestFormsThatNeverEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link := mustLink(t, p.links, testGrant())
	start, contentType := begun(t)
	synctest.Test(t, func(t *testing.T) {
		since := time.Now()
		got := p.sent(link, contentType, io.MultiReader(bytes.NewReader(start), drip{}))
		if took := time.Since(since); got.Code != http.StatusRequestTimeout || took < patience || took > patience+time.Second || !strings.Contains(got.Body.String(), "too long") {
			t.Errorf("%d %s after %v", got.Code, got.Body, took)
		}
	})
	cut := fmt.Errorf("read tcp: %w", os.ErrDeadlineExceeded) // by the server, in the middle of the mask
	if got := p.sent(link, contentType, io.MultiReader(bytes.NewReader(start), iotest.ErrReader(cut))); got.Code != http.StatusRequestTimeout {
		t.Errorf("one that the server did not wait for: %d %s", got.Code, got.Body)
	}
	if len(p.masks) > 0 || len(p.taken()) > 0 {
		t.Error("something was kept of it")
	}
}
