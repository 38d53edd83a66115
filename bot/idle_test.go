package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestLargeFilesOutlastTheServersTimeouts sends what comes and goes piece by piece, longer
// than the server would wait for all of it, and breaks off what rests.
func TestLargeFilesOutlastTheServersTimeouts(t *testing.T) {
	t.Parallel()
	const idle = time.Minute
	pieces := make(chan struct{})
	read := make(chan int)
	server := httptest.NewUnstartedServer(lasting(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := make([]byte, 1)
		for range 3 {
			n, err := r.Body.Read(p)
			if err != nil {
				t.Errorf("read: %v", err)
			}
			read <- n
		}
		for range 3 {
			<-pieces
			if _, err := w.Write([]byte("piece")); err != nil {
				t.Errorf("write: %v", err)
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
		}
	}), idle))
	const short = 100 * time.Millisecond
	server.Config.ReadTimeout, server.Config.WriteTimeout = short, short
	server.Start()
	t.Cleanup(server.Close)
	body, upload := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range 3 {
			<-time.After(short) // a slow line
			if _, err := upload.Write([]byte("x")); err != nil {
				t.Errorf("upload: %v", err)
			}
			<-read
		}
		if err := upload.Close(); err != nil {
			t.Error(err)
		}
		for range 3 {
			<-time.After(short)
			pieces <- struct{}{}
		}
	}()
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(response.Body)
	if err != nil || !bytes.Equal(got, []byte("piecepiecepiece")) {
		t.Errorf("%q, %v", got, err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
}
