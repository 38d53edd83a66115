package web

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// BenchmarkHundredStreams posts a message while 100 pages are open over HTTP, and waits until the last one has it.
func BenchmarkHundredStreams(b *testing.B) {
	c, err := New(Config{State: newMemory(), Media: newFiles(), Workshop: &workshop{}, Guard: func(h http.Handler) http.Handler { return h }, Who: who})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	post := func(id string) {
		form := url.Values{"id": {id}, "text": {"Find the edges."}}
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server.URL+"/t/"+thread1+"/messages", strings.NewReader(form.Encode()))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w, err := server.Client().Do(r)
		if err != nil || w.StatusCode != http.StatusAccepted {
			b.Fatal(err)
		}
		if err := w.Body.Close(); err != nil {
			b.Fatal(err)
		}
	}
	post("message00000000000")
	ctx, stop := context.WithCancel(b.Context())
	var pages, told sync.WaitGroup
	for range 100 {
		told.Add(1)
		pages.Go(func() { readStream(ctx, server, &told) })
	}
	told.Wait()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		told.Add(100)
		post(fmt.Sprintf("message%011d", n))
		told.Wait()
	}
	stop()
	pages.Wait()
	c.Close()
}

// readStream reads a stream, and reports each message.
func readStream(ctx context.Context, server *httptest.Server, told *sync.WaitGroup) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+events1, http.NoBody)
	if err != nil {
		return
	}
	w, err := server.Client().Do(r)
	if err != nil {
		return
	}
	defer w.Body.Close() //nolint:errcheck // it is read until it ends
	lines := bufio.NewScanner(w.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `<article id="m-message`) {
			told.Done()
		}
	}
}
