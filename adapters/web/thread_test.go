package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/chat"
)

// TestRename checks that the person who began a thread can rename it, in every process, and that the title is
// deleted with it.
func TestRename(t *testing.T) {
	t.Parallel()
	state, stored := newMemory(), newFiles()
	b := browse(t, newChannel(t, state, stored))
	other := browse(t, newChannel(t, state, stored))
	at := "/t/" + thread1 + "/rename"
	b.is(b.write("message00000000001", "turn my cat"), http.StatusAccepted)
	b.is(other.get("/"), http.StatusOK, "turn my cat")

	b.is(b.post(at, "title", "  The <b>cat</b>\n picture "), http.StatusNoContent)
	for _, by := range []*browser{b, other} {
		page := by.get("/t/" + thread1)
		by.is(page, http.StatusOK, `<h1 class="thread-name"><bdi>The &lt;b&gt;cat&lt;/b&gt; picture</bdi></h1>`, `<bdi class="thread-title">The &lt;b&gt;cat&lt;/b&gt; picture</bdi>`)
		if strings.Contains(page.Body.String(), "<b>cat") || strings.Contains(by.get("/").Body.String(), "turn my cat") {
			t.Error("the title is written as it is, or the old one is shown")
		}
	}
	b.is(b.post(at, "title", strings.Repeat("字", chat.LongestTitle)), http.StatusNoContent)
	b.is(b.get("/"), http.StatusOK, strings.Repeat("字", chat.LongestTitle))
	for want, title := range map[string]string{
		"Write a title.": " \n\t",
		"The title is too long: the limit is 60 characters": strings.Repeat("字", chat.LongestTitle+1),
		"the limit is 60 characters.":                       strings.Repeat("x", 10_000),
		"This is too much for one message.":                 strings.Repeat("x", 100_000),
	} {
		if w := b.post(at, "title", title); w.Code < 400 || w.Code > 499 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.20q is answered by %d: %.200s", title, w.Code, w.Body)
		}
	}
	b.is(b.of("bob").post(at, "title", "Mine"), http.StatusForbidden, "Only the person who started the thread")
	b.is(b.post("/t/thread0000000009/rename", "title", "Mine"), http.StatusNotFound)
	b.is(b.post("/t/%3Cscript%3E/rename", "title", "Mine"), http.StatusNotFound)
	b.is(b.post("/t/"+thread1+"/forget"), http.StatusNoContent)
	if rest := string(state.all("")); strings.Contains(rest, "字") || strings.Contains(rest, "cat") {
		t.Errorf("of the deleted thread there is left %s", rest)
	}
	b.is(b.post(at, "title", "Again"), http.StatusNotFound)
}

// TestDeletionOutlivesItsPage: the page leaves as soon as it hears that the thread is gone.
func TestDeletionOutlivesItsPage(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	state := newMemory()
	b := browse(t, newChannel(t, state, newFiles(), func(c *Config) { c.Workshop = &workshop{leave: leave} }))
	b.is(b.write("message00000000001", "turn my cat"), http.StatusAccepted)
	w := httptest.NewRecorder()
	b.c.Handler().ServeHTTP(w, as(httptest.NewRequestWithContext(ctx, http.MethodPost, "/t/"+thread1+"/forget", http.NoBody), b.by))
	if rest := string(state.all("")); w.Code != http.StatusNoContent || strings.Contains(rest, "cat") {
		t.Errorf("%d %s; of the deleted thread there is left %s", w.Code, w.Body, rest)
	}
}

// TestThumbnails checks that a thread has a thumbnail of its latest picture, unless that is gone.
func TestThumbnails(t *testing.T) {
	t.Parallel()
	stored, bot := newFiles(), &workshop{}
	b := browse(t, newChannel(t, newMemory(), stored, func(c *Config) { c.Workshop = bot }))
	answer := answered(t, b, stored, "cat.png", "dog.png")
	small := "/t/" + thread1 + "/thumbnails/"
	b.is(b.get("/"), http.StatusOK, `src="`+small+chat.MadeRef(answer, 0)+`"`)
	b.is(b.get(small+chat.MadeRef(answer, 1)), http.StatusOK, "threads/x/b with 96 pixels")
	b.is(b.get(small+chat.MadeRef(answer, 7)), http.StatusNotFound)
	b.is(b.get(small+"file000000000001"), http.StatusNotFound)
	b.is(b.get("/t/thread0000000002/thumbnails/"+chat.MadeRef(answer, 0)), http.StatusNotFound)
	u := b.upload("name=new.png", "\x89PNG new")
	b.is(b.get(small+u.ID), http.StatusNotFound) // nobody but who uploaded it is to see it before it is sent
	b.is(b.write("message00000000002", "and this", "file", u.ID), http.StatusAccepted)
	b.c.store.Relist(t.Context(), thread1)
	b.is(b.get("/"), http.StatusOK, `src="`+small+u.ID+`"`)

	reply := adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "A clip.", Files: []adapters.Attachment{
		{Name: "a.mp3", Type: "audio/mpeg", Size: 1, Handle: "threads/x/sound"}, {Name: "a.mp4", Type: "video/mp4", Size: 1, Handle: "threads/x/video"},
	}}
	unstored := errors.Join(stored.Put(t.Context(), "threads/x/sound", strings.NewReader("ID3")), stored.Put(t.Context(), "threads/x/video", strings.NewReader("video")))
	video, err := b.c.Send(t.Context(), "v", reply)
	if err := errors.Join(err, unstored); err != nil {
		t.Fatal(err)
	}
	b.is(b.get("/"), http.StatusOK, `src="`+small+chat.MadeRef(video.ID, 1)+`"`)

	bot.mu.Lock()
	bot.broken = errors.New("it is gone")
	bot.mu.Unlock()
	w := b.get(small + u.ID)
	b.is(w, http.StatusOK, "<svg")
	if got := w.Header().Get("Content-Type"); got != "image/svg+xml" {
		t.Error(got)
	}
}

// TestGallery shows the results of a thread, and no other's.
func TestGallery(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	b := browse(t, newChannel(t, newMemory(), stored))
	b.is(b.post("/t/thread0000000002/messages", "id", "message00000000009", "text", "nothing yet"), http.StatusAccepted)
	answer := answered(t, b, stored, "cat.png", `"><script>alert(1)</script>.png`)
	w := b.get("/t/" + thread1 + "/gallery")
	b.is(w, http.StatusOK, "/t/"+thread1+"/messages/"+answer+"/media/0/cat.png", `href="/t/`+thread1+`#m-`+answer+`"`, "https://example.com/far.mp4")
	if strings.Contains(w.Body.String(), "<script>alert") {
		t.Error("a name is written as it is")
	}
	b.is(b.get("/t/thread0000000002/gallery"), http.StatusOK, "There are no results in this thread yet.")
	b.is(b.get("/t/thread0000000003/gallery"), http.StatusNotFound)
	if err := stored.Delete(t.Context(), "threads/x/a"); err != nil { // the file of the first is gone
		t.Fatal(err)
	}
	b.is(b.get("/t/"+thread1+"/gallery"), http.StatusOK, "cat.png", "far.mp4")
	b.is(b.get("/t/"+thread1+"/messages/"+answer+"/media/0/cat.png"), http.StatusNotFound)
	if err := b.c.Delete(t.Context(), chat.RefOf(thread1, answer)); err != nil {
		t.Fatal(err)
	}
	b.is(b.get("/t/"+thread1+"/gallery"), http.StatusOK, "There are no results in this thread yet.")
}

// TestFind finds threads by title and by content, and tools.
func TestFind(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	b := browse(t, newChannel(t, newMemory(), stored))
	answer := answered(t, b, stored, "sunset.png")
	b.is(b.post("/t/thread0000000002/messages", "id", "message00000000001", "text", "Cut the WALTZ <b>at</b> the end"), http.StatusAccepted)
	piece := b.with("Hx-Request", "true")
	for query, want := range map[string][]string{
		"":                          {`href="/t/thread0000000002"`, `href="/t/` + thread1 + `"`},
		"waltz+cut":                 {`href="/t/thread0000000002"`, "Cut the WALTZ &lt;b&gt;at&lt;/b&gt;"},
		"sunset":                    {`href="/t/` + thread1 + `#m-` + answer + `"`, "sunset.png"},
		"finds":                     {`href="/tools/find_edges"`},
		"zebra":                     {"Nothing matches."},
		"%3Cscript%3E":              {"Nothing matches."},
		strings.Repeat("x", 10_000): {"Nothing matches."},
		"%ff%00":                    {"Nothing matches."},
	} {
		for _, by := range []*browser{b, piece} {
			w := by.get("/find?q=" + query)
			by.is(w, http.StatusOK, want...)
			whole := strings.Contains(w.Body.String(), "<html")
			if whole != (by == b) || strings.Contains(w.Body.String(), "<script>") && !whole {
				t.Errorf("%.20q is answered by %.300s", query, w.Body)
			}
		}
	}
	if found := piece.get("/find?q=sunset").Body.String(); strings.Contains(found, "thread0000000002") {
		t.Error(found)
	}
}
