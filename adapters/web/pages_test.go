package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/chat"
)

func TestPages(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	b := browse(t, c)
	b.is(b.get("/"), http.StatusOK, "Find the edges.")
	b.is(b.get("/tools"), http.StatusOK, "<title>Tools · Atelier</title>", "finds &lt;b&gt;edges&lt;/b&gt;")
	b.is(b.get("/t/"+thread1), http.StatusNotFound, "does not exist, or was deleted", "<html")
	b.is(b.get("/nothing"), http.StatusNotFound, "does not exist, or was deleted", "<html")
	b.is(b.with("Accept-Language", "zh-CN,zh;q=0.9").get("/nothing"), http.StatusNotFound, `lang="zh-Hans"`)
	b.is(b.with("Accept-Language", strings.Repeat("-", 9000)+"é").get("/"), http.StatusOK, `lang="en"`)
	b.is(b.post("/tools"), http.StatusMethodNotAllowed)
	b.is(b.do(http.MethodDelete, "/t/"+thread1+"/messages", http.NoBody), http.StatusMethodNotAllowed)
	static := b.get(c.pages.Folder() + "/style.css")
	b.is(static, http.StatusOK)
	for header, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"} {
		if got := static.Header().Get(header); got != value {
			t.Errorf("a file has %s: %q", header, got)
		}
	}
	if b.get("/").Header().Get("Cache-Control") != "no-store" {
		t.Error("pages are kept by browsers")
	}
}

// TestPagesAreCompressed if the browser reads gzip, but not a page with words of a link in it.
func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	zips := b.with("Accept-Encoding", "gzip, br")
	for target, want := range map[string]string{"/": "gzip", "/tools": "gzip", "/none": "gzip", "/?wish=x": "", "/find?q=x": "", "/tools?q=x": ""} {
		w := zips.get(target)
		if got := w.Header().Get("Content-Encoding"); got != want || !strings.Contains(w.Header().Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s is encoded as %q", target, got)
		}
		if plain := b.get(target); plain.Header().Get("Content-Encoding") != "" || !strings.Contains(plain.Body.String(), "<html") {
			t.Errorf("%s is compressed unasked", target)
		}
	}
	w := zips.with("Hx-Request", "true").get("/tools?q=edge")
	from, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := io.ReadAll(from); err != nil || !strings.Contains(string(list), "find edges") {
		t.Errorf("the list is %q, %v", list, err)
	}
}

// TestGuarded checks that only the static files are served to people whom the guard does not let in.
func TestGuarded(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles(), func(c *Config) {
		c.Guard = func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
		}
	})
	b := browse(t, c)
	b.is(b.get(c.pages.Folder()+"/style.css"), http.StatusOK)
	for _, target := range []string{
		"/", "/tools", "/tools/find_edges", "/operations", "/find?q=x", "/t/" + thread1 + "/gallery", "/t/" + thread1 + "/thumbnails/x", "/t/" + thread1 + "/messages/x/all.zip",
		"/t/" + thread1 + "/messages/x/draft", "/t/" + thread1, events1, "/login", "/static", "/t/" + thread1 + "/files/a/static/", "//static/../tools"} {
		if w := b.get(target); w.Code == http.StatusOK {
			t.Errorf("%s is served", target)
		}
	}
	b.is(b.write("message00000000001", "one"), http.StatusForbidden)
}

const script = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{.}}`

// TestScripts checks that texts of people and of the bot never become markup.
func TestScripts(t *testing.T) {
	t.Parallel()
	media := newFiles()
	var log bytes.Buffer
	c := newChannel(t, newMemory(), media, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	eve := browse(t, c)
	eve.by = adapters.Person{ID: script, Name: script}
	u := eve.upload("name=%22%3E%3Cscript%3Ealert(1).png", "\x89PNG")
	marks := `[{"file":"` + u.ID + `","width":40,"height":30,"points":[{"x":1,"y":1}]}]`
	eve.is(eve.write("message00000000001", script, "file", u.ID, "marks", marks), http.StatusAccepted)
	if err := media.Put(t.Context(), "threads/x/a", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	request := chat.RefOf(thread1, "message00000000001")
	for _, text := range []string{script, "**" + script + "**", "`" + script + "`", "```" + "\n" + script + "\n```", "[" + script + "](https://example.com/\"onload=x)", "- " + script, "> " + script} {
		reply := adapters.Reply{
			Thread: chat.ThreadOf(thread1), Text: text, AnswerTo: request, Mention: script, Choices: []adapters.Choice{{ID: "x", Text: script}},
			Files: []adapters.Attachment{
				{Name: script, Type: "image/png", Alt: script, Note: script, Size: 1, Handle: "threads/x/a"},
				{Name: script, Type: script, Alt: script, Note: script, Link: "https://example.com/'onload='x"},
			},
		}
		if _, err := c.Send(t.Context(), chat.AnswerID(text)[:20], reply); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Report(t.Context(), "p", adapters.MessageRef{}, adapters.Progress{
		Thread: chat.ThreadOf(thread1), Request: request.ID, Title: script, Steps: []adapters.ProgressStep{{Key: script, Text: script, State: adapters.StepState(script)}},
	}); err != nil {
		t.Fatal(err)
	}
	b := browse(t, c)
	for _, target := range []string{"/t/" + thread1, "/"} {
		w := b.get(target)
		b.is(w, http.StatusOK, "&lt;script&gt;alert(1)")
		page := strings.ToLower(w.Body.String())
		for _, bad := range []string{"<script>", "<img src=x", "onerror=alert(1)>'", "javascript:"} {
			if i := strings.Index(page, bad); i >= 0 {
				t.Errorf("%s holds %q: %s", target, bad, page[max(0, i-100):min(len(page), i+100)])
			}
		}
	}
	if strings.Contains(log.String(), "alert") {
		t.Errorf("the log holds what people wrote: %s", &log)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil {
		t.Error("a channel of nothing is made")
	}
	good := Config{State: newMemory(), Media: newFiles(), Workshop: &workshop{}, Guard: func(h http.Handler) http.Handler { return h }, Who: who}
	bad := good
	bad.MaxFile = -1
	if _, err := New(bad); err == nil {
		t.Error("files of less than nothing are taken")
	}
	bad = good
	bad.Who = nil
	if _, err := New(bad); err == nil {
		t.Error("nobody is let in, and a channel is made")
	}
}
