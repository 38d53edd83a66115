package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/store"
)

// dying is the State of a process that dies after a number of entries.
type dying struct {
	*memory

	mu   sync.Mutex
	left int
}

func (d *dying) Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left--; d.left < 0 {
		return 0, errors.New("the process is dead")
	}
	return d.memory.Append(ctx, key, entry, expiry)
}

// TestDeathAtEachEntry checks that messages and reactions are delivered wherever the process that recorded them
// dies.
func TestDeathAtEachEntry(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"message", "press"} {
		for left := range 4 {
			t.Run(fmt.Sprintf("%s %d", what, left), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { dieAfter(t, what, left) })
			})
		}
	}
}

func dieAfter(t *testing.T, what string, left int) {
	t.Helper()
	state, media := newMemory(), newFiles()
	c := newChannel(t, state, media)
	_, stop := listen(t, c)
	b := browse(t, c)
	b.is(b.write("message00000000001", "one"), http.StatusNoContent)
	answer, err := c.Send(t.Context(), "k", adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: chat.RefOf(thread1, "message00000000001")})
	if err != nil {
		t.Fatal(err)
	}
	stop()

	d := &dying{memory: state, left: left}
	b = browse(t, newChannel(t, d, media))
	id, at := "message00000000002", "/t/"+thread1+"/messages"
	form := []string{"text", "two"}
	if what == "press" {
		id, at, form = "press000000000002", at+"/"+answer.ID+"/act", []string{"sign", "again"}
	}
	told := b.post(at, append(form, "id", id)...).Code < http.StatusBadRequest
	written := strings.Contains(string(state.all(logKey(thread1))), id)
	if told && !written || left > 1 && !told {
		t.Errorf("the browser is told that it was sent: %v; it was written: %v", told, written)
	}
	next, _ := listen(t, newChannel(t, state, media))
	synctest.Wait()
	if n := len(next.all()); written != (n == 1) {
		t.Errorf("written: %v, and %d events are handed over", written, n)
	}
}

// TestManyWait checks that undelivered events are found in all threads, not only in listed ones.
func TestManyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		b := browse(t, newChannel(t, state, media))
		const n = store.MaxListed + 60
		for i := range n {
			b.is(b.post(fmt.Sprintf("/t/thread%012d/messages", i), "id", fmt.Sprintf("message%011d", i), "text", "one"), http.StatusAccepted)
		}
		c := newChannel(t, state, media)
		h, _ := listen(t, c)
		synctest.Wait()
		if got := len(h.all()); got != n {
			t.Errorf("of %d messages %d are handed over", n, got)
		}
		if err := c.store.Index.Refresh(t.Context(), time.Now(), store.Latest); err != nil {
			t.Fatal(err)
		}
		if left := len(c.store.Index.Waiting()); left != 0 {
			t.Errorf("%d threads are looked at for ever", left)
		}
	})
}

// TestClocksDiffer checks that undelivered events are found, and the state of a thread is known, even if the
// clocks of the processes differ.
func TestClocksDiffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		ahead := newChannel(t, state, media, func(c *Config) { c.Now = func() time.Time { return time.Now().Add(time.Hour) } })
		_, stop := listen(t, ahead)
		b := browse(t, ahead)
		b.is(b.write("message00000000001", "one"), http.StatusNoContent)
		if err := ahead.Acknowledge(t.Context(), chat.RefOf(thread1, "message00000000001"), adapters.Done); err != nil {
			t.Fatal(err)
		}
		stop()

		right := newChannel(t, state, media)
		b = browse(t, right)
		b.is(b.write("message00000000002", "two"), http.StatusAccepted)
		for _, c := range []*Channel{ahead, right, newChannel(t, state, media)} {
			if _, busy := listedIn(t, c); len(busy) != 1 {
				t.Errorf("%q are listed as busy", busy)
			}
		}
		h, _ := listen(t, newChannel(t, state, media))
		synctest.Wait()
		if n := len(h.all()); n != 1 {
			t.Errorf("%d events are handed over", n)
		}
	})
}

// TestNothingCame checks that a thread with an announcement that was never written is not checked forever, but one
// whose handler fails is, whoever listens.
func TestNothingCame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		b := browse(t, newChannel(t, &dying{memory: state, left: 1}, media))
		b.is(b.write("message00000000001", "one"), http.StatusServiceUnavailable)
		c := newChannel(t, state, media)
		h, stop := listen(t, c)
		<-time.After(store.Unsettled / 2)
		if n := len(c.store.Index.Waiting()); n != 1 {
			t.Errorf("%d threads are looked at", n)
		}
		<-time.After(store.Unsettled)
		if n := len(c.store.Index.Waiting()); n != 0 {
			t.Errorf("%d threads are looked at for ever", n)
		}
		h.failing(errors.New("the work is away"))
		b = browse(t, c)
		b.is(b.write("message00000000002", "two"), http.StatusAccepted)
		<-time.After(2 * store.Unsettled)
		stop()
		h, _ = listen(t, c)
		synctest.Wait()
		if n := len(h.all()); n != 1 {
			t.Errorf("after hours %d events are handed over", n)
		}
	})
}

// TestForgottenTitles checks that nothing written in a deleted thread is left, and that it is no longer listed,
// even by other processes.
func TestForgottenTitles(t *testing.T) {
	t.Parallel()
	state, media := newMemory(), newFiles()
	c, other := newChannel(t, state, media), newChannel(t, state, media)
	b := browse(t, c)
	b.is(b.write("message00000000001", "a secret wish"), http.StatusAccepted)
	for _, by := range []*Channel{c, other} {
		if titles, _ := listedIn(t, by); len(titles) != 1 || titles[0] != "a secret wish" {
			t.Fatalf("%q are listed", titles)
		}
	}
	b.is(b.post("/t/"+thread1+"/forget"), http.StatusNoContent)
	for _, by := range []*Channel{c, other} {
		if titles, _ := listedIn(t, by); len(titles) != 0 {
			t.Errorf("%q are listed", titles)
		}
	}
	if all := string(state.all("")); strings.Contains(all, "secret") || !strings.Contains(all, "gone") {
		t.Errorf("there is still %s", all)
	}
}
