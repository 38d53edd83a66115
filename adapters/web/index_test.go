package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/receive"
	"atelier/adapters/web/store"
	"atelier/adapters/web/stream"
)

// TestThreadsListed checks that all processes list the threads, the most recently active first, and that a thread
// is listed no longer than it is kept.
func TestThreadsListed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		c, other := newChannel(t, state, media), newChannel(t, state, media)
		b := browse(t, c)
		for i := 1; i <= 3; i++ {
			b.is(b.post(fmt.Sprintf("/t/thread000000000%d/messages", i), "id", "message00000000001", "text", fmt.Sprintf("wish %d", i)), http.StatusAccepted)
			<-time.After(20 * time.Hour)
		}
		b.is(b.post("/t/thread0000000001/messages", "id", "message00000000002", "text", "more"), http.StatusAccepted)
		state.put(t, "thread0000000003", `{"taken":{"id":"message00000000001"}}`)
		if _, err := other.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf("thread0000000003"), Text: "Done.", AnswerTo: chat.RefOf("thread0000000003", "message00000000001")}); err != nil {
			t.Fatal(err)
		}
		for _, by := range []*Channel{c, other, newChannel(t, state, media)} {
			titles, busy := listedIn(t, by)
			if !slices.Equal(titles, []string{"wish 1", "wish 3", "wish 2"}) && !slices.Equal(titles, []string{"wish 3", "wish 1", "wish 2"}) || !slices.Equal(busy, []string{"wish 1", "wish 2"}) {
				t.Errorf("%q are listed, %q as busy", titles, busy)
			}
		}
		for key, expiry := range state.expiry {
			if expiry < defaultRetention || expiry > defaultRetention+3*24*time.Hour {
				t.Errorf("%s is kept for %v", key, expiry)
			}
		}
		<-time.After(defaultRetention + time.Hour)
		b.is(b.post("/t/thread0000000004/messages", "id", "message00000000001", "text", "wish 4"), http.StatusAccepted)
		for _, by := range []*Channel{c, other, newChannel(t, state, media)} {
			if titles, _ := listedIn(t, by); !slices.Equal(titles, []string{"wish 4"}) {
				t.Errorf("after a month %q are listed", titles)
			}
		}
	})
}

// listedIn returns the titles of the threads, and of those with running work.
func listedIn(t *testing.T, c *Channel) (titles, busy []string) {
	t.Helper()
	all, err := c.site.List(t.Context(), "", store.Latest)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		titles = append(titles, l.Title)
		if l.Busy {
			busy = append(busy, l.Title)
		}
	}
	slices.Sort(busy)
	return titles, busy
}

// TestListComesToPages checks that an open page gets changes of other threads, but not too often.
func TestListComesToPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		c := newChannel(t, state, media)
		b := browse(t, c)
		b.is(b.write("message00000000001", "one"), http.StatusAccepted)
		x := browse(t, newChannel(t, state, media)).open(events1)
		x.next("threads")
		begun := time.Now()
		for i := range 50 {
			b.is(b.post(fmt.Sprintf("/t/threadof%08d/messages", i), "id", "message00000000001", "text", fmt.Sprint("wish ", i)), http.StatusAccepted)
		}
		if e := x.next("threads"); !strings.Contains(e.data, "wish 49") || time.Since(begun) < stream.ListPause {
			t.Errorf("after %v the page is told %s", time.Since(begun), e.data)
		}
	})
}

// TestLongThreads checks that a conversation accepts only a limited number of messages.
func TestLongThreads(t *testing.T) {
	t.Parallel()
	state := newMemory()
	c := newChannel(t, state, newFiles())
	b := browse(t, c)
	b.is(b.write("message00000000001", "one"), http.StatusAccepted)
	state.mu.Lock()
	for range receive.MaxLength {
		state.lists[logKey(thread1)] = append(state.lists[logKey(thread1)], []byte(`{"taken":{"id":"x"}}`))
	}
	state.mu.Unlock()
	b.is(b.write("message00000000002", "two"), http.StatusConflict, "is full")
	if _, err := c.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done."}); err != nil {
		t.Errorf("an answer is not posted any more: %v", err)
	}
}
