package web

import (
	"mime"
	"net/http"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/media"
	"atelier/adapters/web/page"
)

// TestMediaServed checks that no file is served that could run code in the channel's origin.
func TestMediaServed(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	c := newChannel(t, newMemory(), stored, func(c *Config) {
		c.Guard = func(next http.Handler) http.Handler {
			next = hardened(t, next)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Host = "localhost"
				next.ServeHTTP(w, r)
			})
		}
	})
	b := browse(t, c)
	b.is(b.write("message00000000001", "do it"), http.StatusAccepted)
	cases := []struct{ name, mediaType, shown, saved, policy string }{
		{"a.png", "image/png", "image/png", "image/png", media.MediaPolicy},
		{"a.mp4", "video/mp4", "video/mp4", "video/mp4", media.MediaPolicy},
		{"a.wav", "audio/wav", "audio/wav", "audio/wav", media.MediaPolicy},
		{"a.txt", "text/plain", "text/plain; charset=utf-8", "text/plain; charset=utf-8", media.MediaPolicy},
		{"a.json", "application/json", "text/plain; charset=utf-8", "text/plain; charset=utf-8", media.MediaPolicy},
		{"a.html", "text/html", "text/html; charset=utf-8", "application/octet-stream", media.PagePolicy},
		{"b.html", "text/html; charset=utf-16", "text/html; charset=utf-8", "application/octet-stream", media.PagePolicy},
		{"a.svg", "image/svg+xml", "", "application/octet-stream", media.MediaPolicy},
		{"a.pdf", "application/pdf", "", "application/octet-stream", media.MediaPolicy},
		{"a.xml", "text/xml", "", "application/octet-stream", media.MediaPolicy},
		{"a.xhtml", "application/xhtml+xml", "", "application/octet-stream", media.MediaPolicy},
		{"a.js", "text/javascript", "", "application/octet-stream", media.MediaPolicy},
		{"a.bin", "no type; of/any", "", "application/octet-stream", media.MediaPolicy},
		{"日本 \"語\";a=b.png", "image/png", "image/png", "image/png", media.MediaPolicy},
	}
	reply := adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: chat.RefOf(thread1, "message00000000001")}
	for i, x := range cases {
		key := "threads/x/" + string(rune('a'+i))
		if err := stored.Put(t.Context(), key, strings.NewReader("content of it")); err != nil {
			t.Fatal(err)
		}
		reply.Files = append(reply.Files, adapters.Attachment{Name: x.name, Type: x.mediaType, Size: 13, Handle: key})
	}
	answer, err := c.Send(t.Context(), "k", reply)
	if err != nil {
		t.Fatal(err)
	}
	_, now, m, err := c.site.Message(pathed(t, answer.ID))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range (page.Viewer{Thread: thread1, Snapshot: now, Me: ana}).Message(m).Files {
		x := cases[i]
		for url, want := range map[string]string{f.URL: x.shown, f.Download: x.saved} {
			w := b.get(url)
			b.is(w, http.StatusOK, "content of it")
			disposition, names, err := mime.ParseMediaType(w.Header().Get("Content-Disposition"))
			if err != nil || names["filename"] != media.CleanName(x.name) {
				t.Errorf("%s is called %q: %v", x.name, names["filename"], err)
			}
			inline := url == f.URL && want != ""
			if want == "" {
				want = x.saved
			}
			if (disposition == "inline") != inline || w.Header().Get("Content-Type") != want {
				t.Errorf("%s is served as %q, %q", url, w.Header().Get("Content-Type"), disposition)
			}
			for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": x.policy} {
				if got := w.Header().Get(name); got != value && (x.policy != media.PagePolicy || url == f.URL) {
					t.Errorf("%s is served with %s: %s", url, name, got)
				}
			}
		}
	}
	for _, p := range []string{media.MediaPolicy, media.PagePolicy} {
		if !strings.HasPrefix(p, "sandbox; default-src 'none';") || strings.Contains(p, "allow-") || strings.Contains(p, "script-src") {
			t.Errorf("a file may do %q", p)
		}
	}
}

// TestUploadedPagesDoNotRun checks that uploads are never shown as pages.
func TestUploadedPagesDoNotRun(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	b := browse(t, c)
	for name, content := range map[string]string{"a.html": "<html><script>alert(1)</script>", "a.png": "<svg onload=alert(1)>", "a.svg": "<svg>"} {
		u := b.upload("name="+name, content)
		if u.Kind != media.KindOther {
			t.Errorf("%s is shown as %s", name, u.Kind)
		}
		w := b.get(u.URL)
		b.is(w, http.StatusOK, content)
		if kind, how := w.Header().Get("Content-Type"), w.Header().Get("Content-Disposition"); kind != "application/octet-stream" || !strings.HasPrefix(how, "attachment") {
			t.Errorf("%s is served as %q, %q", name, kind, how)
		}
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	c := newChannel(t, newMemory(), stored)
	b := browse(t, c)
	u := b.upload("name=a.txt", "text of some length")
	part := b.with("Range", "bytes=5-6").get(u.URL)
	b.is(part, http.StatusPartialContent)
	if part.Body.String() != "of" || part.Header().Get("Content-Range") != "bytes 5-6/19" {
		t.Errorf("a part is %q, %q", part.Body, part.Header())
	}
	b.is(b.with("Range", "bytes=-6").get(u.URL), http.StatusPartialContent, "length")
	b.is(b.with("Range", "bytes=0-3,15-").get(u.URL), http.StatusPartialContent, "text", "ngth")
	b.is(b.with("Range", "bytes=99-").get(u.URL), http.StatusRequestedRangeNotSatisfiable)
	head := b.do(http.MethodHead, u.URL, http.NoBody)
	if head.Code != http.StatusOK || head.Header().Get("Content-Length") != "19" || head.Body.Len() != 0 {
		t.Errorf("HEAD is answered by %d %v %q", head.Code, head.Header(), head.Body)
	}
	tag := head.Header().Get("ETag")
	b.is(b.with("If-None-Match", tag).get(u.URL), http.StatusNotModified)
	b.is(b.with("If-None-Match", `"other"`).get(u.URL), http.StatusOK)
	b.is(b.with("If-Range", `"other"`).with("Range", "bytes=5-6").get(u.URL), http.StatusOK)
	for _, key := range stored.keys() {
		if err := stored.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	b.is(b.get(u.URL), http.StatusNotFound, "does not exist, or was deleted")
}

// TestOtherKeys checks that nobody can reach files outside of the thread.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	if err := stored.Put(t.Context(), "threads/y/secret", strings.NewReader("secret")); err != nil {
		t.Fatal(err)
	}
	c := newChannel(t, newMemory(), stored)
	b := browse(t, c)
	u := b.upload("name=a.txt", "text")
	b.is(b.write("message00000000001", "one", "file", u.ID), http.StatusAccepted)
	b.is(b.post("/t/thread0000000002/messages", "id", "message00000000002", "text", "two"), http.StatusAccepted)
	for _, target := range []string{
		"/t/thread0000000002/files/" + u.ID + "/a.txt", "/t/" + thread1 + "/files/threads%2Fy%2Fsecret/a", "/t/" + thread1 + "/files/..%2f..%2fsecret/a",
		"/t/" + thread1 + "/messages/message00000000001/media/0/a", "/t/" + thread1 + "/messages/message00000000002/media/0/a", "/t/../files/" + u.ID + "/a",
		"/t/" + thread1 + "/messages/%3Cscript%3E/media/0/a", "/t/day-20261122/events",
	} {
		if w := b.get(target); w.Code != http.StatusNotFound && w.Code != http.StatusTemporaryRedirect && w.Code != http.StatusMovedPermanently {
			t.Errorf("%s is answered by %d: %s", target, w.Code, w.Body)
		}
	}
	b.is(b.post("/t/thread0000000002/messages", "id", "message00000000003", "text", "x", "file", u.ID), http.StatusUnprocessableEntity)
}
