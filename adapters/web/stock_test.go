package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"atelier/adapters/web/upload"
	"atelier/agent/toolbox/slow"
)

// between runs something once, before the nth entry is added or file is deleted.
type between struct {
	*memory
	*files

	mu   sync.Mutex
	n    int
	what func()
}

func (b *between) Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (int64, error) {
	b.step()
	return b.memory.Append(ctx, key, entry, expiry)
}

func (b *between) Delete(ctx context.Context, key string) error {
	b.step()
	return b.files.Delete(ctx, key)
}

func (b *between) step() {
	b.mu.Lock()
	b.n--
	now := b.n == 0
	b.mu.Unlock()
	if now {
		b.what()
	}
}

// TestSentAndTakenBack checks that a file that is sent and withdrawn at the same time, by two processes, is either
// sent or withdrawn; a sent file exists.
func TestSentAndTakenBack(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for _, first := range []string{"send", "take back"} {
		for _, mask := range []bool{false, true} {
			for n := range 5 {
				t.Run(fmt.Sprintf("%s, mask %v, %d", first, mask, n), func(t *testing.T) {
					t.Parallel()
					sendAndTakeBack(t, first == "send", mask, n)
				})
			}
		}
	}
}

func sendAndTakeBack(t *testing.T, sendFirst, mask bool, n int) {
	t.Helper()
	between := &between{memory: newMemory(), files: newFiles()}
	b, other := browse(t, newChannel(t, between, between)), browse(t, newChannel(t, between.memory, between.files))
	cat := b.upload("name=cat.png", "\x89PNG ...")
	b.is(b.write("message00000000001", "one", "file", cat.ID), http.StatusAccepted)
	u := b.upload("name=dog.png", "\x89PNG dog")
	query := []string{"file", u.ID}
	if mask {
		u = b.upload("name=mask.png&for=mask", "\x89PNG mask")
		query = []string{"marks", fmt.Sprintf(`[{"file":%q,"width":40,"height":30,"mask":%q}]`, cat.ID, u.ID)}
	}
	var sent, taken int
	send := func(by *browser) { sent = by.write("message00000000002", "two", query...).Code }
	takeBack := func(by *browser) { taken = by.do(http.MethodDelete, files1+"/"+u.ID, http.NoBody).Code }
	first, second := send, takeBack
	if !sendFirst {
		first, second = takeBack, send
	}
	between.mu.Lock()
	between.n, between.what = n, func() { second(other) }
	between.mu.Unlock()
	if first(b); sent*taken == 0 {
		second(other)
	}
	if isSent, isTaken := sent == http.StatusAccepted, taken == http.StatusNoContent; isSent == isTaken {
		t.Errorf("sending is answered by %d, taking back by %d", sent, taken)
	} else if got := b.get(u.URL).Code; isSent && got != http.StatusOK || isTaken && got != http.StatusNotFound {
		t.Errorf("sent: %v, and getting it is answered by %d", isSent, got)
	}
}

// TestSentMasksDoNotWait checks that sent masks do not count as waiting to be sent.
func TestSentMasksDoNotWait(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	u := b.upload("name=cat.png", "\x89PNG ...")
	b.is(b.write("message00000000001", "x", "file", u.ID), http.StatusAccepted)
	for i := range upload.MaxPending + 1 {
		m := b.upload("name=mask.png&for=mask", "\x89PNG m")
		mark := fmt.Sprintf(`[{"file":%q,"width":40,"height":30,"mask":%q}]`, u.ID, m.ID)
		b.is(b.write(fmt.Sprintf("message%011d", 100+i), "this", "marks", mark), http.StatusAccepted)
	}
}

// counting counts the entries read.
type counting struct {
	*memory

	mu sync.Mutex
	n  int
}

func (c *counting) Read(ctx context.Context, key string, from int64) ([][]byte, error) {
	all, err := c.memory.Read(ctx, key, from)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += len(all)
	return all, err
}

// TestManyUploads checks that a picture is served without reading all earlier uploads, and that a sent picture is
// served even if that is no longer known.
func TestManyUploads(t *testing.T) {
	t.Parallel()
	state := &counting{memory: newMemory()}
	b := browse(t, newChannel(t, state, newFiles()))
	u := b.upload("name=cat.png", "\x89PNG ...")
	for i := range 300 {
		state.lists["web-"+thread1+"/uploads"] = append(state.lists["web-"+thread1+"/uploads"], fmt.Appendf(nil, `{"file":{"id":"file%012d","by":"bob"}}`, i))
	}
	b.is(b.get(u.URL), http.StatusOK)
	b.is(b.write("message00000000001", "x", "file", u.ID), http.StatusAccepted)
	state.n = 0
	for range 10 {
		b.is(b.get(u.URL), http.StatusOK)
		b.upload("name=dog.png", "\x89PNG ...")
	}
	if state.n > 100 {
		t.Errorf("%d entries are read", state.n)
	}
	delete(state.lists, "web-"+thread1+"/uploads")
	b.is(b.get(u.URL), http.StatusOK, "\x89PNG ...")
	b.is(b.write("message00000000002", "x", "marks", fmt.Sprintf(`[{"file":%q,"width":40,"height":30,"points":[{"x":1,"y":1}]}]`, u.ID)), http.StatusAccepted)
}
