package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"atelier/adapters/web/media"
	"atelier/adapters/web/upload"
)

const files1 = "/t/" + thread1 + "/files"

func TestUpload(t *testing.T) {
	t.Parallel()
	state, stored := newMemory(), newFiles()
	c := newChannel(t, state, stored)
	b := browse(t, c)
	u := b.upload("name=cat.png", "\x89PNG ...")
	if u.Type != "image/png" || u.Kind != media.KindImage || u.Size != 8 || u.Width != 40 || u.Height != 30 {
		t.Errorf("it is shown as %+v", u)
	}
	b.is(b.get(u.URL), http.StatusOK, "\x89PNG ...")
	other := browse(t, newChannel(t, state, stored)) // which another process serves
	other.is(other.get(u.URL), http.StatusOK, "\x89PNG ...")
	other.is(other.write("message00000000001", "", "file", u.ID), http.StatusAccepted)
	b.is(b.get("/t/"+thread1), http.StatusOK, "cat.png", u.URL)
	b.is(b.do(http.MethodDelete, files1+"/"+u.ID, http.NoBody), http.StatusConflict, "already been sent")

	u = b.upload("name=dog.png", "\x89PNG dog")
	b.is(b.of("bob").do(http.MethodDelete, files1+"/"+u.ID, http.NoBody), http.StatusNotFound)
	b.is(b.do(http.MethodDelete, files1+"/"+u.ID, http.NoBody), http.StatusNoContent)
	b.is(b.get(u.URL), http.StatusNotFound)
	b.is(b.do(http.MethodDelete, files1+"/"+u.ID, http.NoBody), http.StatusNotFound)
	b.is(b.write("message00000000002", "", "file", u.ID), http.StatusUnprocessableEntity)
	if keys := stored.keys(); len(keys) != 1 {
		t.Errorf("%q are kept", keys)
	}
}

func TestBadUploads(t *testing.T) {
	t.Parallel()
	state, stored := newMemory(), newFiles()
	c := newChannel(t, state, stored, func(c *Config) { c.MaxFile = 1000 })
	for name, x := range map[string]struct {
		query, content string
		status         int
		says           string
	}{
		"empty":            {"name=a.txt", "", http.StatusBadRequest, "empty"},
		"a byte too large": {"name=a.txt", strings.Repeat("x", 1001), http.StatusRequestEntityTooLarge, "the limit is 1 kB"},
		"a bomb":           {"name=a.png", "BOMB", http.StatusUnsupportedMediaType, "is a bomb"},
		"a mask of text":   {"name=a.png&for=mask", "text", http.StatusUnsupportedMediaType, "mask must be a picture"},
		"a voice of text":  {"name=a.ogg&for=voice", "text", http.StatusUnsupportedMediaType, "voice message must be a sound"},
	} {
		t.Run(name, func(t *testing.T) {
			b := browse(t, c)
			w := b.do(http.MethodPost, files1+"?"+x.query, bytes.NewReader([]byte(x.content)))
			b.is(w, x.status, `{"error":`, x.says)
		})
	}
	b := browse(t, c)
	b.is(b.do(http.MethodPost, files1, bytes.NewReader(make([]byte, 1000))), http.StatusCreated)
	for range upload.MaxPending - 1 {
		b.upload("name=a.txt", "text")
	}
	b.is(b.do(http.MethodPost, files1, bytes.NewReader([]byte("text"))), http.StatusTooManyRequests, "waiting to be sent")
	state.breakDown(errors.New("away"))
	b.is(b.do(http.MethodPost, files1, bytes.NewReader([]byte("text"))), http.StatusServiceUnavailable, `"error"`)
	if n := len(stored.keys()); n != upload.MaxPending {
		t.Errorf("%d files are kept", n)
	}
}

// TestUploadNames checks that a file name is only that: no path, no control characters, no markup, and never used
// as the file's type.
func TestUploadNames(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	for name, want := range map[string]string{
		"../../etc/passwd":              "passwd",
		`C:\fakepath\cat.png`:           "cat.png",
		"":                              "file",
		"..":                            "file",
		"a/":                            "a",
		"two\nlines\x00\x7f.txt":        "twolines.txt",
		"\u202egnp.exe":                 "gnp.exe",
		"<script>alert(1)<.png":         "<script>alert(1)<.png",
		"日本語 🐈.png":                     "日本語 🐈.png",
		"a\xffb.png":                    "ab.png",
		strings.Repeat("x", 999) + ".p": strings.Repeat("x", media.LongestName-2) + ".p",
	} {
		b := browse(t, c)
		u := b.upload(url.Values{"name": {name}}.Encode(), "text")
		if u.Name != want || u.Type != "text/plain" {
			t.Errorf("%q is %q of type %q", name, u.Name, u.Type)
		}
		w := b.get(u.URL)
		b.is(w, http.StatusOK, "text")
		if d := w.Header().Get("Content-Disposition"); !strings.HasPrefix(d, "inline; filename") || strings.ContainsAny(d, "\r\n") {
			t.Errorf("%q is disposed by %q", name, d)
		}
	}
}

// TestUploadBrokenOff checks that nothing is kept of an interrupted upload.
func TestUploadBrokenOff(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	stored.begun = make(chan struct{}, 1)
	c := newChannel(t, newMemory(), stored)
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "POST %s?name=a.png HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n\x89PNG", files1); err != nil {
		t.Fatal(err)
	}
	<-stored.begun
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	server.Close() // which waits for it
	if keys := stored.keys(); len(keys) != 0 {
		t.Errorf("%q are kept", keys)
	}
	all, _, err := c.store.Threads.Uploads(t.Context(), thread1)
	if err != nil || len(all) != 0 {
		t.Errorf("%d uploads are known: %v", len(all), err)
	}
}

// TestHugeUpload checks that 2 GB are rejected before they are sent.
func TestHugeUpload(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	c := newChannel(t, newMemory(), stored)
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // it is read to its end
	if _, err := fmt.Fprintf(conn, "POST %s?name=a.mp4 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nbegin", files1, 2<<30); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	w, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(w.Body)
	if err := errors.Join(err, w.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if w.StatusCode != http.StatusRequestEntityTooLarge || !w.Close || !strings.Contains(string(body), "the limit is 100 MB") {
		t.Errorf("it is answered by %d, closed: %v: %s", w.StatusCode, w.Close, body)
	}
	if _, err := in.ReadByte(); err == nil {
		t.Error("the connection stays open")
	}
	if keys := stored.keys(); len(keys) != 0 {
		t.Errorf("%q are kept", keys)
	}
}

// TestUntoldSize checks the limit if the browser does not send the size.
func TestUntoldSize(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	c := newChannel(t, newMemory(), stored, func(c *Config) { c.MaxFile = 1 << 20 })
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	var read atomic.Int64
	body := readerFunc(func(p []byte) (int, error) {
		if read.Add(int64(len(p))) > 256<<20 {
			return 0, io.EOF
		}
		return len(p), nil
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+files1, body)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := server.Client().Do(r); err == nil { // or the connection is closed before it is read
		if w.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("it is answered by %d", w.StatusCode)
		}
		if err := w.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	server.Close()
	if n := read.Load(); n > 64<<20 {
		t.Errorf("%d bytes were read", n)
	}
	if keys := stored.keys(); len(keys) != 0 {
		t.Errorf("%q are kept", keys)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestUploadsAtOnce checks that of 100 concurrent uploads only some run at once, that the others wait, and that
// those who would wait too long are told when to retry.
func TestUploadsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stored := newFiles()
		c := newChannel(t, newMemory(), stored)
		b := browse(t, c)
		send := func(status chan<- int, by *browser) {
			w := by.do(http.MethodPost, files1, bytes.NewReader([]byte("text")))
			if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
				t.Error("nobody says when to come again")
			}
			status <- w.Code
		}
		count := func(status <-chan int) map[int]int {
			all := map[int]int{}
			for range 100 {
				all[<-status]++
			}
			return all
		}
		status := make(chan int, 100)
		for i := range 100 {
			go send(status, b.of(fmt.Sprint("person-", i%2)))
		}
		if got := count(status); got[http.StatusCreated] != 100 || stored.most > upload.AtOnce {
			t.Errorf("%v, %d at once", got, stored.most)
		}
		stored.hold = make(chan struct{})
		for range 100 {
			go send(status, b)
		}
		synctest.Wait()
		<-time.After(2 * upload.Patience)
		close(stored.hold)
		if got := count(status); got[http.StatusCreated] != upload.PerPerson || got[http.StatusTooManyRequests] != 100-upload.PerPerson {
			t.Errorf("where one is not taken, %v", got)
		}
	})
}
