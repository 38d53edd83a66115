package hftasktest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/mediatest"
)

// TestFaults checks the effect of each fault, and that the server works after it.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	img := mediatest.PNG(three())
	for _, c := range []struct {
		kind   hftasktest.Kind
		task   string
		status int
		sort   string
		want   string
	}{
		{hftasktest.Down, "image-to-text", 502, "text/html", "Bad gateway"},
		{hftasktest.Broken, "image-to-text", 500, "application/json", "CUDA"},
		{hftasktest.Loading, "image-to-text", 503, "application/json", `{"error":"Model example/image-to-text is currently loading","estimated_time":7}`},
		{hftasktest.Busy, "image-to-text", 429, "application/json", "Rate limit"},
		{hftasktest.Expired, "image-to-text", 401, "application/json", "Invalid username"},
		{hftasktest.Unpaid, "image-to-text", 402, "application/json", "credits"},
		{hftasktest.HTML, "image-to-text", 200, "text/html; charset=utf-8", "<html>"},
		{hftasktest.Redirect, "image-to-text", 307, "", ""},
		{hftasktest.Shapeless, "image-to-text", 200, "application/json", "nothing"},
		{hftasktest.Outside, "object-detection", 200, "application/json", `"xmin":100020`},
		{hftasktest.Empty, "image-to-image", 200, "image/png", ""},
	} {
		before := send(t, s, "/models/example/"+c.task, "image/png", img)
		s.Break(c.task, hftasktest.Fault{Kind: c.kind, Times: 1, After: 7, To: "http://127.0.0.1:9/"})
		r := send(t, s, "/models/example/"+c.task, "image/png", img)
		if r.status != c.status || r.kind != c.sort || !strings.Contains(string(r.body), c.want) || c.kind == hftasktest.Empty && len(r.body) > 0 {
			t.Errorf("%s: %d %s %s", c.kind, r.status, r.kind, r.body)
		}
		if c.kind == hftasktest.Busy && r.header.Get("Retry-After") != "7" || c.kind == hftasktest.Redirect && r.header.Get("Location") != "http://127.0.0.1:9/" {
			t.Errorf("%s: %v", c.kind, r.header)
		}
		if after := send(t, s, "/models/example/"+c.task, "image/png", img); after.status != 200 || string(after.body) != string(before.body) {
			t.Errorf("after %s: %d %s", c.kind, after.status, after.body)
		}
	}
	s.Break("mask-generation", hftasktest.Fault{Kind: hftasktest.OtherSize})
	for range 2 {
		all := into[[]struct{ Mask string }](t, send(t, s, "/pipeline/mask-generation", "image/png", img))
		if size := masked(t, all[0].Mask).Bounds().Size(); size.X != 7 || size.Y != 5 {
			t.Errorf("the mask is %v", size)
		}
	}
	s.Mend("mask-generation")
	all := into[[]struct{ Mask string }](t, send(t, s, "/pipeline/mask-generation", "image/png", img))
	if size := masked(t, all[0].Mask).Bounds().Size(); size.X != 240 {
		t.Errorf("the mask is still %v", size)
	}
}

// TestFaultsOfModels checks that a fault affects its model only, and that a loading model is listed so.
func TestFaultsOfModels(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{Models: map[string][]string{"summarization": {"org/one", "org/two"}}})
	body := map[string]any{"inputs": "It rains."}
	s.Break("org/one", hftasktest.Fault{Kind: hftasktest.Loading, Times: 2})
	state := func(model string) string {
		return into[struct {
			Models map[string]struct{ State string }
		}](t, fetch(t, s, http.MethodGet, "/capabilities")).Models[model].State
	}
	if got := state("org/one"); got != "loading" {
		t.Errorf("the state is %s", got)
	}
	for i, want := range []int{503, 503, 200} {
		if r := send(t, s, "/models/org/one", "", body); r.status != want {
			t.Errorf("request %d: %d, want %d", i, r.status, want)
		}
		if r := send(t, s, "/models/org/two", "", body); r.status != 200 {
			t.Errorf("the other model: %d", r.status)
		}
	}
}

// open requests a picture, and returns the unread answer.
func open(ctx context.Context, t *testing.T, s *hftasktest.Server) (*http.Response, error) {
	t.Helper()
	b, err := json.Marshal(map[string]any{"inputs": "a red ball"})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/pipeline/text-to-image", strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
}

// closed closes an answer.
func closed(t *testing.T, resp *http.Response) {
	t.Helper()
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
}

// TestBodies checks how bodies end that are cut, endless or empty.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	s.Break("text-to-image", hftasktest.Fault{Kind: hftasktest.Cut, Times: 1})
	resp, err := open(t.Context(), t, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); err == nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the body was not cut: %d %v", resp.StatusCode, err)
	}
	closed(t, resp)

	s.Break("text-to-image", hftasktest.Fault{Kind: hftasktest.Endless, Times: 1})
	if resp, err = open(t.Context(), t, s); err != nil {
		t.Fatal(err)
	}
	if n, err := io.CopyN(io.Discard, resp.Body, 5<<20); err != nil || resp.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the body ended after %d bytes: %v", n, err)
	}
	closed(t, resp)

	s.Break("text-to-image", hftasktest.Fault{Kind: hftasktest.Dropped, Times: 1})
	if resp, err = open(t.Context(), t, s); err == nil {
		closed(t, resp)
		t.Errorf("the connection was not dropped: %d", resp.StatusCode)
	}
	if resp, err = open(t.Context(), t, s); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("afterwards: %v", err)
	}
	closed(t, resp)
}

// TestHold checks that requests wait until they are released, and that an abandoned one is reported.
func TestHold(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	hold := s.Hold("text-to-image")
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() {
		resp, err := open(ctx, t, s)
		if err == nil {
			err = resp.Body.Close()
		}
		given <- err
	}()
	<-hold.Held
	cancel()
	<-hold.Gone
	if err := <-given; err == nil {
		t.Error("an abandoned request was answered")
	}
	done := make(chan int, 1)
	go func() {
		resp, err := open(t.Context(), t, s)
		if err != nil {
			done <- 0
			return
		}
		defer closed(t, resp)
		done <- resp.StatusCode
	}()
	<-hold.Held
	hold.Release()
	if status := <-done; status != 200 {
		t.Errorf("the released request: %d", status)
	}
}
