package jobs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
)

// beforeRecorded acts on the nth answer after the platform has posted it and before the bot has recorded it.
func (h *house) beforeRecorded(n int, act func(answer adapters.MessageRef)) {
	h.chat.mu.Lock()
	defer h.chat.mu.Unlock()
	h.chat.onSent = func(i int) error {
		if i == n {
			posts := h.chat.all()
			act(posts[len(posts)-1].ref)
		}
		return nil
	}
}

// TestPressBeforeAnswerIsRecorded: acting on an answer within milliseconds has the same effect as later, once.
func TestPressBeforeAnswerIsRecorded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		press func(h *house, on adapters.MessageRef) adapters.Event
		runs  int
		done  func(h *house, r jobs.Request) bool
	}{
		"a number": {func(h *house, on adapters.MessageRef) adapters.Event {
			return h.reacts("bob", on, adapters.Digit(1), true)
		}, 2,
			func(h *house, r jobs.Request) bool {
				return r.Runs[1].Status == jobs.Done && h.planner.count("sharpen") == 1
			}},
		"again": {func(h *house, on adapters.MessageRef) adapters.Event { return h.reacts("ann", on, "🔁", true) }, 2,
			func(h *house, r jobs.Request) bool {
				return r.Runs[1].Status == jobs.Done && h.planner.count("blur") == 2
			}},
		"delete": {func(h *house, on adapters.MessageRef) adapters.Event { return h.reacts("ann", on, "🗑", true) }, 1,
			func(h *house, r jobs.Request) bool { return slices.Contains(h.chat.deleted, r.Runs[0].Sent.ID) }},
		"a vote": {func(h *house, on adapters.MessageRef) adapters.Event { return h.rates("ann", on, adapters.Good) }, 1,
			func(_ *house, r jobs.Request) bool {
				return slices.Equal(r.Runs[0].Votes, []jobs.Vote{{By: "ann", Good: true}})
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enterBoth(t, func(h *house) {
				j, other := h.process(), h.process()
				h.beforeRecorded(1, func(answer adapters.MessageRef) {
					e := c.press(h, answer)
					h.handle(other, e)
					h.handle(other, e) // a repeated event
				})
				h.run(j)
				r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
				if r = h.wait(j, r.ID, c.runs); len(r.Runs) != c.runs || !c.done(h, r) {
					h.t.Errorf("%d runs, %+v", len(r.Runs), r.Runs)
				}
			})
		})
	}
}

// TestEarlyPressesKeepOrder: a number that is taken back immediately runs nothing.
func TestEarlyPressesKeepOrder(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.process()
	h.beforeRecorded(1, func(answer adapters.MessageRef) {
		h.handle(j, h.reacts("bob", answer, adapters.Digit(1), true))
		h.handle(j, h.reacts("bob", answer, adapters.Digit(1), false))
	})
	g := h.planner.blocks("sharpen")
	h.run(j)
	r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Cancelled {
		t.Errorf("it is %s", r.Runs[1].Status)
	}
	close(g.open)
}

// TestDeletionBeforeAnswerIsRecorded: its numbers say that they were deleted with it.
func TestDeletionBeforeAnswerIsRecorded(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.process()
	h.beforeRecorded(1, func(answer adapters.MessageRef) { h.handle(j, h.deletes(answer)) })
	h.run(j)
	r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
	r = h.wait(j, r.ID, 2)
	if p, _ := h.chat.post(r.Runs[1].Sent); !strings.HasPrefix(p.reply.Text, "That answer was deleted") {
		t.Errorf("it says %q", p.reply.Text)
	}
}

// TestStopBeforeRequestIsRecorded: reactions may arrive before messages.
func TestStopBeforeRequestIsRecorded(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	e := h.says("t", "ann", "blur")
	h.handle(j, h.reacts("ann", e.Message.Ref, "🛑", true))
	if r := h.ask(j, e); r.Runs[0].Status != jobs.Cancelled || h.planner.count("blur") != 0 {
		t.Errorf("it is %s", r.Runs[0].Status)
	}
}

// dated is a chat whose messages were all posted at one time.
type dated struct {
	*chat

	at time.Time
}

func (d dated) PostedAt(adapters.MessageRef) (time.Time, bool) { return d.at, true }

// TestOnlyRecentMessagesAreWaitedFor: what happens to an old one that is unknown is not held back, as it will stay unknown.
func TestOnlyRecentMessagesAreWaitedFor(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]jobs.Status{time.Minute: jobs.Cancelled, time.Hour: jobs.Done} {
		h := enter(t)
		j := h.start(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{dated{h.chat, time.Now().Add(-age)}} })
		e := h.says("t", "ann", "blur")
		h.handle(j, h.reacts("ann", e.Message.Ref, "🛑", true))
		if r := h.ask(j, e); r.Runs[0].Status != want {
			t.Errorf("after %v it is %s", age, r.Runs[0].Status)
		}
	}
}

// TestEarlyPressSurvivesCrash: another process records the answer.
func TestEarlyPressSurvivesCrash(t *testing.T) {
	t.Parallel()
	h := enter(t)
	first := h.process()
	ends := make(chan struct{})
	h.chat.onSent = func(n int) error {
		if n > 1 {
			return nil
		}
		h.handle(first, h.reacts("bob", h.chat.all()[0].ref, adapters.Digit(1), true))
		close(ends)
		return errors.New("the connection is gone")
	}
	stop := h.run(first)
	id := h.handle(first, h.says("t", "ann", "blur|sharpen"))
	<-ends
	stop()
	second := h.start()
	if r := h.wait(second, id, 2); r.Runs[1].Status != jobs.Done || len(h.chat.all()) != 2 {
		t.Errorf("it is %s", r.Runs[1].Status)
	}
}
