package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/page"
)

// TestActs checks which buttons there are, and what each does.
func TestButtonsAreActedOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t, newMemory(), newFiles())
		h, _ := listen(t, c)
		b, bob := browse(t, c), browse(t, c).of("bob")
		b.is(b.write("message00000000001", "do it"), http.StatusNoContent)
		request := chat.RefOf(thread1, "message00000000001")
		reply := adapters.Reply{
			Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: request, Choices: []adapters.Choice{{ID: "one", Text: "another"}, {ID: "two", Text: "one more"}},
			Asks: true, Answer: true, GoOn: []adapters.Sign{adapters.Use, adapters.Vary, adapters.Larger, adapters.Smaller},
		}
		at := func(id string) string { return "/t/" + thread1 + "/messages/" + id + "/act" }
		buttons := func(by *browser, id string) page.Message {
			_, now, m, err := c.site.Message(pathed(t, id))
			if err != nil {
				t.Fatal(err)
			}
			return page.Viewer{Thread: thread1, Snapshot: now, Me: by.by}.Message(m)
		}
		heard := func() adapters.Event {
			synctest.Wait()
			all := h.all()
			return all[len(all)-1]
		}

		if v := buttons(b, request.ID); !v.CanStop || v.CanAgain || v.CanRemove {
			t.Errorf("while it runs, there is %+v", v)
		}
		b.is(b.post(at(request.ID), "id", "press00000000001", "sign", "stop"), http.StatusNoContent)
		if e := heard(); e.Kind != adapters.CancelAsked || e.Cancel.On.Key() != request.Key() {
			t.Errorf("a stop arrived as %+v", e)
		}
		progress, err := c.Report(t.Context(), "p", adapters.MessageRef{}, adapters.Progress{Thread: chat.ThreadOf(thread1), Request: request.ID})
		if err != nil {
			t.Fatal(err)
		}
		if !buttons(b, progress.ID).CanStop || buttons(b, request.ID).CanStop {
			t.Error("it is not stopped by its progress alone")
		}
		bob.is(bob.post(at(progress.ID), "id", "press00000000002", "sign", "stop"), http.StatusNoContent)
		if e := heard(); e.Cancel == nil || e.Cancel.On.Key() != progress.Key() || e.By.ID != "bob" {
			t.Errorf("a stop arrived as %+v", e)
		}

		answer, err := c.Send(t.Context(), "k", reply)
		if err != nil {
			t.Fatal(err)
		}
		if v := buttons(b, answer.ID); v.CanStop || !v.CanAgain || !v.CanRemove || !v.HasWork || !v.Asks || buttons(bob, answer.ID).CanRemove || v.Choices[0].Ready {
			t.Errorf("on an answer, there is %+v", v)
		}
		if buttons(b, progress.ID).CanStop || buttons(b, request.ID).CanStop {
			t.Error("what has its answer can be stopped")
		}
		n := len(h.all())
		b.is(b.post(at(request.ID), "id", "press00000000003", "sign", "stop"), http.StatusNoContent) // too late
		b.is(b.post(at(answer.ID), "id", "press00000000004", "sign", "choose", "number", "1"), http.StatusConflict, "cannot be chosen yet")
		bob.is(bob.post(at(answer.ID), "id", "press00000000005", "sign", "remove"), http.StatusForbidden, "Only the person who asked")
		for _, bad := range [][]string{
			{"id", "press00000000006", "sign", "choose", "number", "3"},
			{"id", "press00000000006", "sign", "choose", "number", "x"},
			{"id", "press00000000006", "sign", "dance"},
			{"id", "press00000000006"},
			{"id", "x", "sign", "again"},
			{"sign", "again"},
		} {
			b.is(b.post(at(answer.ID), bad...), http.StatusBadRequest, `role="alert"`)
		}
		b.is(b.post(at(request.ID), "id", "press00000000006", "sign", "again"), http.StatusBadRequest)
		b.is(b.post(at("message00000000009"), "id", "press00000000006", "sign", "again"), http.StatusNotFound)
		if synctest.Wait(); len(h.all()) != n {
			t.Errorf("refused requests caused %d events", len(h.all())-n)
		}

		if err := c.Offer(t.Context(), answer, 2); err != nil {
			t.Fatal(err)
		}
		for range 2 { // as after an answer that was lost
			b.is(b.post(at(answer.ID), "id", "press00000000007", "sign", "choose", "number", "2"), http.StatusNoContent)
		}
		if r := heard().Reaction; r == nil || r.Sign != adapters.Choose || r.Number != 2 || r.Choice != "two" || r.On.Key() != answer.Key() || len(h.all()) != n+1 {
			t.Errorf("a choice arrived as %+v, the %dth", r, len(h.all())-n)
		}
		if v := buttons(bob, answer.ID).Choices[1]; v.Pressed != 1 || v.Mine || !buttons(b, answer.ID).Choices[1].Mine {
			t.Errorf("bob sees %+v", v)
		}
		b.is(b.post(at(answer.ID), "id", "press00000000008", "sign", "choose", "number", "2", "back", "true"), http.StatusNoContent)
		if e := heard(); e.Kind != adapters.ReactionRemoved || buttons(b, answer.ID).Choices[1].Pressed != 0 {
			t.Errorf("the withdrawn choice arrived as %+v", e)
		}
		bob.is(bob.post(at(answer.ID), "id", "press00000000009", "sign", "again"), http.StatusNoContent)
		if v := buttons(b, answer.ID); !slices.Equal(v.GoOn, []adapters.Sign{adapters.Vary, adapters.Larger, adapters.Smaller}) {
			t.Errorf("it is gone on by %v", v.GoOn)
		}
		bob.is(bob.post(at(answer.ID), "id", "press00000000012", "sign", "vary"), http.StatusNoContent)
		if e := heard(); e.Kind != adapters.ReactionAdded || e.Reaction.Sign != adapters.Vary || e.Reaction.On.Key() != answer.Key() {
			t.Errorf("variations arrived as %+v", e)
		}
		varied := reply
		varied.Mention, varied.Text = bob.by.ID, "Varied."
		if answer, err := c.Send(t.Context(), "k2", varied); err != nil || buttons(b, answer.ID).CanRemove || !buttons(bob, answer.ID).CanRemove {
			t.Errorf("the asker of variations cannot remove them, or only somebody else can: %v", err)
		}
		b.is(b.post(at(answer.ID), "id", "press00000000010", "sign", "remove"), http.StatusNoContent)
		if e := heard(); e.Reaction == nil || e.Reaction.Sign != adapters.Remove {
			t.Errorf("received %+v", e)
		}
		if err := c.Delete(t.Context(), answer); err != nil {
			t.Fatal(err)
		}
		b.is(b.post(at(answer.ID), "id", "press00000000011", "sign", "again"), http.StatusNotFound)
		if page := b.get("/t/" + thread1).Body.String(); strings.Contains(page, "Done.") || !strings.Contains(page, answer.ID) {
			t.Error("a deleted answer is not shown as such")
		}
	})
}

// pathed returns a request about a message.
func pathed(t *testing.T, message string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.SetPathValue("thread", thread1)
	r.SetPathValue("message", message)
	return r
}

func TestWork(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	b := browse(t, c)
	b.is(b.write("message00000000001", "do it"), http.StatusAccepted)
	answer, err := c.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: chat.RefOf(thread1, "message00000000001")})
	if err != nil {
		t.Fatal(err)
	}
	b.is(b.get("/t/"+thread1+"/messages/"+answer.ID+"/work"), http.StatusOK, "find_edges&lt;b&gt;")
	b.is(b.get("/t/"+thread1+"/messages/message00000000009/work"), http.StatusNotFound)
	b.is(b.get("/t/thread0000000002/messages/"+answer.ID+"/work"), http.StatusNotFound) // of another thread
	if chat.ValidID.MatchString(answer.ID) {
		t.Errorf("a browser could make up %q", answer.ID)
	}
}
