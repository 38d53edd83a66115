package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
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
		ref, err := b.c.Send(t.Context(), key, adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: request})
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

	// Of two concurrent runs it is unknown which one an answer belongs to.
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
