package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/media"
	"atelier/adapters/web/page"
)

// TestOneBubble checks that an answer replaces its progress message, and shows the progress.
func TestOneBubble(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	b.is(b.write("message00000000001", "do it"), http.StatusAccepted)
	request := chat.RefOf(thread1, "message00000000001")
	progress := adapters.Progress{Thread: chat.ThreadOf(thread1), Request: request.ID, Title: "1 of 1 steps", Steps: []adapters.ProgressStep{{Key: "s", Text: "find the edges", State: adapters.StepRunning}}}
	shown, err := b.c.Report(t.Context(), "p1", adapters.MessageRef{}, progress)
	if err != nil {
		t.Fatal(err)
	}
	send := func(key string) adapters.MessageRef {
		ref, err := b.c.Send(t.Context(), key, adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: request, Answer: true})
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	answer := send("k1")
	at := func() map[string]page.Message {
		now, err := b.c.store.Threads.Read(t.Context(), thread1, 0)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]page.Message{}
		for _, m := range (page.Viewer{Thread: thread1, Snapshot: now, Me: ana}).Messages(-1) {
			all[m.ID] = m
		}
		return all
	}
	read, err := b.c.store.Threads.Read(t.Context(), thread1, 0)
	if err != nil {
		t.Fatal(err)
	}
	progress.Ended = true
	progress.Steps[0].State, progress.Steps[0].Took = adapters.StepDone, 2*time.Second
	if _, err := b.c.Report(t.Context(), "p1", shown, progress); err != nil { // which comes late
		t.Fatal(err)
	}
	all := at()
	if m := all[answer.ID]; m.Run == nil || m.Run.Steps[0].Took != 2*time.Second || !all[shown.ID].Shown {
		t.Errorf("%+v", m)
	}
	now, err := b.c.store.Threads.Read(t.Context(), thread1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if changed := now.ChangedAfter(read.Next-1, 0); len(changed) != 2 {
		t.Errorf("the late report changed %d messages", len(changed))
	}
	w := b.get("/t/" + thread1)
	b.is(w, http.StatusOK, `id="m-`+shown.ID+`" class="message bot progress" data-message="`+shown.ID+`" aria-labelledby="by-`+shown.ID+`" hidden>`)
	if n := strings.Count(w.Body.String(), `<bdi class="step-text">find the edges</bdi>`); n != 2 { // the hidden one keeps it
		t.Errorf("the step is written %d times", n)
	}

	// With two concurrent runs, it is unknown which one an answer belongs to.
	progress.Ended = false
	for _, key := range []string{"p2", "p3"} {
		if _, err := b.c.Report(t.Context(), key, adapters.MessageRef{}, progress); err != nil {
			t.Fatal(err)
		}
	}
	other := send("k2")
	if m := at()[other.ID]; m.Run != nil {
		t.Errorf("%+v", m)
	}
}

// TestPreview: a running step shows what it has made so far, as a picture of its own thread only.
func TestPreview(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	b := browse(t, newChannel(t, newMemory(), stored))
	b.is(b.write("message00000000001", "draw a fox"), http.StatusAccepted)
	own := (*files)(nil).Folder(chat.ThreadOf(thread1)) + "/r/preview"
	other := (*files)(nil).Folder(chat.ThreadOf(strings.Repeat("b", 26))) + "/r/preview"
	for _, key := range []string{own, other} {
		if err := stored.Put(t.Context(), key, strings.NewReader("a picture")); err != nil {
			t.Fatal(err)
		}
	}
	report := func(key string, ended bool, p adapters.Preview) (id string) {
		t.Helper()
		progress := adapters.Progress{Thread: chat.ThreadOf(thread1), Request: "message00000000001", Title: "Drawing", Ended: ended, Steps: []adapters.ProgressStep{
			{Key: "s", Text: "a picture", State: adapters.StepRunning, Preview: p},
		}}
		at, err := b.c.Report(t.Context(), key, adapters.MessageRef{}, progress)
		if err != nil {
			t.Fatal(err)
		}
		return at.ID
	}
	shown := report("p1", false, adapters.Preview{Handle: own, Type: "image/png", Size: 9, Version: 3})
	url := "/t/" + thread1 + "/messages/" + shown + "/preview/0"
	b.is(b.get("/t/"+thread1), http.StatusOK, `<img class="preview" src="`+url+`?v=3" alt="What is made so far">`)
	w := b.get(url + "?v=3")
	b.is(w, http.StatusOK, "a picture")
	if got := w.Header().Get("Content-Type") + " " + w.Header().Get("Content-Security-Policy"); got != "image/png "+media.MediaPolicy {
		t.Errorf("it is served as %s", got)
	}
	for name, wrong := range map[string]string{
		"another step":         "/t/" + thread1 + "/messages/" + shown + "/preview/1",
		"no number":            "/t/" + thread1 + "/messages/" + shown + "/preview/x",
		"another thread":       "/t/" + strings.Repeat("b", 26) + "/messages/" + shown + "/preview/0",
		"no progress message":  "/t/" + thread1 + "/messages/message00000000001/preview/0",
		"another thread's key": "/t/" + thread1 + "/messages/" + report("p2", false, adapters.Preview{Handle: other, Type: "image/png", Size: 9, Version: 1}) + "/preview/0",
		"no picture":           "/t/" + thread1 + "/messages/" + report("p3", false, adapters.Preview{Handle: own, Type: "text/html", Size: 9, Version: 1}) + "/preview/0",
		"none":                 "/t/" + thread1 + "/messages/" + report("p4", false, adapters.Preview{}) + "/preview/0",
	} {
		if w := b.get(wrong); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
	report("p5", true, adapters.Preview{Handle: own, Type: "image/png", Size: 9, Version: 1})
	if n := strings.Count(b.get("/t/"+thread1).Body.String(), `class="preview"`); n != 3 { // p1, p2 and p3
		t.Errorf("%d previews are shown", n)
	}
}
