package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/jobs/quota"
	"atelier/storage"
)

// ledger is a State that counts its values, with hooks for concurrent events.
type ledger struct {
	storage.State

	mu        sync.Mutex
	there     map[string]int
	lasts     map[string]time.Duration
	appending func(key string) error
}

func watch(s storage.State) *ledger {
	return &ledger{State: s, there: map[string]int{}, lasts: map[string]time.Duration{}}
}

func (l *ledger) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	l.note(key, 1, expiry)
	return l.State.Put(ctx, key, value, expiry)
}

func (l *ledger) PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (bool, error) {
	first, err := l.State.PutOnce(ctx, key, value, expiry)
	if first {
		l.note(key, 1, expiry)
	}
	return first, err
}

func (l *ledger) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if l.appending != nil {
		if err := l.appending(key); err != nil {
			return 0, err
		}
	}
	n, err := l.State.Append(ctx, key, value, expiry)
	l.note(key, int(n)+1, expiry)
	return n, err
}

func (l *ledger) Delete(ctx context.Context, key string) error {
	l.note(key, 0, 0)
	return l.State.Delete(ctx, key)
}

func (l *ledger) note(key string, n int, lasts time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.there[key], l.lasts[key] = n, lasts
}

// size returns the number of values and list entries.
func (l *ledger) size() (all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.there {
		all += n
	}
	return all
}

// seats returns the lifetimes of the taken seats.
func (l *ledger) seats() (all []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, n := range l.there {
		if n > 0 && strings.Contains(key, "/seat-") && !strings.Contains(key, "/told") {
			all = append(all, l.lasts[key])
		}
	}
	return all
}

// left returns a person's remaining quota.
func (h *house) left(q quota.Config, by string) quota.Left {
	h.t.Helper()
	q.State = h.state
	of, err := quota.New(q)
	check(h.t, err)
	left, err := of.Left(h.t.Context(), adapters.Person{ID: by}, place1("t"))
	check(h.t, err)
	return left
}

func TestUnrecordedRequestDoesNotCount(t *testing.T) {
	t.Parallel()
	h := enter(t)
	limits := quota.Config{AtOnce: 1, Requests: 2}
	r := h.ask(h.start(), h.says("t", "bob", "blur|slow"))
	w := watch(h.state)
	j := h.process(held(limits), func(c *jobs.Config) { c.State = w })
	w.appending = func(key string) error {
		if strings.HasPrefix(key, "request-") {
			return errors.New("down")
		}
		return nil
	}
	for _, e := range []adapters.Event{h.says("t", "ann", "!one"), h.reacts("ann", r.Runs[0].Sent, "🔁", true)} {
		if err := j.Handle(t.Context(), e); err == nil || !strings.Contains(err.Error(), "down") {
			t.Errorf("it fails with %v", err)
		}
		if seats := w.seats(); len(seats) > 0 {
			t.Errorf("at work are %v", seats)
		}
		if left := h.left(limits, "ann"); left.Requests != 2 {
			t.Errorf("left is %+v", left)
		}
	}
}

func TestRecordedRequestCountsUntilItEnds(t *testing.T) {
	t.Parallel()
	h := enter(t)
	w := watch(h.state)
	limited := []func(*jobs.Config){held(quota.Config{AtOnce: 2, ChannelAtOnce: 2}), func(c *jobs.Config) { c.State = w }}
	j := h.start(limited...)
	g := h.planner.blocks("slow")
	r := h.ask(j, h.says("t", "bob", "blur|slow"))
	if seats := w.seats(); len(seats) > 0 {
		t.Errorf("after it is over at work are %v", seats)
	}
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
	<-g.entered
	h.handle(j, h.says("t", "ann", "slow"))
	seats := w.seats()
	if len(seats) != 4 {
		t.Errorf("two are at work, with seats %v", seats)
	}
	for _, lasts := range seats {
		if lasts < time.Hour {
			t.Errorf("a seat lasts %s", lasts)
		}
	}
	close(g.open)
}

func TestForgottenRequestDoesNotCount(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{AtOnce: 2}))
	r := h.ask(j, h.says("t", "bob", "blur|slow"))
	g := h.planner.blocks("slow")
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
	<-g.entered
	h.handle(j, h.says("t", "ann", "slow"))
	_, err := j.Forget(t.Context(), r.ThreadID)
	check(t, err)
	for i := range 2 {
		if next := h.ask(j, h.says(fmt.Sprint("next", i), "ann", "!hello")); next.Runs[0].Stopped != "" {
			t.Errorf("it is %s: %s", next.Runs[0].Stopped, h.told(next))
		}
	}
	close(g.open)
}

// TestSecondChooserDoesNotCount: another process starts the same alternative while it is counted.
func TestSecondChooserDoesNotCount(t *testing.T) {
	t.Parallel()
	h := enter(t)
	limits := quota.Config{Requests: 5, AtOnce: 5}
	first := h.start(held(limits))
	r := h.ask(first, h.says("t", "eve", "blur|edge"))
	w := watch(h.state)
	second := h.process(held(limits), func(c *jobs.Config) { c.State = w })
	once := false
	w.appending = func(key string) error {
		if strings.HasPrefix(key, "quota-") && !once {
			once = true
			h.handle(first, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
		}
		return nil
	}
	h.handle(second, h.reacts("bob", r.Runs[0].Sent, adapters.Digit(1), true))
	if r = h.wait(first, r.ID, 2); len(r.Runs) != 2 || !once {
		t.Errorf("%d runs", len(r.Runs))
	}
	if a, b := h.left(limits, "ann"), h.left(limits, "bob"); a.Requests != 4 || b.Requests != 5 || len(w.seats()) > 0 {
		t.Errorf("left are %+v and %+v, with the seats %v", a, b, w.seats())
	}
}

func TestMediaCountForFetcher(t *testing.T) {
	t.Parallel()
	h := enter(t)
	limits := quota.Config{Requests: 1, Bytes: 10}
	j := h.start(held(limits))
	h.ask(j, h.says("t", "ann", "!hello"))
	r := h.ask(j, h.says("t", "ann", "caption", h.chat.upload("a.png", "PNG--6")))
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, "🔁", true))
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Done {
		t.Errorf("once more it is %s", r.Runs[1].Status)
	}
	if a, b := h.left(limits, "ann"), h.left(limits, "bob"); a.Bytes != 10 || b.Bytes != 4 {
		t.Errorf("left are %+v and %+v", a, b)
	}
}

func TestCommonFaultOfFilesIsSaidOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Bytes: 10}))
	large := func(n int) (all []adapters.File) {
		for i := range n {
			f := h.chat.upload(fmt.Sprintf("%d.png", i), "PNG of eleven bytes")
			f.Size = 19
			all = append(all, f)
		}
		return all
	}
	const sentence = "That is more than your daily upload limit"
	for _, files := range [][]adapters.File{large(10), append(large(10), h.chat.upload("a.png", "PNG--6"))} {
		if told := h.told(h.ask(j, h.says("t", "ann", "caption", files...))); strings.Count(told, sentence) != 1 {
			t.Errorf("the reply is %q", told)
		}
	}
}

func TestFloodOfMessagesLeavesNoState(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]quota.Config{
		"hour": {Requests: 1}, "at once": {AtOnce: 1}, "channel": {ChannelAtOnce: 1}, "denied": {Deny: denies("ann")},
	} {
		h := enter(t)
		w := watch(h.state)
		j := h.process(held(limits), func(c *jobs.Config) { c.State = w })
		for range 2 { // at least one is refused and told
			h.handle(j, h.says("t", "ann", "blur"))
		}
		before, lines := w.size(), strings.Count(h.log.String(), "level=INFO")
		for range 100 {
			h.handle(j, h.says("t", "ann", "blur"))
		}
		if after := w.size(); after != before {
			t.Errorf("%s: %d values are there, and were %d", name, after, before)
		}
		if n := strings.Count(h.log.String(), "level=INFO"); n != lines {
			t.Errorf("%s: %d lines in the log more", name, n-lines)
		}
	}
}
