package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/receive"
)

// TestEdit checks that editing the last message stops its run and starts another one.
func TestEdit(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	h, _ := listen(t, b.c)
	cat := b.upload("name=cat.png", "\x89PNG cat")
	marks := `[{"file":"` + cat.ID + `","width":40,"height":30,"points":[{"x":1,"y":2}]}]`
	b.is(b.write("message00000000001", "turn <it>", "file", cat.ID, "marks", marks), http.StatusNoContent)

	var d receive.Draft
	w := b.get("/t/" + thread1 + "/messages/message00000000001/draft")
	b.is(w, http.StatusOK)
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Text != "turn <it>" || len(d.Files) != 1 || d.Files[0].ID != cat.ID || len(d.Marks) != 1 || d.Marks[0].Name != "cat.png" || d.Marks[0].Points[0].Y != 2 {
		t.Errorf("%+v", d)
	}
	for range 2 { // trying again is the same message
		b.is(b.write("message00000000002", "flip it", "file", cat.ID, "marks", marks, "edits", "message00000000001"), http.StatusNoContent)
	}
	events := h.all()
	if len(events) != 2 {
		t.Fatalf("%d events were handed over", len(events))
	}
	first, e := events[0], events[1]
	if e.Kind != adapters.MessageEdited || e.Message.Ref.ID != "message00000000001" || e.Message.Text != "flip it" || len(e.Message.Marks) != 1 ||
		e.ID == first.ID || e.Message.Edited.Event != first.ID || !e.Message.Edited.At.Equal(first.At) {
		t.Errorf("%+v of %+v", e.Message, first)
	}
	w = b.get("/t/" + thread1)
	b.is(w, http.StatusOK, "flip it", "<span>changed</span>", `src="`+cat.URL+`"`)
	if shown := w.Body.String(); strings.Contains(shown, "turn &lt;it&gt;</p>") || strings.Count(shown, "<article") != 1 {
		t.Error("the message is shown as it was, or twice")
	}

	// The old run is no longer shown, and the answer is to the edited message.
	request := chat.RefOf(thread1, "message00000000001")
	progress := adapters.Progress{Thread: chat.ThreadOf(thread1), Request: request.ID, Title: "At work"}
	if _, err := b.c.Report(t.Context(), "p1", adapters.MessageRef{}, progress); err != nil {
		t.Fatal(err)
	}
	b.is(b.write("message00000000003", "mirror it", "edits", "message00000000001"), http.StatusNoContent)
	if _, err := b.c.Report(t.Context(), "p2", adapters.MessageRef{}, progress); err != nil {
		t.Fatal(err)
	}
	answer, err := b.c.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: request})
	if err != nil {
		t.Fatal(err)
	}
	now, err := b.c.store.Threads.Read(t.Context(), thread1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m := now.Message(answer.ID); m.Run != chat.ProgressID("p2") || m.ReplyTo != request.ID || len(now.Message(request.ID).Files) != 0 {
		t.Errorf("%+v", m)
	}
}

// TestEditWithoutChange checks that sending a message again as it is changes nothing, and that other files or marks
// are a change.
func TestEditWithoutChange(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	h, _ := listen(t, b.c)
	cat, dog := b.upload("name=cat.png", "\x89PNG cat"), b.upload("name=dog.png", "\x89PNG dog")
	marks := `[{"file":"` + cat.ID + `","width":40,"height":30,"points":[{"x":1,"y":2}]}]`
	b.is(b.write("message00000000001", "turn it", "file", cat.ID, "marks", marks), http.StatusNoContent)
	request := chat.RefOf(thread1, "message00000000001")
	answer := adapters.Reply{
		Thread: chat.ThreadOf(thread1), Text: "Done.", Answer: true, AnswerTo: request, GoOn: []adapters.Sign{adapters.Larger}, Choices: []adapters.Choice{{ID: "c1", Text: "another"}},
	}
	if _, err := b.c.Send(t.Context(), "k", answer); err != nil {
		t.Fatal(err)
	}
	if err := b.c.Acknowledge(t.Context(), request, adapters.Done); err != nil {
		t.Fatal(err)
	}
	b.is(b.write("message00000000002", " turn  it", "file", cat.ID, "marks", marks, "edits", request.ID), http.StatusNoContent)
	if page := b.get("/t/" + thread1).Body.String(); len(h.all()) != 1 || strings.Contains(page, "<span>changed</span>") || strings.Contains(page, ">working<") ||
		!strings.Contains(page, `title="Done"`) {
		t.Errorf("%d events, and the page is %s", len(h.all()), page)
	}
	moved := strings.ReplaceAll(marks, `"x":1`, `"x":2`)
	b.is(b.write("message00000000003", "turn it", "file", cat.ID, "marks", moved, "edits", request.ID), http.StatusNoContent)
	b.is(b.write("message00000000004", "turn it", "file", dog.ID, "edits", request.ID), http.StatusNoContent)
	if all := h.all(); len(all) != 3 || all[1].Message.Marks[0].Points[0].X != 2 || len(all[2].Message.Files) != 1 || all[2].Message.Files[0].ID != dog.ID {
		t.Errorf("%+v", all)
	}
	const outdated = "Answer to an earlier version of the message"
	w := b.get("/t/" + thread1)
	b.is(w, http.StatusOK, "<span>changed</span>", outdated, ">working<")
	for _, button := range []string{`"sign":"again"`, `"sign":"larger"`, `class="choice"`} { // nothing goes on from it
		if strings.Contains(w.Body.String(), button) {
			t.Errorf("an outdated answer has %s", button)
		}
	}
	if _, err := b.c.Send(t.Context(), "k2", answer); err != nil {
		t.Fatal(err)
	}
	w = b.get("/t/" + thread1)
	b.is(w, http.StatusOK, `"sign":"again"`, `"sign":"larger"`, `class="choice"`)
	if shown := w.Body.String(); strings.Count(shown, outdated) != 1 || strings.Contains(shown, ">working<") {
		t.Error("the new answer is outdated, or awaited")
	}

	b.c.receiver.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	const late = "A message can be changed for a day."
	b.is(b.get("/t/"+thread1+"/messages/message00000000001/draft"), http.StatusConflict, late)
	b.is(b.write("message00000000005", "flip it", "edits", request.ID), http.StatusConflict, late)
}

// TestEditKeepsWorkOfOthers checks that an edit hides the progress of its author's work, and outdates the author's answers,
// and nobody else's.
func TestEditKeepsWorkOfOthers(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	listen(t, b.c)
	b.is(b.write("message00000000001", "turn it"), http.StatusNoContent)
	request := chat.RefOf(thread1, "message00000000001")
	people := []string{b.by.ID, "bob"}
	var answers, working []string
	for _, by := range people {
		answer, err := b.c.Send(t.Context(), "answer-"+by, adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: request, Mention: by})
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer.ID)
	}
	for _, by := range people {
		progress, err := b.c.Report(t.Context(), "progress-"+by, adapters.MessageRef{}, adapters.Progress{Thread: chat.ThreadOf(thread1), Request: request.ID, Asker: by})
		if err != nil {
			t.Fatal(err)
		}
		working = append(working, progress.ID)
	}
	b.is(b.write("message00000000002", "flip it", "edits", request.ID), http.StatusNoContent)
	now, err := b.c.store.Threads.Read(t.Context(), thread1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, by := range people {
		if outdated, hidden := now.Message(answers[i]).Outdated, now.Message(working[i]).ShownBy != ""; outdated != (i == 0) || hidden != (i == 0) {
			t.Errorf("of %s, the answer is outdated: %v, the progress is hidden: %v", by, outdated, hidden)
		}
	}
}

// TestEditOfOthers checks that people can only edit their own last message.
func TestEditOfOthers(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	b.is(b.write("message00000000001", "one"), http.StatusAccepted)
	b.is(b.write("message00000000002", "two"), http.StatusAccepted)
	b.is(b.of("bob").write("message00000000003", "three"), http.StatusAccepted)
	const refused = "Only your last message can be changed."
	for name, c := range map[string]struct {
		by *browser
		of string
	}{
		"an earlier one":           {b, "message00000000001"},
		"another person's":         {b, "message00000000003"},
		"who wrote none":           {b.of("eve"), "message00000000002"},
		"one that there is not":    {b, "message00000000009"},
		"what is no message's id":  {b, "<script>"},
		"more than an id can hold": {b, strings.Repeat("x", 10_000)},
	} {
		if w := c.by.write("message00000000010", "changed", "edits", c.of); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), refused) {
			t.Errorf("%s is answered by %d: %.200s", name, w.Code, w.Body)
		}
	}
	draft := func(id string) string { return "/t/" + thread1 + "/messages/" + id + "/draft" }
	b.is(b.get(draft("message00000000001")), http.StatusConflict, refused)
	b.is(b.get(draft("message00000000003")), http.StatusConflict, refused)
	b.is(b.of("eve").get(draft("message00000000002")), http.StatusConflict, refused)
	b.is(b.get(draft("message00000000009")), http.StatusNotFound)
	b.is(b.get("/t/thread0000000002/messages/message00000000002/draft"), http.StatusNotFound)
	b.is(b.get(draft("message00000000002")), http.StatusOK)
}
