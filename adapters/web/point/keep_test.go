package point //nolint:testpackage // it sets the limits of what is served

import (
	"bytes"
	"context"
	"fmt"
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
)

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
