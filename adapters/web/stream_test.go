package web

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/stream"
)

const events1 = "/t/" + thread1 + "/events"

// TestTwoTabs checks that two pages see the same, even of two processes.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		c, other := newChannel(t, state, media), newChannel(t, state, media)
		listen(t, c)
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusNoContent)
		tabs := []*tab{b.open(events1 + "?after=1"), b.of("bob").open(events1 + "?after=1"), browse(t, other).open(events1 + "?after=1")}
		synctest.Wait()
		b.is(b.write("message00000000002", "two <b>"), http.StatusNoContent)
		answer, err := other.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "**Done.**", AnswerTo: chat.RefOf(thread1, "message00000000002")})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range tabs {
			var all, last string
			for !strings.Contains(all, "Done.") {
				e := x.next("message")
				all, last = all+e.data, e.id
			}
			if !strings.Contains(all, "two &lt;b&gt;") || strings.Contains(all, ">one<") || !strings.Contains(all, answer.ID) {
				t.Errorf("tab %d sees %s", i, all)
			}
			if n, err := strconv.Atoi(last); err != nil || n < 3 {
				t.Errorf("tab %d is at %q", i, last)
			}
		}
	})
}

// TestWhisper checks that only the pages of one person show what the person is told, whichever process serves them.
func TestWhisper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		c, other := newChannel(t, state, media), newChannel(t, state, media)
		listen(t, c)
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusNoContent)
		anas, bobs := browse(t, other).open(events1+"?after=1"), b.of("bob").open(events1+"?after=1")
		synctest.Wait()
		for _, to := range []string{b.by.ID, "bob"} {
			pressed := adapters.Event{By: adapters.Person{ID: to}}
			if err := c.Whisper(t.Context(), pressed, chat.ThreadOf(thread1), "for "+to+" & nobody else"); err != nil {
				t.Fatal(err)
			}
		}
		for to, x := range map[string]*tab{b.by.ID: anas, "bob": bobs} {
			if e := x.next("told"); strings.TrimSpace(e.data) != "for "+to+" & nobody else" || e.id != "" {
				t.Errorf("%s is told %+v", to, e)
			}
		}
	})
}

// TestServerIsStartedAgain checks that a page recovers after a restart, whichever process serves it, and shows the
// answer that was posted meanwhile.
func TestServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		first := newChannel(t, state, media)
		h, stop := listen(t, first)
		b := browse(t, first)
		b.is(b.write("message00000000001", "one"), http.StatusNoContent)
		x := b.open(events1 + "?after=0")
		if err := first.Acknowledge(t.Context(), chat.RefOf(thread1, "message00000000001"), adapters.Seen); err != nil {
			t.Fatal(err)
		}
		at := x.next("message").id
		first.Close() // and all open streams end
		for e := range x.events {
			if e.name == "message" {
				at = e.id
			}
		}
		stop()

		second := newChannel(t, state, media)
		again, _ := listen(t, second)
		if _, err := second.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done."}); err != nil {
			t.Fatal(err)
		}
		e := browse(t, second).with("Last-Event-ID", at).open(events1 + "?after=0").next("message")
		if !strings.Contains(e.data, "Done.") || strings.Contains(e.data, "message00000000001\"") {
			t.Errorf("after %s the page is told %s", at, e.data)
		}
		if len(h.all()) != 1 || len(again.all()) != 0 {
			t.Errorf("the message was received %d and %d times", len(h.all()), len(again.all()))
		}
	})
}

func TestStreamsStayAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state := newMemory()
		c := newChannel(t, state, newFiles())
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusAccepted)
		x := b.open(events1)
		x.next("retry")
		if e := x.next("message"); !strings.Contains(e.data, "one") {
			t.Errorf("without a position the page is told %s", e.data)
		}
		begun := time.Now()
		x.next("comment")
		if quiet := time.Since(begun); quiet > stream.Beat {
			t.Errorf("the stream was silent for %v", quiet)
		}
		// An entry whose hint was lost is found nevertheless.
		state.mu.Lock()
		state.lists[logKey(thread1)] = append(state.lists[logKey(thread1)], []byte(`{"said":{"key":"k","reply":{"text":"lost hint"}}}`))
		state.mu.Unlock()
		if e := x.next("message"); !strings.Contains(e.data, "lost hint") {
			t.Errorf("the page is told %s", e.data)
		}
		state.hangUpAll()
		for range x.events { // the stream ends, and the browser connects again
		}
	})
}

// TestSlowReader checks that a page that does not read delays nobody else.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t, newMemory(), newFiles())
		listen(t, c)
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusNoContent)
		b.open(events1) // which nobody reads
		x := b.of("bob").open(events1 + "?after=1")
		for i := range 20 {
			id := "message00000001" + strconv.Itoa(100+i)
			b.is(b.write(id, "and more"), http.StatusNoContent)
			for !strings.Contains(x.next("message").data, id) { //nolint:revive // until it comes
			}
		}
	})
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t, newMemory(), newFiles())
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusAccepted)
		var all []*tab
		for range stream.PerPerson {
			all = append(all, b.open(events1))
		}
		synctest.Wait()
		if w := b.get(events1); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
			t.Errorf("one more stream: %d", w.Code)
		}
		b.of("bob").open(events1).next("message")
		all[0].stop()
		b.open(events1).next("message")
	})
}

func TestStreamsOfNothing(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	b := browse(t, c)
	for _, target := range []string{events1, "/t/x/events", "/t/" + strings.Repeat("x", 33) + "/events", "/t/THREAD0000000001/events"} {
		b.is(b.get(target), http.StatusNotFound)
	}
	b.is(b.do(http.MethodHead, events1, http.NoBody), http.StatusMethodNotAllowed)
}

// TestServerShutsDown checks that open streams do not prevent a server from shutting down, and that its write
// timeout does not end them.
func TestServerShutsDown(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	b := browse(t, c)
	b.is(b.write("message00000000001", "one"), http.StatusAccepted)
	server := httptest.NewUnstartedServer(c.Handler())
	server.Config.RegisterOnShutdown(c.Close)
	server.Config.WriteTimeout = time.Nanosecond
	server.Start()
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+events1, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	w, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close() //nolint:errcheck // it is read to its end
	in := bufio.NewReader(w.Body)
	for line := ""; !strings.Contains(line, "message00000000001"); {
		if line, err = in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
}

// TestForgottenThread checks that open pages are told of a deletion, and that nothing is left.
func TestForgottenThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		c, other := newChannel(t, state, media), newChannel(t, state, media)
		listen(t, c)
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusNoContent)
		x := browse(t, other).open(events1)
		x.next("message")
		b.is(b.of("bob").post("/t/"+thread1+"/forget"), http.StatusForbidden, "Only the person who started")
		w := b.post("/t/" + thread1 + "/forget")
		b.is(w, http.StatusNoContent)
		if w.Header().Get("Hx-Redirect") != "/" {
			t.Error("the browser stays there")
		}
		x.next("gone")
		for range x.events {
		}
		b.is(b.get("/t/"+thread1), http.StatusNotFound)
		b.is(browse(t, other).get("/t/"+thread1), http.StatusNotFound)
		if page := browse(t, other).get("/").Body.String(); strings.Contains(page, thread1) {
			t.Error("it is still listed")
		}
		for key := range state.lists {
			if strings.HasPrefix(key, "web-"+thread1+"/") {
				t.Errorf("%s is still there", key)
			}
		}
		if state.deleted {
			t.Error("it lies in the files of the state still")
		}
		if _, err := c.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "late"}); err == nil || state.deleted {
			t.Errorf("an answer is posted there, or lies in the files: %v", err)
		}
		b.is(b.write("message00000000002", "anew"), http.StatusNoContent)
		b.is(browse(t, other).get("/t/"+thread1), http.StatusOK, "anew")
	})
}
