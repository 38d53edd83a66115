package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/dispatch"
)

func TestMessageIsRecordedAndHandedOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		c := newChannel(t, state, media)
		h, _ := listen(t, c)
		b := browse(t, c)
		w := b.write("message00000000001", "Find\r\nthe edges.")
		b.is(w, http.StatusNoContent)
		if to := w.Header().Get("Hx-Redirect"); to != "/t/"+thread1 {
			t.Errorf("the browser is sent to %q", to)
		}
		for range 2 { // as after an answer that was lost
			b.is(b.write("message00000000001", "Find\r\nthe edges."), http.StatusNoContent)
		}
		w = b.write("message00000000002", "And more.", "reply_to", "message00000000001")
		b.is(w, http.StatusNoContent)
		if to := w.Header().Get("Hx-Redirect"); to != "" {
			t.Errorf("from its own thread the browser is sent to %q", to)
		}
		all := h.all()
		if len(all) != 2 {
			t.Fatalf("received %d events", len(all))
		}
		first, second := all[0], all[1]
		if first.Message.Text != "Find\nthe edges." || first.By.ID != ana.ID || first.Thread != chat.ThreadOf(thread1) || first.Message.Ref.ID != "message00000000001" || first.Message.For != adapters.Direct {
			t.Errorf("received %+v", first)
		}
		if second.Message.ReplyTo == nil || second.Message.ReplyTo.Own || second.Message.Order <= first.Message.Order {
			t.Errorf("received %+v", second.Message)
		}
		b.is(b.get("/t/"+thread1), http.StatusOK, "Find", "And more.")
	})
}

// TestUntakenMessageIsTriedAgain checks that a recorded message is delivered eventually, even if the handler fails
// at first, and that the browser is told so.
func TestUntakenMessageIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t, newMemory(), newFiles())
		h, _ := listen(t, c)
		h.failing(errors.New("the work is away"))
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusAccepted)
		b.is(b.write("message00000000002", "two"), http.StatusAccepted)
		h.failing(nil)
		<-time.After(2 * dispatch.LastRetry)
		if all := h.all(); len(all) != 2 || all[0].Message.Text != "one" || all[1].Message.Text != "two" {
			t.Errorf("received %d events: %+v", len(all), all)
		}
	})
}

// TestDeadProcess checks that a message that a process has recorded but not delivered is found by another one.
func TestDeadProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		dead := newChannel(t, state, media) // as it listens to nobody
		b := browse(t, dead)
		b.is(b.write("message00000000001", "before"), http.StatusAccepted)
		<-time.After(40 * time.Hour)
		h, _ := listen(t, newChannel(t, state, media))
		synctest.Wait()
		if len(h.all()) != 1 {
			t.Fatalf("abandoned uploads caused %d events", len(h.all()))
		}
		b.is(b.write("message00000000002", "after"), http.StatusAccepted)
		<-time.After(2 * dispatch.Grace)
		if all := h.all(); len(all) != 2 || all[1].Message.Text != "after" {
			t.Errorf("requests of another process caused %d events", len(all))
		}
	})
}

// TestSlowHandler checks that the sender does not wait long for a handler that hangs.
func TestSlowHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t, newMemory(), newFiles())
		h, _ := listen(t, c)
		hung := make(chan struct{})
		h.hang(hung)
		begun := time.Now()
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusAccepted)
		if took := time.Since(begun); took > 2*dispatch.Hurry {
			t.Errorf("who wrote waited for %v", took)
		}
		close(hung)
	})
}

func TestBadMessages(t *testing.T) {
	t.Parallel()
	state := newMemory()
	c := newChannel(t, state, newFiles())
	b := browse(t, c)
	b.is(b.write("message00000000001", "one"), http.StatusAccepted)
	other := b.of("bob").upload("name=a.txt", "text")
	mask := b.upload("name=mask.png&for=mask", "\x89PNG")
	for name, x := range map[string]struct {
		fields []string
		status int
		says   string
	}{
		"nothing":             {[]string{"id", "message00000000009", "text", " \n"}, http.StatusUnprocessableEntity, "Write something"},
		"no id":               {[]string{"text", "x"}, http.StatusBadRequest, "Reload"},
		"a strange id":        {[]string{"id", "../../../x", "text", "x"}, http.StatusBadRequest, "Reload"},
		"a bot's id":          {[]string{"id", chat.AnswerID("k"), "text", "x"}, http.StatusBadRequest, "Reload"},
		"a long text":         {[]string{"id", "message00000000009", "text", strings.Repeat("日", 50_000)}, http.StatusRequestEntityTooLarge, "too long"},
		"a long form":         {[]string{"id", "message00000000009", "text", strings.Repeat("x", 3<<20)}, http.StatusRequestEntityTooLarge, "too much"},
		"a reply to nothing":  {[]string{"id", "message00000000009", "text", "x", "reply_to", "message00000000008"}, http.StatusUnprocessableEntity, "replied to"},
		"no file":             {[]string{"id", "message00000000009", "text", "x", "file", "file000000000001"}, http.StatusUnprocessableEntity, "no longer exists"},
		"another one's file":  {[]string{"id", "message00000000009", "text", "x", "file", other.ID}, http.StatusUnprocessableEntity, "no longer exists"},
		"a mask as a file":    {[]string{"id", "message00000000009", "text", "x", "file", mask.ID}, http.StatusUnprocessableEntity, "no longer exists"},
		"marks of no meaning": {[]string{"id", "message00000000009", "text", "x", "marks", "{"}, http.StatusBadRequest, "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			b := browse(t, c)
			w := b.post("/t/"+thread1+"/messages", x.fields...)
			b.is(w, x.status, `role="alert"`, x.says)
		})
	}
	if n := len(state.lists[logKey(thread1)]); n != 1 {
		t.Errorf("the thread has %d entries", n)
	}
}

// TestStateIsAway checks that only recorded messages are confirmed.
func TestStateIsAway(t *testing.T) {
	t.Parallel()
	state := newMemory()
	c := newChannel(t, state, newFiles())
	b := browse(t, c)
	state.breakDown(errors.New("secret: the server at 10.0.0.7 is away"))
	w := b.write("message00000000001", "one")
	b.is(w, http.StatusServiceUnavailable, `role="alert"`)
	if w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("it says %q: %s", w.Header(), w.Body)
	}
	b.is(b.get("/"), http.StatusServiceUnavailable, "Try again")
	state.breakDown(nil)
	b.is(b.write("message00000000001", "one"), http.StatusAccepted)
}
